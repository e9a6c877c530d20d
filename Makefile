# Every errand of a developer, from a fresh clone: each target sets up what it needs in .venv and build/.
#   make demo · make test · make bench · make sanitize · make docs · make format · make lint · make clean

PYTHON ?= $(shell sh tools/preflight.sh --which-python)
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# Folders are listed too: their time changes when a file comes or goes.
SOURCES := pyproject.toml CMakeLists.txt $(shell find core/include core/src bindings 2>/dev/null)
TEST_SOURCES := $(shell find core/tests 2>/dev/null)
CXX_FILES := $(shell find core bindings -name '*.hpp' -o -name '*.cpp' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help install demo test test-core test-python bench sanitize docs format lint clean
.SUFFIXES:

help:
	@sed -n '1,2p' Makefile | sed 's/^# *//'

$(VENV)/.created: tools/preflight.sh
	@sh tools/preflight.sh "$(PYTHON)"
	@echo "Making $(VENV)"
	@"$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade pip
	@touch $@

$(VENV)/.build-tools: $(VENV)/.created pyproject.toml
	@echo "Installing the build tools"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check "scikit-build-core>=1.0" "nanobind>=3.1" "cmake>=3.20" ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.build-tools $(SOURCES)
	@sh tools/preflight.sh "$(PYTHON)"
	@echo "Building palmette and installing it into $(VENV) (the first time takes a minute or two)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation \
		-C build-dir=build/editable -e ".[plot,pandas]"
	@touch $@

$(VENV)/.developer: pyproject.toml | $(VENV)/.installed
	@echo "Installing the developer's tools"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation \
		-C build-dir=build/editable -e ".[dev]"
	@touch $(VENV)/.installed $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.installed
	@echo "Installing the tools of the documentation"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation \
		-C build-dir=build/editable -e ".[docs]"
	@touch $(VENV)/.installed $@

install: $(VENV)/.installed

demo: $(VENV)/.installed
	@$(BIN)/python examples/demo.py

build/core/palmette_core_tests: $(VENV)/.build-tools $(SOURCES) $(TEST_SOURCES)
	@sh tools/preflight.sh "$(PYTHON)"
	@mkdir -p build
	@$(BIN)/cmake -S . -B build/core -DPALMETTE_PYTHON=OFF -DPALMETTE_TESTS=ON > build/core.log || { cat build/core.log; exit 1; }
	@$(BIN)/cmake --build build/core --parallel $(JOBS) -- --no-print-directory
	@touch $@

test-core: build/core/palmette_core_tests
	build/core/palmette_core_tests

test-python: $(VENV)/.installed $(VENV)/.developer
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test: test-core test-python

bench: $(VENV)/.installed $(VENV)/.developer
	@for script in benchmarks/*_speed.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

sanitize: $(VENV)/.installed $(VENV)/.developer
	bash tools/sanitize.sh $(BIN)/python

docs: $(VENV)/.installed $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs
	@echo "The documentation is in build/docs/index.html"

format: $(VENV)/.developer
	$(BIN)/ruff check -q --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

lint: $(VENV)/.installed $(VENV)/.developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

clean:
	rm -rf $(VENV) build dist docs/_build src/palmette/_core.pyi .mypy_cache .pytest_cache .ruff_cache .hypothesis
