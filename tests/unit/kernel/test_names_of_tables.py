"""Authors' names beside those of tables, which functions are passed by name."""

from __future__ import annotations

from hamletc.kernel.body import identifier, table_name


def test_no_local_name_is_that_of_a_table() -> None:
    """A meter `table_cells_moss` has the local name `..._0`, and cells may have a meter `moss_0`."""
    assert f"{identifier('meter.table_cells_moss')}_0" != table_name("cells.moss_0")
    assert identifier("meter.table_moss") == "_table_moss"
