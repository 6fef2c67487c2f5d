# One command each: every target that runs something first makes the machine ready (see `make setup`).
SHELL := /bin/bash
.SHELLFLAGS := -u -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo room-demo test bench docs pictures soak coverage hashes audit sbom image clean

BIN := .venv/bin
CODE := firmware_bridge hardware controller ui docs tests
DEMO_ARGS ?=
ROOM_DEMO_ARGS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=
IMAGE_ARGS ?=
PART ?=
BENCH_HANDS ?= tests/hands/random tests/hands/pluribus
export PYTHON
# Some containers set this variable. Each of the many processes in the tests would then compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

# $(call timed,NAME,COMMAND): runs COMMAND, says how long it took, ends with its exit code.
timed = @began=$$SECONDS; $(2); code=$$?; echo "$(1): $$((SECONDS - began)) s"; exit $$code

help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

setup: ## install what is missing: Debian packages, .venv; seconds when there is nothing to do
	@hardware/deploy/setup.sh

demo: setup ## the whole table on simulated sensors, with the screen (DEMO_ARGS=…)
	$(call timed,demo,$(BIN)/potkeeper demo $(DEMO_ARGS))

# Chromium is not part of the set-up, because only this target and some tests need it.
room-demo: setup ## ten simulated tables, a room and the pit page, with pictures in build/room-demo (ROOM_DEMO_ARGS=…)
	@command -v chromium >/dev/null || hardware/deploy/setup.sh --with chromium
	$(call timed,room-demo,$(BIN)/python -m tests.room.room_demo $(ROOM_DEMO_ARGS))

# All checks run, whatever the first ones say; the target fails when one of them did. The type check needs one core, so
# that it runs beside the tests and is printed after them. Tests often wait for a service or a window, so that four
# processes keep two cores busy. A test file stays in one process: what it starts (pcscd, a virtual display) is started
# once. Files stay in their order: those with few, long tests would else come last, and the others would wait for them.
# A process that dies ends the run with the name of its test, because pytest-xdist hangs at the end if it is replaced.
test: setup ## style, types, tests: at most ten minutes on two cores (PYTEST_ARGS=…)
	@began=$$SECONDS; failed=; types=$$(mktemp); trap 'rm -f "$$types"' EXIT; \
	check() { echo "== $$*"; "$$@" || failed+=", $${1##*/} $$2"; }; \
	check $(BIN)/ruff check .; \
	check $(BIN)/ruff format --check .; \
	$(BIN)/mypy --strict $(CODE) >"$$types" 2>&1 & \
	check $(BIN)/pytest -n 4 --dist loadfile --no-loadscope-reorder --max-worker-restart 0 $(PYTEST_ARGS); \
	wait $$! || failed+=", mypy --strict"; echo "== mypy --strict $(CODE)"; cat "$$types"; \
	echo "test: $$((SECONDS - began)) s$${failed:+; failed: $${failed#, }}"; \
	[[ -z $$failed ]]

bench: setup ## how fast: rules, wire to screen, frames (BENCH_ARGS=…)
	$(call timed,bench,$(BIN)/potkeeper bench rules $(BENCH_HANDS) --vs-pokerkit $(BENCH_ARGS) && \
	  $(BIN)/potkeeper bench latency $(BENCH_ARGS) && $(BIN)/potkeeper bench screen $(BENCH_ARGS))

# The packages of the site are installed by the first run, because nothing else needs them.
docs: setup ## the documentation site, in build/site; fails on a warning or a broken link
	@$(BIN)/python -c 'import mkdocs, mkdocstrings_handlers.python' 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(call timed,docs,$(BIN)/python -m docs.site_sources build/docs && $(BIN)/mkdocs build --strict -f docs/mkdocs.yml)

pictures: setup ## the screens in tests/ui/reference and ui/pictures, the plot in hardware/README.md
	$(call timed,pictures,$(BIN)/python -m tests.ui.draw_reference_pictures && \
	  $(BIN)/potkeeper bench latency --quick --picture hardware/latency.png)

soak: setup ## the long tests, on all cores: many hands, many faults (PART=rules …)
	$(call timed,soak,$(BIN)/python -m tests.soak $(PART:%=--part %))

coverage: setup ## which lines and branches the tests reach
	$(call timed,coverage,$(BIN)/coverage erase && $(BIN)/coverage run -m pytest $(PYTEST_ARGS); code=$$?; \
	  $(BIN)/coverage combine --quiet && $(BIN)/coverage report && (exit $$code))

UV := build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
  --no-header --no-emit-index-url -c constraints.txt
# The machine of a room has no window, no chips and no pins.
ROOM_PACKAGES := argon2-cffi authlib babel click cryptography msgspec prometheus-client 'psycopg[binary]' pyserial rich \
  requests starlette tomlkit uvicorn websockets
hashes: setup ## hardware/deploy/requirements anew, after a change of dependencies or constraints.txt
	$(BIN)/python -m venv build/uv && build/uv/bin/python -m pip install --quiet uv && \
	  $(UV) pyproject.toml -o hardware/deploy/requirements/runtime.txt && \
	  $(UV) - -o hardware/deploy/requirements/pi.txt <<<lgpio && \
	  $(UV) - -o hardware/deploy/requirements/web.txt <<<$$'argon2-cffi\nauthlib\nprometheus-client\nstarlette\nuvicorn' && \
	  $(UV) - -o hardware/deploy/requirements/room.txt <<<$$'psycopg[binary]\nwebsockets' && \
	  printf '%s\n' $(ROOM_PACKAGES) | $(UV) - -o hardware/deploy/requirements/room-machine.txt && \
	  $(UV) - -o hardware/deploy/requirements/build.txt <<<setuptools

# pip-audit asks a database on the Internet, so that it cannot be part of the tests.
audit: setup ## known vulnerabilities in the packages that are installed on a table; needs the Internet
	@$(BIN)/python -m venv build/audit && build/audit/bin/python -m pip install --quiet pip-audit
	$(call timed,audit,build/audit/bin/pip-audit --strict --disable-pip --require-hashes \
	  $(addprefix -r hardware/deploy/requirements/,runtime.txt pi.txt web.txt room.txt room-machine.txt build.txt))

SBOM_TOOL := build/sbom/bin/cyclonedx-py
$(SBOM_TOOL):
	@python3 -m venv build/sbom && build/sbom/bin/python -m pip install --quiet --no-input cyclonedx-bom==7.5.0

# A package that is in several lists has the same version in each, and is named once.
sbom: $(SBOM_TOOL) ## the list of all packages of a table and a room as CycloneDX, in build/sbom.json
	$(call timed,sbom,awk '/==/ { is_new = !seen[$$1]++ } is_new' hardware/deploy/requirements/*.txt | \
	  $(SBOM_TOOL) requirements - --pyproject pyproject.toml --of JSON --output-reproducible -o build/sbom.json)

image: ## a disk image of a table, in build/image; needs root (IMAGE_ARGS=--read-only)
	$(call timed,image,hardware/deploy/image/build.sh $(IMAGE_ARGS) build/image/table.img)

clean: ## remove caches and generated files; .venv stays
	rm -rf build dist .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	find $(wildcard $(CODE)) -name __pycache__ -type d -prune -exec rm -rf {} +
