# Two commands do everything on a fresh machine: `make run` (the demo experiment and its report) and `make test`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The newest interpreter that is at least 3.11; PYTHON=... overrides it.
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

export LITELLM_LOCAL_MODEL_COST_MAP := True

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY) sandbox ## make .venv with the locked dependencies, and a sandbox

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "clibench needs Python 3.11 or newer: install it, or give its path as PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no venv module: install it (Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 2; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

sandbox: ## start a Docker engine where there is none and root can; else the local sandbox serves
	@if docker version >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then scripts/setup_docker.sh; \
	else echo "no Docker engine answers: runs take the local sandbox ('sudo scripts/setup_docker.sh' installs an engine)" >&2; fi

toolchains: ## Node and Go for the tests of the local sandbox
	@scripts/setup_toolchains.sh

run: setup ## grade the demo's submissions against the sample's nine tools, then write and show the report
	$(BIN)/python -m clibench -m +experiment=demo
	$(BIN)/python -m clibench report

test: setup toolchains ## all tests
	$(BIN)/python -m pytest

check: $(READY) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lock: ## renew requirements.lock from pyproject.toml
	env -u PIP_FIND_LINKS uv pip compile pyproject.toml --extra dev --extra agents --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock

clean: ## remove outputs, .venv and caches
	rm -rf outputs $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache

.PHONY: help setup sandbox toolchains run test check lock clean
