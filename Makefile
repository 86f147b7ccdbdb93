# make demo   agents play Quixo against each other, and a table says who is better
# make test   style, types and tests
# make reports  the sections of the course reports: those without results in docs/reports, then the pages
# make bench  how fast it is here, beside its peers
# make integrations  other libraries learn to play here; make integration-tianshou is one of them
# Each makes what it needs in .venv, from nothing but Python 3.11 or newer; the libraries, whose pins exclude each
# other, in a .venv-tianshou and so on.

PYTHON ?= python3
BIN := .venv/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
INSTALL := $(BIN)/python $(PIP_INSTALL) --constraint constraints.txt
INTEGRATIONS := $(patsubst examples/integrations/requirements/%.txt,integration-%,\
	$(sort $(wildcard examples/integrations/requirements/*.txt)))

.PHONY: demo test style unit-test reports bench integrations $(INTEGRATIONS) clean

demo: .venv/demo
	$(BIN)/ci-envs compare Quixo-v0 random minimax:depth=1 minimax:depth=2 minimax:depth=4 sb3:quixo

test: style unit-test

style: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit-test: .venv/dev
	$(BIN)/pytest --numprocesses=2 --dist=loadfile

reports: .venv/dev
	$(BIN)/ci-envs reports all --output docs/reports
	$(BIN)/python docs/write_reports.py

bench: .venv/dev
	$(BIN)/python -m benchmarks

integrations: $(INTEGRATIONS)

$(INTEGRATIONS): integration-%: .venv-%/made
	.venv-$*/bin/python examples/integrations/$*_*.py

clean:
	rm -rf .venv .venv-* build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

# torch by its exact version first: a range would bring its CUDA packages along
.venv/demo: .venv/made pyproject.toml constraints.txt
	$(INSTALL) $$(grep '^torch==' constraints.txt)
	$(INSTALL) --editable '.[sb3]'
	touch $@

.venv/dev: .venv/made pyproject.toml constraints.txt
	$(INSTALL) --no-compile $$(grep '^torch==' constraints.txt)
	$(INSTALL) --no-compile --editable '.[dev]'
	touch $@

.venv/made:
	$(PYTHON) -m venv .venv
	touch $@

.venv-%/made: examples/integrations/requirements/%.txt pyproject.toml
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python $(PIP_INSTALL) $$(grep '^torch==' $<)
	.venv-$*/bin/python $(PIP_INSTALL) --requirement $<
	.venv-$*/bin/python $(PIP_INSTALL) --editable .
	touch $@
