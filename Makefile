# `make studio`, `make play` and `make test` do all their own set-up, in .venv; the second time they start at once.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: studio play test wheel clean setup setup-train bench

studio: setup
	$(BIN)/lactic studio

play: setup
	$(BIN)/lactic play pace --seconds 30 --out out/pace

test: setup-train
	$(BIN)/ruff check lactic tests bench
	$(BIN)/ruff format --check --quiet lactic tests bench
	$(BIN)/mypy
	$(BIN)/pytest -q -m "not slow and not gpu"

# dist/*.whl; then pip installs it and what it needs into a new environment, which plays far from the repository
wheel: .venv/bin/python
	rm -rf build dist trial
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(PYTHON) -m venv trial
	trial/bin/pip install --quiet --disable-pip-version-check dist/*.whl
	cd trial && bin/lactic play pace --seconds 5 --no-film --out out
	du -h --apparent-size dist/*.whl && du -sh trial/lib
	rm -rf build trial

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
	rm -rf .venv out build dist trial *.egg-info
