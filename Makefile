# The front door. A bare `make` explains.
.DEFAULT_GOAL := help
.PHONY: help program build page demo test sanitize fuzz bench format lint docs examples install packages wheels clean setup

PYTHON := .venv/bin/python

help: ## this list
	@echo "Shoal: clusters of any shape, released with differential privacy"
	@echo
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'
	@echo
	@echo "Start with: make demo"

setup:
	@scripts/bootstrap

program: ## build the program alone, in minutes on a new machine (build/bin/shoal)
	@scripts/program

build: setup ## build the page, the program, the library and the Python module (program: build/bin/shoal)
	@scripts/page
	@grep -qs 'SHOAL_BUILD_PYTHON:BOOL=ON' build/CMakeCache.txt || cmake --preset release >build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	@rm -f build.log
	@cmake --build --preset release -- --quiet

page: setup ## renew the page that is kept in web/built, after a change of web/ or of the public side
	@scripts/page --keep

demo: program ## find three spirals among 31,200 points, privately, and draw them
	@scripts/demo build/bin/shoal

test: build ## all tests: C++, program, Python oracles, examples, an installed package (ALL=1: also those that need Spark, S3, Iceberg, Weka, polars, GDAL, matplotlib)
	@scripts/bootstrap engines
	@$(if $(ALL),scripts/bootstrap tests)
	@ctest --preset release --progress
	@for folder in tests/oracles tests/program python/tests; do \
	  echo "$$folder"; PYTHONPATH=$(CURDIR)/build/python $(PYTHON) -m pytest -q --no-header -n auto --dist loadfile $$folder || exit 1; done
	@scripts/npm tests
	@echo "web/tests"; node --test --test-reporter=dot web/tests/
	@scripts/check-installed

sanitize: setup ## the C++ tests by clang, under address, undefined-behaviour and thread sanitizers (ALL=1: also those of evaluation)
	@scripts/sanitize $(if $(ALL),all)

fuzz: setup ## fuzz every target of fuzz/ (SECONDS=60 each; TARGETS=reading: one of them)
	@scripts/fuzz $(or $(SECONDS),60) $(TARGETS)

bench: build ## speed beside peers, answers checked first (SIZE=full: docs/performance.md; TASKS=noise: one of them)
	@scripts/bootstrap bench
	@scripts/bench $(or $(SIZE),small) $(TASKS)

format: ## format every source
	@scripts/bootstrap lint
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint: build ## clang-format, clang-tidy, ruff and mypy, as errors (CHANGED=1: clang-tidy on what changed)
	@scripts/lint $(if $(CHANGED),changed)

docs: build ## the documentation as a site that works offline, with the reference of C++ and Python: build/docs/index.html
	@scripts/reference

examples: build ## rerun every example that the documents show, and write what it prints
	@$(PYTHON) scripts/docs.py

install: program ## install the program and the library (PREFIX=/usr/local, or ~/.local for a user)
	@scripts/install $(PREFIX)

packages: program ## Debian packages, and a static program for any Linux: dist
	@scripts/package

wheels: setup ## the Python package as a source package and as a wheel for any Python from 3.10: dist
	@scripts/wheels

clean: ## remove what was built
	@rm -rf build build-debug build-asan build-tsan build-fuzz build-wheel dist out
