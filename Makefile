# One virtual environment, made once; every target brings what it needs.
PYTHON ?= python3
VENV   ?= .venv
RUN     = $(VENV)/bin/python
TESTS  ?= tests

.PHONY: help demo test lint format bench clean

help:
	@echo "make demo    load real data into DuckDB, project it by SQL, show what is kept"
	@echo "make test    the whole test suite"
	@echo "make lint    formatter, linter and types"
	@echo "make bench   every bar of speed measured: ratios against fetching, a library, and writing back; plain copies"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/.ready: pyproject.toml | $(VENV)/bin/python
	PYTHONWARNINGS=ignore $(RUN) -m pip install --quiet --editable '.[demo,test,lint,plot]'
	@touch $@

demo: $(VENV)/.demo
	$(RUN) examples/demo.py

test: $(VENV)/.ready
	$(RUN) -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(TESTS)

lint: $(VENV)/.ready
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

format: $(VENV)/.ready
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: $(VENV)/.ready
	$(RUN) tests/bench/run.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build
