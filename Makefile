# `make bench` and `make test` do all the set-up they need; a second run installs nothing.
# GNU make 3.81 (macOS) is enough.

VENV := .venv
BIN := $(VENV)/bin
# A Python >= 3.11 to use instead of the first of python3.13, python3.12, python3.11, python3.
PYTHON ?=
MODEL ?= oracle
# Further arguments: make bench ARGS="--trials 3", make test ARGS="-k anchoring".
ARGS ?=
# Test processes at once, each with a browser of its own; make test ARGS="-n 0 --pdb" has none beside it.
JOBS ?= 3

# A person's pip and Python settings must not lead out of the virtual environment.
unexport PYTHONHOME PYTHONPATH
# The tests start hundreds of processes: the package is compiled for the first of them only.
unexport PYTHONDONTWRITEBYTECODE
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1
PIP := $(BIN)/python -m pip --no-input install -qq

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup bench dist test nightly lint types sites docs guards measure peers faults escapes train-smoke clean

help:  ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*##/\1:/p' Makefile | awk -F: '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(VENV)/.runtime $(VENV)/.browser $(VENV)/.dev  ## install everything that bench and test need

bench: $(VENV)/.runtime $(VENV)/.browser  ## run the 21 cases offline with the reference agent (no key)
	$(BIN)/python -m verifaible.bench --model $(MODEL) $(ARGS)

# setuptools puts what a former build left into the next wheel.
dist: $(VENV)/.created  ## build the wheels of verifaible and verifaible-cases into dist/
	@rm -rf build dist packaging/cases/build
	@$(BIN)/python -m pip wheel -q --no-deps -w dist . ./packaging/cases
	@ls dist

test: lint $(VENV)/.browser  ## run every check, and tests of every kind (CONTRIBUTING.md)
	$(BIN)/python -m pytest -n $(JOBS) -m "not nightly" $(ARGS)

nightly: lint $(VENV)/.browser  ## run every check and every test
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

lint: $(VENV)/.dev  ## check style, layers, types and the offline web
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory -j 2 types sites

# The two that take long, each on a processor of its own.
types:
	$(BIN)/mypy

sites:
	$(BIN)/python -m scripts.replica check

docs: $(VENV)/.dev  ## write the generated parts of docs/, and build the site (strict about links)
	$(BIN)/python -m scripts.reference
	$(BIN)/zensical build --strict

guards: $(VENV)/.dev $(VENV)/.browser  ## measure what the tests catch: seeded faults, and a sample of mutants (resumable)
	$(BIN)/python -m scripts.guards $(ARGS)

measure: $(VENV)/.dev $(VENV)/.browser  ## measure everything (accuracy, drift, speed, ...), a file a part, into docs/results/now (resumable)
	$(BIN)/python -m scripts.measure $(ARGS)

# None of it is needed by anything else; the Chromium that we use is theirs too.
peers:  ## install the tools that the speed part measures beside ours, into .peers (needs npm)
	@sh scripts/make_venv.sh .peers/venv "$(PYTHON)"
	@.peers/venv/bin/python -m pip --no-input install -qq crawl4ai shot-scraper
	@PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --prefix .peers --no-audit --no-fund --loglevel=error @playwright/mcp single-file-cli

faults: $(VENV)/.dev $(VENV)/.browser  ## let a cluster fail under runs of the bench (ARGS=--write: into docs/results/cluster.md)
	$(BIN)/python -m scripts.faults $(ARGS)

escapes: $(VENV)/.dev  ## try to get out of the sandbox for programs
	$(BIN)/python -m scripts.sandbox_escapes

# It has a virtual environment of its own: nothing else needs torch.
train-smoke:  ## train a tiny random model on a toy task, on a CPU
	@sh scripts/make_venv.sh .train "$(PYTHON)"
	@.train/bin/python -m pip --no-input install -qq torch==2.13.0 "transformers>=5" "peft>=0.21"
	.train/bin/python -W ignore -m training.smoke

clean:  ## remove the virtual environment and caches; cases, archives, runs and the store stay
	rm -rf $(VENV) .peers .train build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf packaging/cases/build packaging/cases/*.egg-info
	find scripts tests verifaible -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps: each is newer than what it was made from, or is made again.

$(VENV)/.created:
	@sh scripts/make_venv.sh $(VENV) "$(PYTHON)"
	@touch $@

$(VENV)/.runtime: $(VENV)/.created requirements.txt pyproject.toml
	@echo "Installing what verifaible needs"
	@$(PIP) -r requirements.txt
	@$(PIP) --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.txt
	@echo "Installing what the checks need"
	@$(PIP) -r requirements-dev.txt
	@touch $@

$(VENV)/.browser: $(VENV)/.runtime verifaible/browser/chromium/setup.py
	@$(BIN)/verifaible setup --system
	@touch $@
