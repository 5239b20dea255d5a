"""What the everyday calls cost on a server: how many statements each sends, one after the other."""

from __future__ import annotations

STATEMENTS: dict[str, dict[str, int]] = {
    "project": {"postgresql": 3, "mariadb": 3},
    "sql": {"postgresql": 2, "mariadb": 2},
    "save": {"postgresql": 5, "mariadb": 10},
    "load": {"postgresql": 3, "mariadb": 3},
    "materialize": {"postgresql": 10, "mariadb": 39},
    "refresh": {"postgresql": 7, "mariadb": 16},
    "search": {"postgresql": 5, "mariadb": 10},
    "opened search": {"postgresql": 2, "mariadb": 1},
    "diagnose": {"postgresql": 11, "mariadb": 24},
    "learn": {"postgresql": 6, "mariadb": 12},
    "check": {"postgresql": 6},
}
"""Of a call that was made before on the engine. `tests/engines/test_words.py` counts them: lower one when it falls."""


def everyday(engine: str, trip: float) -> str:
    """What each call takes at least where a round trip takes so many seconds; empty for an engine without counts."""
    counts = {call: counted[engine] for call, counted in STATEMENTS.items() if engine in counted}
    each = (f"{call} {count} statements, {count * trip:.3f} s" for call, count in counts.items())
    return "; ".join(each).replace(" 1 statements", " 1 statement")


__all__ = ["STATEMENTS", "everyday"]
