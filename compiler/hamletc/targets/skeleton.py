"""The skeletons of generated files."""

from __future__ import annotations

import contextlib
import sys
from functools import cache
from hashlib import sha256
from importlib import metadata

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined, Template
from jinja2.bccache import Bucket

from hamlet.package.cache import keep, recall

KIND = "skeletons"


@cache
def skeleton(target: str) -> Template:
    """`kernels.py.j2` of a target. Jinja2 takes a fifth of a second to compile one, so that is kept in the user's
    cache."""
    environment = Environment(
        loader=PackageLoader(f"hamletc.targets.{target}", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_Compiled(),
    )
    return environment.get_template("kernels.py.j2")


class _Compiled(BytecodeCache):
    """Compiled skeletons, under all that they depend on."""

    def load_bytecode(self, bucket: Bucket) -> None:
        kept = recall(KIND, _name(bucket))
        if kept is not None:
            bucket.bytecode_from_string(kept)

    def dump_bytecode(self, bucket: Bucket) -> None:
        # Where nothing can be kept, every process compiles them.
        with contextlib.suppress(OSError):
            keep(KIND, _name(bucket), bucket.bytecode_to_string())


def _name(bucket: Bucket) -> str:
    syntax = bucket.environment
    read = (syntax.trim_blocks, syntax.lstrip_blocks, syntax.keep_trailing_newline)
    known = (bucket.key, bucket.checksum, read, metadata.version("jinja2"), sys.version)
    return sha256(repr(known).encode()).hexdigest()
