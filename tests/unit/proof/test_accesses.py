"""Loads and stores of all threads, also of those that are no agents, stay within their arrays; those that do not are
named."""

from pathlib import Path

from processes import Run


def test_threads_that_are_no_agents_stay_within_arrays_and_no_fault_is_accepted(run_program: Run) -> None:
    done = run_program(Path(__file__).with_name("accesses_faults.py"), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    one, several, *faults = done.stdout.splitlines()
    assert (one, several) == ("worlds of 1: ()", "worlds of 3: ()")
    told = dict(line.split(": ", 1) for line in faults)
    assert len(told) == 5
    assert {name for name, why in told.items() if not why} == set()
    assert told["lanes that are no agents hold 0"].endswith("behind the end of cell_meters")
