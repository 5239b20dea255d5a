"""What the everyday calls cost on a server: how many statements each sends, one after the other."""

from __future__ import annotations

STATEMENTS: dict[str, dict[str, int]] = {
    "project": {"postgresql": 2, "mariadb": 2, "mysql": 2},
    "sql": {"postgresql": 1, "mariadb": 1, "mysql": 1},
    "save": {"postgresql": 4, "mariadb": 4, "mysql": 4},
    "load": {"postgresql": 1, "mariadb": 1, "mysql": 1},
    "saved": {"postgresql": 1, "mariadb": 1, "mysql": 1},
    "materialize": {"postgresql": 7, "mariadb": 9, "mysql": 9},
    "refresh": {"postgresql": 5, "mariadb": 5, "mysql": 5},
    "search": {"postgresql": 2, "mariadb": 2, "mysql": 2},
    "opened search": {"postgresql": 2, "mariadb": 1, "mysql": 1},
    "create search": {"postgresql": 5},
    "diagnose": {"postgresql": 4, "mariadb": 5, "mysql": 5},
    "learn": {"postgresql": 4, "mariadb": 5, "mysql": 5},
    "check": {"postgresql": 5, "mariadb": 4, "mysql": 4},
    "install": {"postgresql": 3},
}
"""Of a call that was made before on an engine of `sqlrp.connect`. `tests/engines/test_words.py` counts them."""

ALONE = {"materialize": 26, "diagnose": 29}
"""Those of calls to MySQL that take several statements as one, where the driver does not ask for that."""


def everyday(engine: str, trip: float) -> str:
    """What each call takes at least where a round trip takes so many seconds; empty for an engine without counts."""
    counts = {call: counted[engine] for call, counted in STATEMENTS.items() if engine in counted}
    each = (f"{call} {count} statements, {count * trip:.3f} s" for call, count in counts.items())
    said = "; ".join(each).replace(" 1 statements", " 1 statement")
    if engine != "mysql":
        return said
    alone = ", ".join(f"{call} {count}" for call, count in ALONE.items())
    return f"{said}; by an engine of your own without client_flag=65536 in its URL: {alone}"


__all__ = ["ALONE", "STATEMENTS", "everyday"]
