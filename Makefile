# `make studio`, `make play` and `make test` do all their own set-up, in .venv; the second time they start at once.
PYTHON ?= python3
BIN := .venv/bin
# one release of the range in pyproject.toml, so that the newest one cannot break the tests
TORCH ?= 2.13.0

.PHONY: studio play site test check wheel clean setup setup-train bench

studio: setup
	$(BIN)/lactic studio

play: setup
	$(BIN)/lactic play pace --seconds 30 --out out/pace

site: setup web/node_modules/.stamp
	node web/build.mjs
	$(BIN)/python web/data.py web/dist
	@echo "web/dist is the page; try it: python3 -m http.server -d web/dist"

web/node_modules/.stamp: web/package.json web/package-lock.json
	@command -v npm >/dev/null || { echo "make site: npm is missing; install Node.js 20 or newer" >&2; exit 2; }
	npm ci --prefix web --no-audit --no-fund --loglevel error
	touch $@

test: setup-train
	$(BIN)/ruff check lactic tests bench examples web
	$(BIN)/ruff format --check --quiet lactic tests bench examples web
	$(BIN)/mypy
	$(BIN)/pytest -q -n 2 --dist loadfile -m "not gpu"

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
	$(BIN)/pip install --quiet --disable-pip-version-check torch==$(TORCH) -e .[film,train,muscle,plan,dev]
	touch $@ .venv/play.stamp

clean:
	rm -rf .venv out build dist trial *.egg-info web/dist web/node_modules
