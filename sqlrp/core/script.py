"""What a lowering returns: a query, with the statements that must run before and after it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Script:
    """Statements to run in order, the query that gives the result, and what to drop after it."""

    query: str
    steps: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()
    kernel: bool = False
    """whether the query calls the functions of `sqlrp.lowering.compiled`, which the connection must have"""

    def __repr__(self) -> str:
        """How long the text is, as it may fill many pages."""
        return f"Script({len(self.steps) + 1} statement{'s' * bool(self.steps)}, {len(self.text):,} characters)"

    @property
    def text(self) -> str:
        """The whole as one text; statements end in semicolons where there are several."""
        if not self.steps:
            return self.query
        return "".join(f"{statement};\n" for statement in (*self.steps, self.query, *self.cleanup))
