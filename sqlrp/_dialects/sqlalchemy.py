"""Any other dialect of SQLAlchemy: the SQL standard, with that dialect's quotes, casts and remainders.

Key differences from the standard: SQLAlchemy writes the names, the casts, the remainder and the equality for which NULL
equals NULL. No connection is needed, because SQLAlchemy's dialect object has all of this.
"""

from __future__ import annotations

from typing import Any

from sqlrp._core.alchemy import sa
from sqlrp._core.errors import SourceError, shorten
from sqlrp._core.numbers import SINGLE, Number
from sqlrp._dialects.generic import Generic


class SqlAlchemyDialect(Generic):
    """A dialect of SQLAlchemy that has no file in this package."""

    def __init__(self, dialect: sa.Dialect) -> None:
        """`dialect` is the dialect object of SQLAlchemy."""
        self.dialect = dialect

    def quote(self, name: str) -> str:
        """Always quote, by the dialect's preparer. Long names are refused: some engines cut them and confuse two."""
        longest = self.dialect.max_identifier_length
        if len(name.encode()) > longest:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the {longest} of "
                f"{self.dialect.name}: rename"
            )
        folds = self.dialect.requires_name_normalize  # then SQLAlchemy's lower case means any case
        return self._driven(
            self.dialect.identifier_preparer.quote_identifier(self.dialect.denormalize_name(name) if folds else name)
        )

    def cast(self, expression: str, number: Number) -> str:
        """A cast to a 64-bit integer or a float, under the dialect's names."""
        floats: sa.types.TypeEngine[Any] = sa.REAL() if number == SINGLE else sa.Double()
        kind = sa.BigInteger() if number.exact else floats
        return self._written(sa.cast(sa.literal_column(expression), kind))

    def remainder(self, expression: str, divisor: int) -> str:
        """The dialect's function or operator."""
        return f"({self._written(sa.literal_column(expression, sa.BigInteger()) % sa.literal_column(str(divisor)))})"

    def same(self, a: str, b: str) -> str:
        """The dialect's operator."""
        return self._written(sa.literal_column(a).is_not_distinct_from(sa.literal_column(b)))

    def _written(self, expression: sa.ColumnElement[Any]) -> str:
        return self._driven(str(expression.compile(dialect=self.dialect)))

    def _driven(self, text: str) -> str:
        """SQLAlchemy's text as a statement without parameters: percent signs are not doubled."""
        doubled = "%%" in self.dialect.identifier_preparer.quote_identifier("%")
        return text.replace("%%", "%") if doubled else text
