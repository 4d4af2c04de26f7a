# Everything runs in a virtual environment of its own; `make help` lists the targets.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
.DEFAULT_GOAL := help
.PHONY: help demo docs transcripts screenshots test fuzz soak coverage reproduce lint types bench dist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

demo: $(READY)-demo  ## run an active campaign on a simulated crowd, rank the items, say how far to trust it
	@mkdir -p demo
	$(BIN)/hodgerank simulate --items 12 --answers 400 --spread 2 --workers honest=12,random=2,position-biased=1 \
	  --pairs auto --seed 7 --output demo/votes.csv --truth demo/truth.csv
	$(BIN)/hodgerank describe demo/votes.csv
	$(BIN)/hodgerank rank demo/votes.csv --truth demo/truth.csv --output demo/ranking.html
	$(BIN)/hodgerank trust demo/votes.csv
	$(BIN)/hodgerank report demo/votes.csv --title "A simulated crowd" --output demo/report.html
	@echo "open demo/report.html in a browser"

test: $(READY)-test $(READY)-java $(READY)-chromium  ## run every test
	$(BIN)/python -m pytest -n auto

SEED    ?= 1
MINUTES ?= 3
fuzz: $(READY)-test  ## run the commands on random and damaged files; SEED=2 MINUTES=10 for others and for longer
	PYTHONPATH=tests $(BIN)/python -m fuzz --seed $(SEED) --minutes $(MINUTES)

soak: $(READY)-test  ## kill, fill disks, race and abandon for some minutes, and print what was found
	PYTHONPATH=tests $(BIN)/python -m soak

coverage: $(READY)-test $(READY)-java $(READY)-chromium  ## measure branch coverage; compiled kernels run as plain Python for it
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --cov --cov-report= --cov-fail-under=0 tests/kernels
	$(BIN)/python -m pytest -n auto --cov --cov-append --cov-report=term:skip-covered

reproduce: $(READY)-reproduce  ## regenerate every figure and table of the paper, with verdicts, in out/
	$(BIN)/hodgerank reproduce --output out

docs: $(READY)-docs  ## build the site in docs/_build/html, warnings being errors; LINKS=1 follows links to elsewhere
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(if $(LINKS),$(BIN)/python -m sphinx -W --keep-going -q -b linkcheck docs docs/_build/linkcheck)
	@echo "docs/_build/html/index.html"

transcripts: $(READY)-test  ## run the blocks of README and docs, and write what they print into the pages
	$(BIN)/python -m tests.docs.command_reference
	$(BIN)/python -m tests.docs.http_reference
	$(BIN)/python -m tests.docs.metrics_reference
	$(BIN)/python -m tests.docs.refresh

screenshots: $(READY)-test $(READY)-chromium  ## take the pictures of the server in docs/images anew, from its demonstration
	$(BIN)/python -m tests.docs.screenshots

lint: $(READY)-lint  ## check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)-lint  ## check types, strictly
	$(BIN)/mypy

bench:  ## time everything over sizes beside peers (twenty minutes), and write docs/scaling.*
	@$(MAKE) --no-print-directory VENV=.venv-bench .venv-bench/.ready-bench
	.venv-bench/bin/python -m benchmarks scaling

dist: $(READY)-dist  ## build sdist and wheel in dist/, look into them, and run the wheel in an empty environment
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	PYTHONPATH=tests $(BIN)/python -m release --dist dist --wheels $(VENV)/wheels

clean:  ## remove the virtual environment and everything generated
	rm -rf $(VENV) .venv-bench docs/_build demo out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hodgerank needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

# The tests of Spark need Java; where it cannot be installed they say so and are skipped.
$(READY)-java: | $(BIN)/python
	@command -v java >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  { apt-get update -qq; apt-get install -y -qq --no-install-recommends default-jre-headless; }; } || \
	  echo "no Java: the tests of Spark will be skipped" >&2
	@touch $@

# The tests of pages need a browser, and say so where it cannot be installed.
$(READY)-chromium: | $(BIN)/python
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  { apt-get update -qq; apt-get install -y -qq --no-install-recommends chromium; }; } || \
	  echo "NO CHROMIUM: nothing of the pages will be tested in a browser" >&2
	@touch $@

$(READY)-core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(READY)-%: pyproject.toml $(READY)-core | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@
