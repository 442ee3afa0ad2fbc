# The long runs. The tests themselves are run by pytest.

PYTHON ?= python
SECONDS ?= 600
BACKENDS ?= ir,numba
LEDGER ?=
RESULTS ?=

.PHONY: fuzz
fuzz:
	$(PYTHON) tests/equivalence/fuzz.py --seconds $(SECONDS) --backends $(BACKENDS) $(if $(LEDGER),--ledger $(LEDGER))

.PHONY: wiring
wiring:
	$(PYTHON) tests/equivalence/wire.py --backends ir,numba,triton $(if $(RESULTS),--results $(RESULTS))
	$(PYTHON) tests/equivalence/wire.py --backends ptx:sm_90 $(if $(RESULTS),--results $(RESULTS))

.PHONY: conformance
conformance:
	$(PYTHON) tests/conformance/everything.py
