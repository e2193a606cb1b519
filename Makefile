# `make studio`, `make play` and `make test` do all their own set-up, in .venv; the second time they start at once.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: studio play test check clean setup setup-train bench

studio: setup
	$(BIN)/lactic studio

play: setup
	$(BIN)/lactic play pace --seconds 30 --out out/pace

test: setup-train
	$(BIN)/ruff check lactic tests bench
	$(BIN)/ruff format --check --quiet lactic tests bench
	$(BIN)/mypy
	$(BIN)/pytest -q -m "not slow and not gpu"

bench: setup-train
	$(BIN)/python bench/step.py

setup: .venv/play.stamp
setup-train: .venv/train.stamp

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/play.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .[film]
	touch $@

.venv/train.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .[film,train,muscle,plan,dev]
	touch $@ .venv/play.stamp

clean:
	rm -rf .venv out build *.egg-info
