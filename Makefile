# Every target does its own set-up; the second time that costs nothing. `make` alone lists the targets.
# ARGS goes to the command behind a target: make demo ARGS=--keep, make test ARGS="tests/games -x".
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo serve test check format docs lock sbom clean

# Where this is set, each of the tests' many processes compiles the same sources anew (a server: 0.5 s of 2.3 s).
export PYTHONDONTWRITEBYTECODE :=

ARGS ?=
bin := .venv/bin
compile := $(bin)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

help: ## List these targets
	@printf 'Tabiya: make TARGET [ARGS="..."]\n\n'
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Make .venv with everything for working on Tabiya (Python 3.11+, locked packages)
	@scripts/setup.sh dev

demo: ## Play a tournament in every game and show the standings (ARGS=--keep leaves the server running)
	@scripts/setup.sh runtime
	@$(bin)/tabiya demo $(ARGS)

serve: ## Start the server on this machine (ARGS=--lan for a class)
	@scripts/setup.sh runtime
	@$(bin)/tabiya serve $(ARGS)

test: ## Run the tests (installs PostgreSQL, Chromium and compilers first, or says how)
	@scripts/setup.sh test
	@$(bin)/tabiya warmup # once, so that the tests' processes need not each compile the same
	$(bin)/pytest $(ARGS)

check: ## Check format, lint, strict types and that generated documents are fresh; changes nothing
	@scripts/setup.sh dev
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/python -m scripts.docs.generated_documents --check

format: ## Format the code and apply the safe fixes of the linter
	@scripts/setup.sh dev
	$(bin)/ruff format .
	$(bin)/ruff check --fix .

docs: ## Write the generated documents anew, and all as a site for the web: build/docs/site
	@scripts/setup.sh tools
	$(bin)/python -m scripts.docs.generated_documents
	$(bin)/python -m scripts.docs.site

lock: ## Lock dependencies after a change of pyproject.toml (UPGRADE=1 takes the newest versions)
	@scripts/setup.sh dev
	$(compile) --group build --extra all pyproject.toml --output-file requirements/runtime.txt
	$(compile) --group build --extra all --extra gateways --extra trace pyproject.toml --constraints requirements/runtime.txt \
		--output-file requirements/image.txt
	$(compile) --group build --extra dev pyproject.toml --constraints requirements/runtime.txt --output-file requirements/dev.txt
	$(compile) --no-deps requirements/oldest.in --output-file requirements/oldest.txt
	$(compile) requirements/tools.in --output-file requirements/tools.txt

sbom: ## Write what the container is made of and every licence: build/tabiya.cdx.json, build/licences.csv
	@scripts/setup.sh tools
	PYTHONPATH=build/tools $(bin)/python -m piplicenses --python $(bin)/python --ignore-packages tabiya --from mixed \
		--format csv --output-file build/licences.csv
	PYTHONPATH=build/tools $(bin)/python -W ignore -m cyclonedx_py requirements --pyproject pyproject.toml \
		--output-reproducible --output-file build/tabiya.cdx.json requirements/image.txt

clean: ## Remove what make has made: .venv, caches, builds
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .numba_cache build dist examples/javascript/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
