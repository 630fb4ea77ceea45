PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := -m pip --disable-pip-version-check install -qq --no-compile
PIP := $(BIN)/python $(INSTALL) --editable
PORT ?= 8000
CORES ?= -n auto --dist worksteal
PYTHONS ?= python3.11 python3.12 python3.13

# What programs for torch and exported weights are run in. torch comes first and by number: the ranges that the other
# packages have for it would bring a build for GPUs, of gigabytes. After a change: rm -r .venv*
TORCH ?= torch==2.13.0
TRANSFORMERS ?= transformers==5.23.0
OLDEST_TRANSFORMERS ?= transformers==4.48.0
EINOPS ?= einops==0.8.2
TRITON ?= triton==3.9.0
FLA ?= flash-linear-attention==0.6.0 fla-core==0.6.0
MAMBA_SSM ?= mamba-ssm==2.3.2.post1
WITH_TRANSFORMERS := $(addprefix tests/export/,test_conform.py test_examples.py test_hf_mamba2.py test_standalone.py test_targets.py test_works.py)
KERNELS := $(addprefix tests/export/,test_fla.py test_fla_delta_net.py test_mamba_ssm.py)
NODE_MODULES ?= katex@0.16.47 pyodide@314.0.7 @fontsource/stix-two-math@5.3.0 @viz-js/viz@3.31.0 axe-core@4.14.1
EXPORT := .venv-export
VENVS := $(VENV) $(EXPORT) $(EXPORT)-oldest $(EXPORT)-triton

# pip skips byte-compiling all of sympy and jax; Python caches the modules it uses when it first runs.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help verdicts certificates test test-all test-cases test-times test-export test-strength dist devices fuzz gallery gallery-page tensor-rules bench tightness identify-attack lint checker mutants docs docs-serve test-docs figures export-tables reproduced clean FORCE

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

verdicts: build/.core ## check every claim (installs the core dependencies only)
	@$(BIN)/scanproof check

certificates: build/.test ## search for every proof again, and write the certificates of all rows
	@$(BIN)/scanproof check --from-scratch --save

test: build/.test ## run the tests of every kind that take minutes, before each commit
	@$(BIN)/pytest -rs --cpu-times=total $(LEDGER:%=--ledger=%) $(CORES)

test-times: build/.test ## run the same, and print the CPU seconds of each file and of the dearest tests
	@$(BIN)/pytest -q --cpu-times=files $(CORES)

# The minutes since the start are printed after each part, and say when the last tests may begin. The ledger is checked
# by `make test`; the last part reads what that gave. Options of tests/conftest.py are joined to their values by `=`: pytest
# reads its command before it knows them, and takes a value for a path to test if a file has its name.
test-all: LEDGER := build/ledger.json
test-all: build/.test ## run what CI runs: `make test`, exported weights in other codebases, the site, and the long tests
	@rm -f $(LEDGER); started=$$(date +%s); minutes() { echo $$(( ($$(date +%s) - started) / 60 )); }; set -e; \
	for part in test test-export test-docs; do $(MAKE) --no-print-directory $$part LEDGER=$(LEDGER); echo "$$part: $$(minutes) min so far"; done; \
	$(BIN)/pytest -rs -m "long or hypothesis or deeper" --cpu-times=total --ledger=$(LEDGER) $(CORES) \
	  $(addprefix --ignore=,tests/site $(WITH_TRANSFORMERS) $(KERNELS)) \
	  $(MINUTES:%=--minutes=$$(( % - $$(minutes) ))); echo "test-all: $$(minutes) min"

test-cases: build/.test ## run every case of the tables of programs of which test-all runs a sample
	@$(BIN)/pytest -rs -m sample --every-case --cpu-times=total $(CORES)

test-export: build/.export build/.export-oldest build/.export-triton ## run exported weights in other codebases, and Triton's kernels
	@$(EXPORT)/bin/pytest -rs -m "" $(WITH_TRANSFORMERS) $(CORES)
	@$(EXPORT)-oldest/bin/pytest -rs tests/export/test_hf_mamba2.py tests/export/test_conform.py $(CORES)
	@$(EXPORT)-triton/bin/pytest -rs -m "" tests/test_triton_door.py $(CORES)
	@$(EXPORT)-triton/bin/pytest -rs -m "" $(CORES) $(KERNELS) \
	  "tests/export/test_examples.py::test_a_script_prints_what_the_page_shows_and_keeps_its_bound[with_fla]" \
	  "tests/export/test_examples.py::test_a_script_prints_what_the_page_shows_and_keeps_its_bound[with_fla_delta_net]" \
	  "tests/export/test_examples.py::test_a_script_prints_what_the_page_shows_and_keeps_its_bound[with_mamba_ssm]"

test-strength: build/.test ## plant 40 faults in copies of the tree, and tell which `make test` catches; FAULTS="1 2" for some
	@PYTHONPATH=tests $(BIN)/python -m strength $(FAULTS)

dist: build/.dev ## build the wheel and the sdist, and try them in fresh environments of PYTHONS
	@rm -rf dist build/tree && mkdir -p build/tree && git archive HEAD | tar -x -C build/tree
	@$(BIN)/python -m build --outdir dist build/tree > build/dist.log 2>&1 || { cat build/dist.log; exit 1; }
	@SCANPROOF_DIST=dist SCANPROOF_PYTHONS="$(PYTHONS)" $(BIN)/pytest -m "" -rs tests/test_packaging.py

checker: ## pack the checker into build/scanproof_checker.pyz, which any Python runs by itself
	@rm -rf build/checker && mkdir -p build/checker/scanproof_checker
	@cp -r proofs/kernel proofs/inequalities build/checker/scanproof_checker
	@rm -rf build/checker/scanproof_checker/*/__pycache__
	@$(PYTHON) -m zipapp build/checker -m scanproof_checker.inequalities.__main__:main -p '/usr/bin/env python3' \
	  -o build/scanproof_checker.pyz
	@rm -r build/checker
	@echo "build/scanproof_checker.pyz"

fuzz: build/.test ## try the kernel on 100,000 random equations
	@PYTHONPATH=tests $(BIN)/python -m fuzzing

gallery: build/.test ## prove programs of the field equal, and try bugs planted in them
	@PYTHONPATH=tests $(BIN)/python -m gallery --bugs

gallery-page: build/.test ## check the claims of docs/gallery, and write its page
	@PYTHONPATH=tests $(BIN)/python -m gallery.page

bench: build/.test ## time the checks and the ops
	@$(BIN)/python -m scanproof.proofs.bench
	@$(BIN)/scanproof bench

tensor-rules: build/.test ## prove the rewrite rules of XLA that TensorRight verifies, and refute a false variant of each
	@PYTHONPATH=tests $(BIN)/python -m tensor_rules $(RULES)

devices: build/.test ## run the ops' tests on a CPU shown as 8 devices
	@XLA_FLAGS=--xla_force_host_platform_device_count=8 $(BIN)/pytest tests/test_ops*.py

tightness: build/.test ## try to break every bound by gradient ascent, and tell how near it comes
	@$(BIN)/python -m scanproof.numeric.studies.tightness --sizes 8 --starts 60 --steps 400

identify-attack: build/.test ## edit weights of every family at random, and recompute what identify says of them
	@EDITS=25 $(BIN)/pytest -q -m "" tests/test_identify_attack.py

lint: build/.dev ## check style, format and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/pyright

mutants: build/.core ## attack the theorems with mutants of their parameters
	@$(BIN)/scanproof attack

docs: build/.docs build/node/.installed checker ## build the site, build/site/index.html, from the certificates
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python docs/_site

docs-serve: ## serve the site that `make docs` has written, at http://localhost:PORT (8000)
	@test -f build/site/index.html || { echo "there is no site: try: make docs" >&2; exit 1; }
	@$(PYTHON) -m http.server --bind 127.0.0.1 --directory build/site $(PORT)

test-docs: docs ## try the site: its links, and every kind of page in Chromium where there is one
	@SCANPROOF_SITE=build/site PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pytest -rs $(CORES) -m "" tests/site

figures: build/.test ## draw the figures of the pages
	@$(BIN)/python -m scanproof.numeric.studies.pictures docs/figures

export-tables: build/.test ## write the tables of docs/export.md: what targets hold, and the step size at n examples
	@$(BIN)/python -m scanproof.numeric.studies.export_tables docs/export.md

reproduced: build/.test ## write the pages of expected losses and of trained models, with their pictures
	@$(BIN)/python -m scanproof.numeric.studies.reproduce docs

clean: ## remove the virtual environments, builds and caches
	rm -rf $(VENVS) build dist *.egg-info .pytest_cache .hypothesis .ruff_cache .coverage
	find constructs proofs numeric cli tests docs -name __pycache__ -prune -exec rm -rf {} +

$(VENVS:%=%/pyvenv.cfg):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "scanproof needs Python 3.11 or newer, but '$(PYTHON)' is" \
	    "$$($(PYTHON) --version 2>&1); try: make PYTHON=python3.12" >&2; exit 1; }
	@echo "creating $(@D)"
	@$(PYTHON) -m venv $(@D) || { rm -rf $(@D); exit 1; }

# The editable install is a tree of links under build/, made file by file: a new, renamed or removed
# file needs a new one. The stamps lie beside it, so that they go when it goes.
build/.files: FORCE
	@mkdir -p build
	@find constructs proofs numeric cli \( -name '*.py' -o -name '*.json' -o -name py.typed \) ! -path '*/certificates/*' \
	  | LC_ALL=C sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

build/.core: pyproject.toml build/.files $(VENV)/pyvenv.cfg
	@echo "setting up scanproof in $(VENV)"
	@$(PIP) .
	@touch $@

# Collecting the tests compiles all that they import, once and not in each of their processes.
build/.test build/.dev build/.docs: build/.%: pyproject.toml $(VENV)/pyvenv.cfg | build/.core
	@echo "setting up scanproof[$*] in $(VENV)"
	@$(BIN)/python $(INSTALL) '$(TORCH)'
	@$(PIP) '.[$*]' '$(EINOPS)'
	@[ $* != test ] || $(BIN)/pytest -qq --collect-only > build/collected.log 2>&1 || true
	@touch $@

# What makes formulas and graphs runs in Node, which is a package for Python too; the last is for the tests.
build/node/.installed: Makefile | build/.docs
	@echo "setting up $(NODE_MODULES) in build/node"
	@mkdir -p build/node
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm install --silent --no-fund --no-audit --prefix build/node $(NODE_MODULES)
	@touch $@

# The first runs every test of tests/export but those of kernels; the others need no JAX.
build/.export build/.export-oldest build/.export-triton: build/.%: pyproject.toml .venv-%/pyvenv.cfg | build/.core
	@echo "setting up scanproof[transformers] in .venv-$*"
	@.venv-$*/bin/python $(INSTALL) '$(TORCH)'
	@.venv-$*/bin/python $(INSTALL) $(WITH)
	@$(AFTER)
	@touch $@

build/.export: WITH = '$(TRANSFORMERS)' '$(EINOPS)' --editable '.[test,transformers]'
build/.export-oldest: WITH = '$(OLDEST_TRANSFORMERS)' pytest pytest-xdist hypothesis --editable '.[transformers]'
build/.export-triton: WITH = '$(TRANSFORMERS)' $(TRITON) $(EINOPS) $(FLA) wheel pytest pytest-xdist hypothesis --editable '.[transformers]'
# What mamba-ssm compiles for CUDA is for other layers; Triton's kernels run on a CPU too, in its interpreter.
build/.export-triton: AFTER = MAMBA_SKIP_CUDA_BUILD=TRUE MAMBA_FORCE_BUILD=TRUE \
	$(EXPORT)-triton/bin/python $(INSTALL) --no-deps --no-build-isolation $(MAMBA_SSM) \
	|| echo "$(MAMBA_SSM) cannot be installed here: the tests of that target are skipped"
