# The long runs. The tests themselves are run by pytest.

PYTHON ?= python
SECONDS ?= 600
BACKENDS ?= ir,numba
LEDGER ?=

.PHONY: fuzz
fuzz:
	$(PYTHON) tests/equivalence/fuzz.py --seconds $(SECONDS) --backends $(BACKENDS) $(if $(LEDGER),--ledger $(LEDGER))

.PHONY: conformance
conformance:
	$(PYTHON) tests/conformance/everything.py
