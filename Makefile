# One virtual environment, made once; every target brings what it needs.
PYTHON ?= python3
VENV   ?= .venv
RUN     = $(VENV)/bin/python
# Errors alone are shown: warnings are about pip's own settings, and about editable installations.
INSTALL = PYTHONWARNINGS=ignore $(RUN) -m pip install -qq --disable-pip-version-check --editable
TESTS  ?= tests
# The tests start many processes, which are faster with compiled modules on disk. A file of tests is run by one process.
PYTEST  = env -u PYTHONDONTWRITEBYTECODE $(RUN) -m pytest --dist loadfile --no-loadscope-reorder
SECONDS ?= 600
KILLS  ?= 500
MUTANTS ?= 200
SEED   ?=
NATIVE  = $(wildcard native/*.c native/*.h)

.PHONY: help demo site test test-all fuzz sanitize faults owners records lint format native extension sql bench matrix release mutants clean

help:
	@echo "make demo    load real data into DuckDB, project it by SQL, show what is kept"
	@echo "make site    the guide, the reference and the playground as a folder of pages: build/site; needs npm"
	@echo "make test    the tests on DuckDB and SQLite: some minutes, with nothing but Python and make"
	@echo "make test-all  all tests, on every engine"
	@echo "make fuzz    random cases against exact formulas on every engine, for SECONDS=600; SEED=1 draws the same ones again"
	@echo "make sanitize  random programs and chunks for the kernel and the extension, with sanitizers: CASES=5000, SEED=0"
	@echo "make lint    formatter, linter and types"
	@echo "make native  compile the native library again; needs a C compiler"
	@echo "make extension  compile DuckDB's extension sqlrp; needs a C compiler"
	@echo "make sql     write sql/postgresql.sql and sql/duckdb.sql from their parts, and the macros as a file that install copies"
	@echo "make faults  every fault at every point of every call that writes, then 500 kills (KILLS, SEED): many minutes"
	@echo "make owners  random calls against a model of who owns what, STEPS=10000 on each engine (SEED)"
	@echo "make records  every part of every kept record altered to every wrong value, for every call: hours (ENGINE, PART=1/8, VALUES=64)"
	@echo "make mutants  changes of the code that the tests should find: MUTANTS=200 of them, SEED=0"
	@echo "make matrix  the wheel on every Python at hand, with the lowest and the newest version of each dependency"
	@echo "make release  the checklist of a release; DRY=1 changes nothing and says what is missing, ADDRESS=https://… is where it stands"
	@echo "make bench   every bar of speed measured: ratios against fetching, a library, and writing back; plain copies (ENGINE=spark)"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml setup.py $(NATIVE) | $(VENV)/bin/python
	$(INSTALL) '.[demo]' --no-compile
	@touch $@

# The site has an environment of its own, so that what the extra `docs` lacks is not found in that of the tests.
$(VENV)-docs/.ready: pyproject.toml setup.py $(NATIVE)
	$(PYTHON) -m venv $(VENV)-docs
	$(MAKE) --no-print-directory VENV=$(VENV)-docs $(VENV)-docs/.docs
	@touch $@

$(VENV)/.docs: pyproject.toml setup.py $(NATIVE) | $(VENV)/bin/python
	$(INSTALL) '.[docs]'
	@touch $@

$(VENV)/.test: pyproject.toml setup.py $(NATIVE) | $(VENV)/bin/python
	$(INSTALL) '.[test]'
	@touch $@

$(VENV)/.ready: pyproject.toml setup.py $(NATIVE) | $(VENV)/bin/python
	$(INSTALL) '.[demo,docs,test-all,lint,plot,release]'
	@touch $@ $(VENV)/.test

demo: $(VENV)/.demo
	$(RUN) examples/demo.py

site: $(VENV)-docs/.ready
	$(VENV)-docs/bin/python docs/builder/site.py

# What a change may break, within minutes. What a test needs beyond Python and pip's packages is left out, and so is said.
test: $(VENV)/.test
	SQLRP_ENGINES=duckdb,sqlite SQLRP_STEP=3 $(PYTEST) -n auto --maxprocesses 4 -m "not slow" $(TESTS)

test-all: $(VENV)/.ready
	$(PYTEST) -n 3 $(TESTS)

fuzz: $(VENV)/.ready
	$(RUN) tests/support/fuzz.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

sanitize: $(VENV)/.ready
	SQLRP_WRONG_PROGRAMS=$(or $(CASES),5000) $(RUN) -m pytest -q tests/evaluator/test_native.py -k arrays_only
	$(RUN) tests/support/extensions.py --cases $(or $(CASES),5000) --seed $(or $(SEED),0)

lint: $(VENV)/.ready
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/actionlint

format: $(VENV)/.ready
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

native: | $(VENV)/bin/python
	$(INSTALL) . --no-deps

extension: $(VENV)/.demo
	$(RUN) sql/extension/build.py

sql: $(VENV)/.ready
	$(RUN) sql/build.py
	$(RUN) sql/copied.py

bench: $(VENV)/.ready
	$(RUN) tests/bench/run.py $(if $(ENGINE),--engine $(ENGINE))

matrix: $(VENV)/.ready
	$(RUN) release/matrix.py

release: $(VENV)/.ready
	$(RUN) release/release.py $(if $(DRY),--dry-run) $(if $(ADDRESS),--address $(ADDRESS))

faults: $(VENV)/.ready
	SQLRP_EVERY_FAULT=1 $(RUN) -m pytest -n 3 tests/store/test_faults.py tests/store/test_disk_full.py
	$(RUN) tests/support/kills.py --kills $(KILLS) --seed $(or $(SEED),0)
	$(RUN) tests/support/kills_at_once.py --kills $(KILLS) --seed $(or $(SEED),0)

owners: $(VENV)/.ready
	$(RUN) tests/support/owners.py --steps $(or $(STEPS),10000) --seed $(or $(SEED),0)

records: $(VENV)/.ready
	for engine in $(or $(ENGINE),duckdb postgresql); do \
		$(RUN) tests/support/records.py --engine $$engine --part $(or $(PART),1/1) --values $(or $(VALUES),64) \
		|| exit 1; done

mutants: $(VENV)/.ready
	$(RUN) tests/support/mutants.py --mutants $(MUTANTS) --seed $(or $(SEED),0)

clean:
	rm -rf $(VENV) $(VENV)-docs .pytest_cache .mypy_cache .ruff_cache .hypothesis build
