"""Authors' names beside those of tables, which functions are passed by name."""

from __future__ import annotations

from hamletc.kernel.body import identifier, table_name


def test_no_local_name_is_that_of_a_table() -> None:
    """A meter `table_cells_moss` has the local name `..._0`, and cells may have a meter `moss_0`."""
    assert f"{identifier('meter.table_cells_moss')}_0" != table_name("cells.moss_0")
    assert identifier("meter.table_moss") == "_table_moss"


def test_tables_of_two_names_have_two_names() -> None:
    """Tables are arguments of one function, and `unique` numbers none of them."""
    names = ["cells.草", "cells.羊", "cells.#", "cells.'", "cells.a.b", "cells.a_b", "cells.a#_", "cells.a_#"]
    made = [table_name(name) for name in names]
    assert len({*made}) == len(names)
    assert all(name.isascii() and name.isidentifier() for name in made)
