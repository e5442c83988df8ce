# make demo: a small dataset from a fresh clone.   make test: the whole gate.   make test-all: with the slow corpora.
# make test-reference: what make test holds back where the whole reference data are not at hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WARM := $(VENV)/.compiled

# The tests start thousands of processes; without compiled modules on disk each would compile them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: venv demo check ready test test-all test-reference test-trainers dist docs docs-version pinned sbom clean

venv: $(WARM)

$(STAMP): setup.cfg pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
ifdef PINNED
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/pinned.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
endif
	touch $@

# Every kernel, for many processes at once; a small dataset compiles the few that it needs.
$(WARM): $(STAMP)
	$(BIN)/chorewright doctor --warm
	touch $@

demo: $(STAMP)
	$(BIN)/chorewright demo demo --episodes 50
	$(BIN)/chorewright show demo/alfred 0

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

# The checks run while the kernels compile.
ready: $(STAMP)
	$(MAKE) -j 2 check venv

test: ready
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-all: ready
	$(BIN)/python -m pytest -n 2 --dist worksteal --hypothesis-profile default

test-reference: venv
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "reference and not slow"

# The adapters of rewards, run by the trainers of language models at pinned versions: 2 GB of packages.
test-trainers:
	test -x .venv-trainers/bin/python || $(PYTHON) -m venv .venv-trainers
	.venv-trainers/bin/python -m pip install --quiet --disable-pip-version-check -e . -r tests/trainers/requirements.txt
	.venv-trainers/bin/python -m tests.trainers
	test -x .venv-verifiers/bin/python || $(PYTHON) -m venv .venv-verifiers
	.venv-verifiers/bin/python -m pip install --quiet --disable-pip-version-check -e . -r tests/trainers/requirements-verifiers.txt
	SERVER=.venv-trainers/bin/python .venv-verifiers/bin/python -m tests.trainers verifiers

# The source distribution and the wheel of the commit, and their checks. Built anew they have the same bytes: files come from
# git, times are the commit's, and the source distribution is packed by GNU tar.
dist: export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct)
dist: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build twine
	rm -rf dist build && mkdir -p dist build/commit
	git -c tar.umask=022 archive HEAD | tar -x -C build/commit
	umask 022 && $(BIN)/python -m build --no-isolation --outdir build build/commit
	tar -xzf build/*.tar.gz -C build
	name=$$(basename build/*.tar.gz .tar.gz) && mv build/*.whl dist && \
		tar -c -C build --sort=name --mtime=@$$SOURCE_DATE_EPOCH --owner=0 --group=0 --numeric-owner $$name | gzip -n > dist/$$name.tar.gz
	rm -rf build
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m tests.distribution dist

# The documentation site in site/; it needs no network.
docs: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	COLUMNS=100 $(BIN)/mkdocs build --strict --quiet

# The site of this version beside those of others, on the branch gh-pages; nothing is pushed.
docs-version: docs
	COLUMNS=100 DOCS_VERSIONS=mike PATH=$(CURDIR)/$(BIN):$$PATH \
		$(BIN)/mike deploy --update-aliases $$($(BIN)/python -c "import chorewright; print(chorewright.__version__)") latest

# The versions and checksums that `make venv PINNED=1` installs, in CI.
pinned: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	sed -n 1p tests/pinned.txt > tests/pinned.new
	$(BIN)/uv pip compile setup.cfg --extra dev --universal --python-version 3.10 --generate-hashes --no-header --quiet \
		>> tests/pinned.new
	mv tests/pinned.new tests/pinned.txt

# The bill of materials of what CI installs, as CycloneDX has it.
sbom: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom
	$(BIN)/cyclonedx-py requirements --output-reproducible tests/pinned.txt -o sbom.json

clean:
	rm -rf $(VENV) demo build dist site sbom.json *.egg-info
