# The long runs. The tests themselves are run by pytest.

PYTHON ?= python
SECONDS ?= 600
BACKENDS ?= ir,numba
WIRED ?= ir numba triton ptx:sm_90
JOBS ?= 2
CASES ?= 10
RESUME ?=
ANEW ?=
LEDGER ?=
RESULTS ?=

.PHONY: fuzz
fuzz:
	$(PYTHON) tests/equivalence/fuzz.py --seconds $(SECONDS) --backends $(BACKENDS) $(if $(LEDGER),--ledger $(LEDGER))

.PHONY: wiring
wiring:
	for backend in $(WIRED); do \
	  $(PYTHON) tests/equivalence/wire.py --backends $$backend $(if $(RESULTS),--results $(RESULTS)) || exit 1; \
	done

.PHONY: conformance
conformance:
	$(PYTHON) tests/conformance/everything.py

.PHONY: mutants
mutants:
	nice -n 15 $(PYTHON) tests/mutation/run.py --jobs $(JOBS) $(if $(RESUME),--resume $(RESUME)) $(if $(ANEW),--anew)

.PHONY: faults
faults:
	$(PYTHON) tests/unit/diff/table.py

# Registers, spills and waits of kernels with each supported Triton, in environments of their own under build/.
.PHONY: tritons
tritons:
	$(PYTHON) tests/static/tritons.py

# Random universes as PTX of each of them, in these environments.
.PHONY: fuzz-tritons
fuzz-tritons:
	$(PYTHON) tests/equivalence/ptx_of_tritons.py --cases $(CASES)

# Writes the numbers and plots of benchmarks/results into docs/performance.md and README.md.
.PHONY: performance
performance:
	$(PYTHON) benchmarks/performance/page.py

# Counts the machine code of the kernels anew, without a GPU, and what the model makes of it: some three minutes.
.PHONY: kernels
kernels:
	$(PYTHON) benchmarks/machine_code.py
	$(PYTHON) benchmarks/performance/page.py

# Measures what the CPU part of that page shows: some 20 minutes on two quiet cores.
.PHONY: measure
measure:
	$(PYTHON) benchmarks/startup.py
	$(PYTHON) benchmarks/cpu_rollout.py
	NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES=+avx2 $(PYTHON) benchmarks/cpu_rollout.py --json benchmarks/results/cpu_avx2.json
	$(PYTHON) benchmarks/telemetry_cost.py
	$(PYTHON) benchmarks/exactness_price.py
	$(PYTHON) benchmarks/machine_code.py
	$(PYTHON) benchmarks/scaling/run.py
	$(PYTHON) benchmarks/strategies/run.py
	$(PYTHON) benchmarks/peers/run.py
	$(PYTHON) benchmarks/performance/page.py

# Five thousand little universes with ranges at the edges of binary32: nothing that is accepted is ever infinite.
.PHONY: finite
finite:
	nice $(PYTHON) tests/finite/fuzz_finite.py --ledger benchmarks/results/finite.json

# A million texts and packs that nobody would write: no traceback, nothing slow, nothing large.
.PHONY: soak
soak:
	nice $(PYTHON) tests/soak/run.py --jobs $(JOBS) --ledger benchmarks/results/soak.json

# Ten million ticks by steps, by rollouts and in part by the interpreter: the same bits, and no more memory.
.PHONY: soak-ticks
soak-ticks:
	nice $(PYTHON) tests/soak/ticks.py --json benchmarks/results/soak_ticks.json

# The GPU check and tests/gpu on a simulated GPU, with the versions of a machine that one may borrow: 5 GB, seven minutes.
.PHONY: rehearsal
rehearsal:
	nice $(PYTHON) tests/gpu/rehearsal/everything.py
