# make demo   agents play Quixo against each other, and a table says who is better
# make test   style, types and tests
# make bench  how fast it is here, beside its peers
# Each makes what it needs in .venv, from nothing but Python 3.11 or newer.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test bench clean

demo: .venv/demo
	$(BIN)/ci-envs compare Quixo-v0 random minimax:depth=1 minimax:depth=2 minimax:depth=4

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses=2

bench: .venv/dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/demo: .venv/made pyproject.toml constraints.txt
	$(INSTALL) --editable .
	touch $@

# torch by its exact version first: a range would bring its CUDA packages along
.venv/dev: .venv/made pyproject.toml constraints.txt
	$(INSTALL) $$(grep '^torch==' constraints.txt)
	$(INSTALL) --editable '.[dev]'
	touch $@

.venv/made:
	$(PYTHON) -m venv .venv
	touch $@
