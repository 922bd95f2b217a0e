# Everything starts here: `make demo` to see it work, `make test` to check it all.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ANY_PYTHON := $(or $(wildcard $(BIN)/python),$(PYTHON))
PORT ?= 54322
TORCH_PYTHON ?= python3
DEMO_HOME ?= .demo
DEMO_ARGS ?=
# Two of the five are for the tests on Slurm, which mostly wait (tests/conftest.py).
PYTEST_ARGS ?= -n 5 --dist loadgroup --durations=30
# Tests start many processes: what they import is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help new-python demo test test-gpu test-containers test-kubernetes test-fast lint web web-check format docs constraints benchmarks chaos packages train-env clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What `make demo` needs, and what the tests need too. Each is one installation: pip takes a minute for each.
$(VENV)/run.stamp: EXTRAS :=
$(VENV)/dev.stamp: EXTRAS := [dev]
$(VENV)/run.stamp $(VENV)/dev.stamp: pyproject.toml constraints.txt | new-python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.$(EXTRAS)'
	@touch $(VENV)/run.stamp $@

new-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Paddock needs Python 3.11 or newer: make PYTHON=python3.11 ...")'

demo: $(VENV)/run.stamp ## Start the server and run a sample sweep in it (PORT=54322)
	@$(BIN)/python tools/demo.py --port $(PORT) --home $(DEMO_HOME) $(DEMO_ARGS)

packages: # install what tests need from the system, if we may
	@$(PYTHON) tools/packages.py

test: ## Install what the tests need, check everything, run all tests
	@# Side by side: each of these keeps one processor busy.
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target packages train-env lint web-check
	$(BIN)/python -m tools.run_tests $(PYTEST_ARGS)

train-env: new-python # what tests with frameworks use
	@echo "== training environment (TensorFlow, PyTorch): made once, then kept" && $(ANY_PYTHON) tools/train_env.py

test-gpu: $(VENV)/dev.stamp ## Test GPU sharing on this machine's NVIDIA GPU (TORCH_PYTHON=a Python with PyTorch)
	PADDOCK_TEST_GPU=1 TORCH_PYTHON="$(TORCH_PYTHON)" $(BIN)/python -m pytest -s -v tests/gpu

test-kubernetes: $(VENV)/dev.stamp ## Test the Kubernetes backend on a real control plane (built once from Debian 12's source: 10 minutes)
	@echo "== control plane: built once, then kept" && $(BIN)/python tools/kubernetes.py
	PADDOCK_TEST_KUBERNETES=1 $(BIN)/python -m pytest -v --durations=10 tests/kubernetes

test-fast: $(VENV)/dev.stamp ## Run the tests that need no training framework
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "not frameworks"

lint: $(VENV)/dev.stamp ## Check style, types, imports and the limits of tools/house.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/house.py --check

web: $(VENV)/dev.stamp ## Build the page if its sources have changed
	@$(BIN)/python tools/web.py build

web-check: $(VENV)/dev.stamp # lint, types, unit tests and size of the browser page
	@$(BIN)/python tools/web.py check

format: $(VENV)/dev.stamp ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/dev.stamp ## Write the reference pages again
	$(BIN)/python tools/reference.py

benchmarks: $(VENV)/dev.stamp ## Measure and print all figures (on Slurm: root only)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[benchmarks]'
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.elastic
	$(BIN)/python -m benchmarks.elastic --level 2 --seeds 2
	$(BIN)/python -m benchmarks.resize
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.slurm
	$(BIN)/python -m benchmarks.search
	$(BIN)/python -m benchmarks.elastic_helper
	$(BIN)/python -m benchmarks.estimates
	$(BIN)/python -m benchmarks.containers

test-containers: $(VENV)/dev.stamp packages ## Run jobs in images of Charliecloud, Apptainer and Podman (CONTAINERS_ARGS=an engine)
	$(BIN)/python -m tests.containers $(CONTAINERS_ARGS)

chaos: $(VENV)/dev.stamp packages ## Kill everything that can be killed during a sweep on a real Slurm, and check the result (root; CHAOS_ARGS=...)
	$(BIN)/python -m tests.chaos $(CHAOS_ARGS)

constraints: $(VENV)/dev.stamp ## Choose the newest versions of all dependencies
	$(BIN)/uv pip compile --quiet --universal --upgrade --python-version 3.11 --extra dev --no-header --no-annotate \
		--no-emit-index-url pyproject.toml -o constraints.txt
	@sed -i '1i # Versions used in development and tests. Made by `make constraints`.' constraints.txt

clean: ## Remove what was made here
	rm -rf web/node_modules src/paddock/web_dist screenshots $(VENV) $(DEMO_HOME) .mypy_cache .ruff_cache .hypothesis .import_linter_cache
