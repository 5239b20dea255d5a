"""The result of a lowering: a query, with the statements that must run before and after it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Script:
    """Statements to run in order, the query that gives the result, and what to drop after it."""

    query: str
    steps: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()
    kernel: bool = False
    """whether the query calls the functions of `sqlrp.lowering.compiled`, which must be registered first"""

    def __repr__(self) -> str:
        """The length of the text, as the text itself may fill many pages."""
        return f"Script({len(self.steps) + 1} statement{'s' * bool(self.steps)}, {len(self.text):,} characters)"

    @property
    def text(self) -> str:
        """All statements as one text; if there are several, each ends with a semicolon."""
        if not self.steps:
            return self.query
        return "".join(f"{statement};\n" for statement in (*self.steps, self.query, *self.cleanup))
