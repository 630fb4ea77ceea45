PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --no-compile --editable

# pip skips byte-compiling all of sympy and jax; Python caches the modules it uses when it first runs.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help verdicts test devices fuzz bench tightness cutoff lint mutants errata derivations figures clean FORCE

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

verdicts: build/.core ## check every claim (installs the core dependencies only)
	@$(BIN)/scanproof check

test: build/.test ## run the tests
	@$(BIN)/pytest

fuzz: build/.test ## try the kernel on 100,000 random equations
	@PYTHONPATH=tests $(BIN)/python -m fuzzing

bench: build/.test ## time the checks and the lanes
	@$(BIN)/python -m scanproof.proofs.bench
	@$(BIN)/scanproof bench

devices: build/.test ## run the lanes' tests on a CPU shown as 8 devices
	@XLA_FLAGS=--xla_force_host_platform_device_count=8 $(BIN)/pytest tests/test_lane*.py tests/test_delta_bounds.py tests/test_recurrent_lane.py

tightness: build/.test ## try to break every bound by gradient ascent, and tell how near it comes
	@$(BIN)/python -m scanproof.numeric.tightness --sizes 8 --starts 60 --steps 400

cutoff: build/.core ## prove claims for all sizes a second way, without the kernel
	@$(BIN)/python -m scanproof.proofs.cutoffs

lint: build/.dev ## check style, format and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/pyright

mutants: build/.core ## attack the theorems with mutants of their parameters
	@$(BIN)/scanproof attack

errata: build/.core ## write the errata pages
	@$(BIN)/scanproof errata --output docs/errata

derivations: build/.core ## write the pages of derivations
	@$(BIN)/scanproof derivations --output docs/derivations

figures: build/.test ## draw the figures of the pages
	@$(BIN)/python -m scanproof.numeric.plots docs/figures

clean: ## remove the virtual environment, builds and caches
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .hypothesis .ruff_cache .coverage
	find constructs proofs numeric cli tests docs -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "scanproof needs Python 3.11 or newer, but '$(PYTHON)' is" \
	    "$$($(PYTHON) --version 2>&1); try: make PYTHON=python3.12" >&2; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# The editable install is a tree of links under build/, made file by file: a new, renamed or removed
# file needs a new one. The stamps lie beside it, so that they go when it goes.
build/.files: FORCE
	@mkdir -p build
	@find constructs proofs numeric cli \( -name '*.py' -o -name '*.json' -o -name py.typed \) \
	  | LC_ALL=C sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

build/.core: pyproject.toml build/.files $(VENV)/pyvenv.cfg
	@echo "setting up scanproof in $(VENV)"
	@$(PIP) .
	@touch $@

build/.test build/.dev: build/.%: pyproject.toml $(VENV)/pyvenv.cfg | build/.core
	@echo "setting up scanproof[$*] in $(VENV)"
	@$(PIP) '.[$*]'
	@touch $@
