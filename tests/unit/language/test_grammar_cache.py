"""The tables that lark makes of the grammar are kept in the user's cache, and made again where they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamletc.language.tables import grammar

make = grammar.__wrapped__


def states() -> set[frozenset[str]]:
    """What each state of the automaton knows."""
    table = make().parse_interactive().parser_state.parse_conf.parse_table.states
    return {frozenset(known) for known in table.values()}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where they are kept: nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "hamletc" / "grammar.pickle"


def test_kept_tables_are_used_and_the_same(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = states()
    assert cache.is_file()
    assert len(made) > 100

    def refuse(*_arguments: object) -> None:
        raise AssertionError("the grammar is read again")

    monkeypatch.setattr("lark.lark.load_grammar", refuse)
    assert states() == made
    cache.unlink()
    with pytest.raises(AssertionError, match="the grammar is read again"):
        states()


@pytest.mark.parametrize("content", [b"", b"no pickle", None])
def test_a_damaged_cache_is_replaced(cache: Path, content: bytes | None) -> None:
    made = states()
    whole = cache.read_bytes()
    cache.write_bytes(whole[:5000] if content is None else content)
    assert states() == made
    assert len(cache.read_bytes()) > 5000


def test_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert len(states()) > 100
