# make demo: a small dataset from a fresh clone.   make test: the whole gate.   make test-all: with the slow corpora.
# make test-reference: what make test holds back where the whole reference data are not at hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: venv demo check test test-all test-reference clean

venv: $(STAMP)

$(STAMP): setup.cfg pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/chorewright doctor --warm
	touch $@

demo: venv
	$(BIN)/chorewright generate alfred --episodes 50 --out demo
	$(BIN)/chorewright verify demo
	$(BIN)/chorewright show demo
	$(BIN)/chorewright show demo 0

check: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: check
	$(BIN)/python -m pytest -n 2

test-reference: venv
	$(BIN)/python -m pytest -n 2 -m "reference and not slow"

clean:
	rm -rf $(VENV) demo build dist *.egg-info
