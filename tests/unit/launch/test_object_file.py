"""Object files are brought into memory without a linker; what cannot be is refused in a line."""

from __future__ import annotations

import ctypes
import platform
from pathlib import Path

import pytest
from llvmlite import binding as llvm

from hamlet.launch.cpu.object_file import ObjectError, check, load

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="such object files are for x86-64")

# A constant reached by its distance, a table of addresses, and a function of the C library.
TEXT = """
@table = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
@places = internal constant [2 x i64*] [i64* getelementptr ([4 x i64], [4 x i64]* @table, i64 0, i64 1),
                                        i64* getelementptr ([4 x i64], [4 x i64]* @table, i64 0, i64 3)]
declare i8* @memset(i8*, i32, i64)
define internal i64 @own(i64 %index) noinline {
  %place = getelementptr [2 x i64*], [2 x i64*]* @places, i64 0, i64 %index
  %address = load i64*, i64** %place
  %value = load i64, i64* %address
  ret i64 %value
}
define i64 @looked_up(i64 %index) {
  %value = call i64 @own(i64 %index)
  ret i64 %value
}
define i64 @filled(i8* %memory) {
  %given = call i8* @memset(i8* %memory, i32 7, i64 5)
  ret i64 0
}
"""


def emitted(text: str) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(
        cpu="x86-64", opt=2, reloc="pic", codemodel="small"
    )
    content: bytes = target.emit_object(llvm.parse_assembly(text))
    return content


def test_code_runs_that_uses_constants_and_the_c_library() -> None:
    loaded = load(emitted(TEXT))
    looked_up = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.addresses["looked_up"])
    assert [looked_up(0), looked_up(1)] == [22, 44]
    memory = ctypes.create_string_buffer(8)
    ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p)(loaded.addresses["filled"])(memory)
    assert memory.raw == b"\7\7\7\7\7\0\0\0"


def holds(line: str, address: int) -> bool:
    """Whether a line of the map of memory is about this address."""
    first, end = line.split()[0].split("-")
    return int(first, 16) <= address < int(end, 16)


def test_memory_that_can_be_executed_cannot_be_written() -> None:
    loaded = load(emitted(TEXT))
    address = loaded.addresses["looked_up"]
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    rights = [line.split()[1] for line in maps if holds(line, address)]
    assert rights == ["r-xp"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is damaged"),
        (b"\0" * 64, "is no object file for x86-64"),
        (emitted(TEXT)[:-40], "is damaged"),
        (emitted("declare i64 @system(i8*)\ndefine i64 @f(i8* %a) { %r = call i64 @system(i8* %a) ret i64 %r }"),
         "calls 'system', which is not there"),
        (emitted("@shared = thread_local global i64 0\ndefine i64 @f() { %r = load i64, i64* @shared ret i64 %r }"),
         "calls '__tls_get_addr', which is not there"),
        (emitted("@seen = global i64 0\ndefine i64 @f() { %r = load i64, i64* @seen ret i64 %r }"),
         "reaches 'seen' by a slot"),
    ],
)  # fmt: skip
def test_what_cannot_be_loaded_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ObjectError, match=message):
        check(content)
