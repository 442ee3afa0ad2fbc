"""The header of kernels in C, built for each kind of vector where no other run has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from built import ADDED, HERE, STRICT, Header, build, compiler, header_folder

import precompiled
from examples import LONG

KINDS = {"native": ("-O1", "-march=native"), "baseline": ("-O0",), "scalar": ("-O0", "-DHAMLET_SCALAR")}


@pytest.fixture(scope="session", params=KINDS)
def header(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Header:
    """The functions of the header with the vectors of this machine, of any machine of its kind, and without vectors."""
    if compiler() is None:
        pytest.skip("this machine has no C compiler")
    flags = KINDS[request.param]

    def make(target: Path) -> None:
        made = build(target, *flags)
        assert made.returncode == 0, made.stderr

    # Of another compiler, and of sanitisers, nothing is kept.
    anew = LONG or "CC" in os.environ or ADDED in os.environ
    own = tmp_path_factory.mktemp("header") / f"{request.param}.so" if anew else None
    texts = (HERE / "wrappers.c", header_folder() / "hamlet.h")
    return Header(precompiled.stored((*(each.read_text() for each in texts), *STRICT, *flags), make, own))
