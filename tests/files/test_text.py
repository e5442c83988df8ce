"""Reading text: what is not there is wrong usage, what is not UTF-8 has its place, and is called what it is."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import pytest

from chorewright.errors import ExitCode, InputError, LimitError, UsageError
from chorewright.files.text import decode, read_bytes, read_text, readable

TEXTS = ["", "a", "ä\n€\r\n😀\rend", "\ufffd", "two\n\nlines\n", "\0"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_text_is_read_as_python_reads_it(tmp_path: Path, text: str, mark: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(mark + text.encode())
    assert read_text(path) == path.read_text("utf-8-sig")
    assert read_bytes(path) == mark + text.encode()
    assert readable(path) == path


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing", "No such file"), (".", "it is a folder"), ("a\0b", "null"), ("x" * 300, "too long"), ("f/x", "Not a")],
)
def test_what_cannot_be_read_is_wrong_usage(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "f").write_text("")
    for read in (read_text, read_bytes, readable):
        with pytest.raises(UsageError, match=f"cannot read the file: .*{reason}") as caught:
            read(tmp_path / name)
        assert caught.value.exit_code == ExitCode.USAGE
        assert caught.value.location is not None
        assert caught.value.location.path == str(tmp_path / name)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_forbidden_files(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("x")
    path.chmod(0)
    for read in (read_text, read_bytes, readable):
        with pytest.raises(UsageError, match="ermission denied"):
            read(path)


def test_the_limit_on_the_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read_text(path, 100) == "x" * 100
    with pytest.raises(LimitError, match="larger than 99 bytes"):
        read_text(path, 99)


# Bytes, line, column, the line as it is shown, and what is said.
BAD = [
    (b"\xff", 1, 1, "\ufffd", "byte 0xff"),
    (b"ab\nc\xffd\ne", 2, 2, "c\ufffdd", "byte 0xff"),
    ("ä€".encode() + b"\x80\n", 1, 3, "ä€\ufffd", "byte 0x80"),
    (b"\xef\xbb\xbfab\xc3", 1, 3, "ab\ufffd", "byte 0xc3"),
    (b"a\r\nb\xed\xa0\x80\r\n", 2, 2, "b\ufffd\ufffd\ufffd", "byte 0xed"),
    ("text".encode("utf-16"), 1, 1, None, "UTF-16 text"),
    ("text".encode("utf-32"), 1, 1, None, "UTF-32 text"),
    (gzip.compress(b"text", mtime=0), 1, 1, None, "a compressed file"),
    (b"\x89PNG\r\n\x1a\n", 1, 1, None, "a picture"),
    (b"ab\0c\n\xfe", 2, 1, None, "binary"),
]


@pytest.mark.parametrize(("data", "line", "column", "shown", "said"), BAD)
def test_what_is_not_utf_8_has_its_place(data: bytes, line: int, column: int, shown: str | None, said: str) -> None:
    with pytest.raises(InputError, match=f"not UTF-8 text.*{said}") as caught:
        decode(data, "file")
    place = caught.value.location
    assert place is not None
    assert (place.path, place.line, place.column, place.source_line) == ("file", line, column, shown)


def test_random_bytes_are_text_or_an_error_at_the_first_wrong_byte() -> None:
    rng = random.Random(0)
    for _ in range(3000):
        data = bytes(rng.choice((10, 97, 98, 195, 164, 226, 130, 172)) for _ in range(rng.randrange(30)))
        try:
            expected = data.decode("utf-8")
        except UnicodeDecodeError as error:
            with pytest.raises(InputError) as caught:
                decode(data)
            lines = data[: error.start].decode("utf-8").split("\n")
            place = caught.value.location
            assert place is not None
            assert (place.line, place.column) == (len(lines), len(lines[-1]) + 1)
        else:
            assert decode(data) == expected
