# make demo          compares agents in Quixo and prints a table with the results
# make test          checks style and types, and meanwhile runs the tests
# make test-quick    runs the tests that take less than two minutes together, for use before each commit
# make test-minimum  runs the core tests with the lowest versions that pyproject.toml allows, and with NumPy 1 and the newest
#                    versions of the other packages; PYTHON=python3.13 selects a Python
# make reports       runs the sections of the course reports without results in docs/reports, and writes the pages
# make docs          builds the site of the documentation in build/site
# make docs-serve    shows the site in the browser
# make docs-publish  builds the site as the version VERSION, for example 1.0.0, and pushes it to the branch gh-pages
# make bench         measures the speed next to other libraries
# make bench-quick   checks the most important ratios of speeds, in at most a minute
# make integrations  runs the examples of other libraries; make integration-tianshou runs the example of one library
# make clean         removes the virtual environments and the caches
# Each target needs only Python 3.11 or newer, and creates the virtual environment .venv. The pins of the other libraries
# exclude each other, so each library has its own environment, for example .venv-tianshou. The lowest versions are in
# .venv-minimum, and NumPy 1 is in .venv-numpy1.

PYTHON ?= python3
BIN := .venv/bin
# pip would compile all modules of all packages to bytecode; without it, Python does this for the modules in use when it
# imports them, unless this variable is set
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
unexport PYTHONDONTWRITEBYTECODE
# uv installs in half the time of pip, and does not read the settings of pip
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
INSTALL := $(BIN)/uv pip install --quiet --python .venv --constraint constraints.txt
INTEGRATIONS := $(patsubst examples/integrations/requirements/%.txt,integration-%,\
	$(sort $(wildcard examples/integrations/requirements/*.txt)))

MINIMUM_TESTS := $(addprefix tests/test_,$(addsuffix .py,rules aec single_agent vector agents arena covering picture ratings \
	minimax mcts cli neat evolution_strategy extras packaging readme training baselines alphazero_training web))
NUMPY1_TESTS := $(addprefix tests/test_,$(addsuffix .py,rules position compiled aec single_agent vector arena solve \
	covering))

PYTEST := $(BIN)/pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder

.PHONY: demo test style unit-test test-quick test-minimum docs docs-serve docs-publish reports bench bench-quick \
	integrations $(INTEGRATIONS) clean

demo: .venv/demo
	$(BIN)/ci-envs compare Quixo-v0 random minimax:depth=1 minimax:depth=2 minimax:depth=4 sb3:quixo --random-plies 4

test: .venv/dev
	@$(MAKE) --no-print-directory --jobs=2 style unit-test

style: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit-test: .venv/dev
	@$(BIN)/python tests/run_files.py

test-quick: .venv/dev
	$(PYTEST) -m 'not slow and not extended'

test-minimum: .venv-minimum/$(notdir $(PYTHON)) .venv-numpy1/$(notdir $(PYTHON))
	.venv-minimum/bin/pytest --numprocesses=2 --dist=loadfile $(MINIMUM_TESTS)
	.venv-numpy1/bin/pytest --numprocesses=2 --dist=loadfile $(NUMPY1_TESTS)

docs: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

docs-serve: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve --no-strict

docs-publish: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mike deploy --push --update-aliases $(VERSION)

reports: .venv/dev
	$(BIN)/ci-envs reports all --output docs/reports
	$(BIN)/python docs/write_reports.py

bench: .venv/dev
	$(BIN)/python -m benchmarks

bench-quick: .venv/dev
	$(BIN)/python -m benchmarks.quick

integrations: $(INTEGRATIONS)

$(INTEGRATIONS): integration-%: .venv-%/made
	.venv-$*/bin/python examples/integrations/$*_*.py

clean:
	rm -rf .venv .venv-* build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

# name the exact version of torch: for a range of versions pip also installs the CUDA packages
.venv/demo: .venv/made pyproject.toml constraints.txt
	$(INSTALL) $$(grep '^torch==' constraints.txt) --editable '.[sb3]'
	touch $@

.venv/dev: .venv/made pyproject.toml constraints.txt
	$(INSTALL) $$(grep '^torch==' constraints.txt) --editable '.[dev]'
	touch $@

.venv/made:
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) uv
	touch $@

# torch is not the lowest version: for Linux, PyPI has lower versions only with CUDA, which takes several gigabytes
.venv-minimum/$(notdir $(PYTHON)): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-minimum
	.venv-minimum/bin/python $(PIP_INSTALL) uv $$(grep '^torch==' constraints.txt)
	grep '^torch==' constraints.txt > .venv-minimum/torch.txt
	.venv-minimum/bin/uv pip compile --quiet --python .venv-minimum --resolution lowest-direct --only-binary :all: \
		--overrides .venv-minimum/torch.txt --extra all --extra openspiel --extra test pyproject.toml \
		--output-file .venv-minimum/minimum.txt
	.venv-minimum/bin/uv pip install --quiet --python .venv-minimum --constraint .venv-minimum/minimum.txt \
		--editable '.[all,openspiel,test]'
	touch $@

# some libraries for reinforcement learning need NumPy 1, which does not exist for Python 3.13
.venv-numpy1/$(notdir $(PYTHON)): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-numpy1
	grep -v '^numpy==' constraints.txt > .venv-numpy1/constraints.txt
	.venv-numpy1/bin/python $(PIP_INSTALL) --constraint .venv-numpy1/constraints.txt \
		"numpy<2; python_version < '3.13'" pytest pytest-xdist hypothesis --editable '.[ilp,render]'
	touch $@

.venv-%/made: examples/integrations/requirements/%.txt pyproject.toml
	$(PYTHON) -m venv .venv-$*
	if grep -q '^torch==' $<; then .venv-$*/bin/python $(PIP_INSTALL) $$(grep '^torch==' $<); fi
	.venv-$*/bin/python $(PIP_INSTALL) --requirement $<
	.venv-$*/bin/python $(PIP_INSTALL) --editable .
	touch $@
