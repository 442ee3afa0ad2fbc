"""The header of kernels in C, built once by each worker for each kind of vector."""

from __future__ import annotations

import pytest
from built import Header, build, compiler

KINDS = {"native": ("-O1", "-march=native"), "baseline": ("-O0",), "scalar": ("-O0", "-DHAMLET_SCALAR")}


@pytest.fixture(scope="session", params=KINDS)
def header(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Header:
    """The functions of the header with the vectors of this machine, of any machine of its kind, and without vectors."""
    if compiler() is None:
        pytest.skip("this machine has no C compiler")
    target = tmp_path_factory.mktemp("header") / f"{request.param}.so"
    made = build(target, *KINDS[request.param])
    assert made.returncode == 0, made.stderr
    return Header(target)
