# `make` says what there is. The first few are for every day; the others are long runs with committed results.

PYTHON ?= python
SECONDS ?= 600
BACKENDS ?= ir,c
WIRED ?= ir c triton ptx:sm_90
JOBS ?= 2
CASES ?= 10
RESUME ?=
ANEW ?=
SAMPLE ?=
SEED ?=
LEDGER ?=
RESULTS ?=
ARGUMENTS ?=

# Tests that make no kernels, or hardly any.
FAST ?= tests/golden/diagnostics tests/golden/mistakes tests/golden/versions tests/unit/checking tests/unit/language \
  tests/unit/ir tests/unit/kernel/test_schedule_text.py

.PHONY: help
help: ## says what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: test
test: ## runs all tests
	$(PYTHON) -m pytest

.PHONY: fast
fast: ## runs the tests that need no kernels: a minute and a half
	$(PYTHON) -m pytest $(FAST)

.PHONY: lint
lint: ## looks at style, types and the borders between packages
	ruff check
	ruff format --check
	mypy
	lint-imports

.PHONY: format
format: ## formats the sources
	ruff check --fix
	ruff format

.PHONY: wheel
wheel: ## builds dist/hamletc-VERSION-py3-none-any.whl, which pip installs anywhere
	$(PYTHON) -m pip wheel -q --no-deps -w dist .

.PHONY: site
site: ## writes the docs as a site into build/site, which works without a network; ARGUMENTS=--no-page is quicker
	$(PYTHON) docs/site $(ARGUMENTS)

.PHONY: fuzz
fuzz: ## compares random universes on BACKENDS for SECONDS
	$(PYTHON) tests/equivalence/fuzz.py --seconds $(SECONDS) --backends $(BACKENDS) $(if $(LEDGER),--ledger $(LEDGER))

.PHONY: sanitise
sanitise: ## runs kernels in C of random universes under gcc's sanitisers for SECONDS
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	HAMLET_CC="gcc -O1 -fsanitize=address,undefined -fno-sanitize-recover=all" HAMLET_THREADS=1 \
	  $(PYTHON) tests/equivalence/fuzz.py --seconds $(SECONDS) --backends c

.PHONY: wiring
wiring: ## changes one attribute at a time, and looks where that shows first
	for backend in $(WIRED); do \
	  $(PYTHON) tests/equivalence/wire.py --backends $$backend $(if $(RESULTS),--results $(RESULTS)) || exit 1; \
	done

.PHONY: conformance
conformance: ## replays all recorded traces of HAMLET
	$(PYTHON) tests/conformance/everything.py

.PHONY: mutants
mutants: ## breaks the compiler in small ways, and looks which tests see it
	nice -n 15 $(PYTHON) tests/mutation/run.py --jobs $(JOBS) $(if $(RESUME),--resume $(RESUME)) $(if $(ANEW),--anew) \
	  $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

.PHONY: faults
faults: ## tells where `hamletc diff` finds planted faults
	$(PYTHON) tests/unit/diff/table.py

.PHONY: tritons
tritons: ## counts registers, spills and waits of kernels with each supported Triton, in environments under build/
	$(PYTHON) tests/static/tritons.py

.PHONY: fuzz-tritons
fuzz-tritons: ## executes random universes as PTX of each of them, in these environments
	$(PYTHON) tests/equivalence/ptx_of_tritons.py --cases $(CASES)

.PHONY: performance
performance: ## writes the numbers and plots of benchmarks/results into docs/performance.md and README.md
	$(PYTHON) benchmarks/performance/page.py

.PHONY: kernels
kernels: ## counts the machine code of kernels anew, without a GPU: three minutes
	$(PYTHON) benchmarks/machine_code.py
	$(PYTHON) benchmarks/performance/page.py

.PHONY: measure
measure: ## measures what the CPU part of that page shows: 20 minutes on two quiet cores
	$(PYTHON) benchmarks/startup.py
	$(PYTHON) benchmarks/cpu_rollout.py
	HAMLET_CPU=haswell $(PYTHON) benchmarks/cpu_rollout.py --json benchmarks/results/cpu_avx2.json
	$(PYTHON) benchmarks/telemetry_cost.py
	$(PYTHON) benchmarks/exactness_price.py
	$(PYTHON) benchmarks/machine_code.py
	$(PYTHON) benchmarks/scaling/run.py
	$(PYTHON) benchmarks/strategies/run.py
	$(PYTHON) benchmarks/peers/run.py
	$(PYTHON) benchmarks/performance/page.py

.PHONY: web
web: ## compares the bits of the town in wasmtime, Node and Chromium with those of kernels in C, and times them
	HAMLET_THREADS=1 $(PYTHON) benchmarks/web.py

.PHONY: finite
finite: ## tries 5,000 little universes with ranges at the edges of binary32: nothing is ever infinite
	nice $(PYTHON) tests/finite/fuzz_finite.py --ledger benchmarks/results/finite.json

.PHONY: soak
soak: ## reads a million texts and packs that nobody would write
	nice $(PYTHON) tests/soak/run.py --jobs $(JOBS) --ledger benchmarks/results/soak.json

.PHONY: soak-ticks
soak-ticks: ## plays ten million ticks by steps, rollouts and in part the interpreter
	nice $(PYTHON) tests/soak/ticks.py --json benchmarks/results/soak_ticks.json

.PHONY: rehearsal
rehearsal: ## runs the GPU check and tests/gpu on a simulated GPU: 5 GB, seven minutes
	nice $(PYTHON) tests/gpu/rehearsal/everything.py
