# The long runs. The tests themselves are run by pytest.

PYTHON ?= python
SECONDS ?= 600
BACKENDS ?= ir,numba

.PHONY: fuzz
fuzz:
	$(PYTHON) tests/equivalence/fuzz.py --seconds $(SECONDS) --backends $(BACKENDS)

.PHONY: conformance
conformance:
	$(PYTHON) tests/conformance/everything.py
