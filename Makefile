# Everything runs in a virtual environment of its own; `make help` lists the targets.
#
#   PYTHON       which Python to use; an environment made by another one is replaced
#   VENV         the folder of the environment
#   CONSTRAINTS  the versions to install; empty for the newest
#   PYTEST_ARGS  what else to tell pytest
#   WORKERS      how many tests run at once
PYTHON      ?= python3
VENV        ?= .venv
CONSTRAINTS ?= constraints.txt
PYTEST_ARGS ?=
# One more than cores, since many tests wait for a browser, a server or a process.
WORKERS     ?= $(shell $(PYTHON) -c 'import os; print(min((os.cpu_count() or 1) + 1, 8))')

BIN   := $(VENV)/bin
READY := $(VENV)/.ready
# A default `python3` does not replace an environment that another Python made.
KEEP  := $(if $(filter file,$(origin PYTHON)),--keep)
SETUP  = $(PYTHON) tools/environment.py $(VENV) $(KEEP) $(if $(CONSTRAINTS),--constraints $(CONSTRAINTS))
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# What `make test` leaves to `make test-all`: tests marked slow, and most examples of hypothesis.
QUICK := -m "not slow" --hypothesis-profile=quick
# The extras that the tests use; Spark and Dask, which are large, only in test-all.
EXTRAS := datasets,excel,llm,postgres,server,duckdb,reproduce
comma  := ,
# The tests that need neither a server, a browser nor a database.
CORE  := $(addprefix tests/,test_doctests.py kernels data graph estimators sampling collecting plotting reporting)

# Some machines set this; every command that the tests start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-core test-pythons test-latest test-lowest fuzz soak coverage \
  lint types metrics docs transcripts screenshots reproduce bench bench-check dist lock clean FORCE

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(READY)-demo  ## show the whole of it on a simulated crowd: votes, ranking, workers, demo/report.html
	@$(BIN)/hodgerank demo --output demo

test: $(READY)-test $(READY)-chromium $(READY)-fonts  ## run the tests (about five minutes); PYTEST_ARGS="tests/cli -x" for some of them
	$(PYTEST) $(QUICK) $(PYTEST_ARGS)

test-all: $(READY)-test-all $(READY)-chromium $(READY)-fonts $(READY)-java  ## run every test, with Spark, Dask and the slow ones
	$(PYTEST) $(PYTEST_ARGS)

test-core: $(READY)-test  ## run the tests that need no server, browser or database
	$(PYTEST) $(QUICK) $(CORE) $(PYTEST_ARGS)

test-pythons:  ## run test-core on every other Python that is found, from 3.11 on, each in its own environment
	@this=$$($(PYTHON) -c 'import sys; print("{}.{}".format(*sys.version_info))'); \
	$(PYTHON) tools/environment.py --find-pythons | while read -r python; do \
	  version=$${python##*python}; \
	  [ $$version = $$this ] || $(MAKE) --no-print-directory test-core PYTHON="$$python" VENV=.venv-$$version || exit 1; \
	done

test-latest:  ## run the tests with the newest releases of all dependencies
	@rm -f .venv-latest/.ready-test
	@$(MAKE) --no-print-directory test VENV=.venv-latest CONSTRAINTS=

test-lowest: $(READY)-lock  ## run the tests with the oldest releases that pyproject.toml allows
	$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --resolution lowest-direct --only-binary :all: --no-annotate \
	  --python $(BIN)/python $(addprefix --extra ,$(subst $(comma), ,$(EXTRAS))) --group build --group test --output-file .venv-lowest.txt
	@$(MAKE) --no-print-directory test VENV=.venv-lowest CONSTRAINTS=.venv-lowest.txt

SEED    ?= 1
MINUTES ?= 3
fuzz: $(READY)-test  ## run the commands on random and damaged files; SEED=2 MINUTES=10 for others and for longer
	PYTHONPATH=tests $(BIN)/python -m fuzz --seed $(SEED) --minutes $(MINUTES)

soak: $(READY)-test  ## kill, fill disks, race and abandon for some minutes, and print what was found
	PYTHONPATH=tests $(BIN)/python -m soak

coverage: $(READY)-test-all $(READY)-chromium $(READY)-fonts $(READY)-java  ## measure branch coverage; compiled kernels run as plain Python for it
	NUMBA_DISABLE_JIT=1 $(PYTEST) --cov --cov-report= --cov-fail-under=0 tests/kernels
	$(PYTEST) --cov --cov-append --cov-report=term:skip-covered

lint: $(READY)-lint  ## check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)-lint  ## check types, strictly
	$(BIN)/mypy

metrics: $(READY)-test  ## measure the source: files, imports, long functions, files touched; BASE=COMMIT for another one beside it
	@$(BIN)/python tools/metrics.py $(if $(BASE),--base $(BASE))

docs: $(READY)-docs  ## build the site in docs/_build/html, warnings being errors; LINKS=1 follows links to elsewhere
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(if $(LINKS),$(BIN)/python -m sphinx -W --keep-going -q -b linkcheck docs docs/_build/linkcheck)
	@echo "docs/_build/html/index.html"

transcripts: $(READY)-test-all $(READY)-java  ## run the blocks of README and docs, and write what they print into the pages
	$(BIN)/python -m tests.docs.command_reference
	$(BIN)/python -m tests.docs.http_reference
	$(BIN)/python -m tests.docs.metrics_reference
	$(BIN)/python -m tests.docs.refresh

screenshots: $(READY)-test $(READY)-chromium  ## make the pictures in docs/images again: a ranking, and the server with its demonstration
	$(BIN)/python -m tests.docs.screenshots

reproduce: $(READY)-reproduce  ## regenerate every figure and table of the paper, with verdicts, in out/
	$(BIN)/hodgerank reproduce --output out

# Benchmarks run beside peers, in an environment of their own.
BENCH_READY = $(MAKE) --no-print-directory VENV=.venv-bench CONSTRAINTS=benchmarks/constraints.txt .venv-bench/.ready-bench

bench:  ## time everything over sizes beside peers (half an hour), and write docs/scaling.* and what bench-check compares with
	@$(BENCH_READY)
	.venv-bench/bin/python -m benchmarks scaling
	.venv-bench/bin/python -m benchmarks.check --record

bench-check:  ## time what is used most (two minutes), and fail if anything is slower than recorded; ROWS=samplers for some of it
	@$(BENCH_READY)
	.venv-bench/bin/python -m benchmarks.check $(ROWS)

dist: $(READY)-dist  ## build sdist and wheel in dist/, look into them, and run the wheel in an empty environment
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	PYTHONPATH=tests $(BIN)/python -m release --dist dist --wheels $(VENV)/wheels --constraints $(CONSTRAINTS)

# One file for every Python: where a release does not support all of them, lines carry markers.
COMPILE = $(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock"
lock: $(READY)-lock  ## renew constraints.txt with the newest releases; then run make test-all
	$(COMPILE) --all-extras $(addprefix --group ,build test docs lint dist lock) --output-file constraints.txt
	$(COMPILE) $(addprefix --extra ,plot duckdb campaign) $(addprefix --group ,build bench) --output-file benchmarks/constraints.txt

clean:  ## remove the virtual environments and everything generated
	rm -rf .venv .venv-* docs/_build demo out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov

# What each target needs: extras of the package and groups of pyproject.toml.
$(READY)-demo:      INSTALL := --editable .[plot]
$(READY)-reproduce: INSTALL := --editable .[reproduce]
$(READY)-test:      INSTALL := --editable .[$(EXTRAS)] --group test
$(READY)-test-all:  INSTALL := --editable .[$(EXTRAS),dask,spark] --group test
$(READY)-lint:      INSTALL := --editable .[postgres,server] --group lint
$(READY)-docs:      INSTALL := --editable .[plot] --group docs
$(READY)-dist:      INSTALL := --editable . --group dist
$(READY)-lock:      INSTALL := --group lock
$(READY)-bench:     INSTALL := --editable .[plot,duckdb,campaign] --group bench

$(READY)-demo $(READY)-reproduce $(READY)-test $(READY)-test-all $(READY)-lint $(READY)-docs $(READY)-dist \
$(READY)-lock $(READY)-bench: $(VENV)/.python pyproject.toml $(CONSTRAINTS)
	@$(SETUP) -- $(INSTALL)
	@touch $@

$(READY)-chromium: | $(VENV)/.python
	@$(SETUP) --program chromium chromium-headless-shell chromium-browser google-chrome \
	  --package chromium-headless-shell \
	  --purpose "the pages are not tested in a browser"
	@touch $@

# The widest font in common use, the narrowest, and one with Chinese characters.
$(READY)-fonts: | $(VENV)/.python
	@$(SETUP) --font DejaVuSans-Bold.ttf --package fonts-dejavu-core --purpose "charts are not tested with wide letters"
	@$(SETUP) --font LiberationSans-Regular.ttf --package fonts-liberation --purpose "charts are not tested with narrow letters"
	@$(SETUP) --font wqy-microhei.ttc --package fonts-wqy-microhei --purpose "charts are not tested with Chinese letters"
	@touch $@

$(READY)-java: | $(VENV)/.python
	@$(SETUP) --program java --package default-jre-headless --purpose "reading from Spark is not tested"
	@touch $@

# Always looked at, replaced only when PYTHON is another one than before.
$(VENV)/.python: FORCE
	@$(SETUP)

FORCE:
