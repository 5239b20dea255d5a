"""Any other dialect of SQLAlchemy's: the SQL standard, with the way in which that dialect quotes, casts and divides.

Key differences from the standard: SQLAlchemy writes the names, the casts, the remainder and the equality by which NULL
equals NULL. No connection is needed: only what SQLAlchemy knows of the dialect is asked for.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sqlrp.core.errors import SourceError, shorten
from sqlrp.core.numbers import Number
from sqlrp.dialects.generic import Generic


class SqlAlchemyDialect(Generic):
    """A dialect of SQLAlchemy's that has no file of its own here."""

    def __init__(self, dialect: sa.Dialect) -> None:
        """`dialect` is SQLAlchemy's."""
        self.dialect = dialect

    def quote(self, name: str) -> str:
        """By the dialect's own preparer, always; longer names some engines cut, and so take one for another."""
        longest = self.dialect.max_identifier_length
        if len(name.encode()) > longest:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the {longest} of "
                f"{self.dialect.name}: rename"
            )
        folds = self.dialect.requires_name_normalize  # lower case then means no case
        return self._driven(
            self.dialect.identifier_preparer.quote_identifier(self.dialect.denormalize_name(name) if folds else name)
        )

    def cast(self, expression: str, number: Number) -> str:
        """To 64 bits or a double, under the dialect's names."""
        return self._written(sa.cast(sa.literal_column(expression), sa.BigInteger() if number.exact else sa.Double()))

    def remainder(self, expression: str, divisor: int) -> str:
        """The dialect's function or operator."""
        return f"({self._written(sa.literal_column(expression, sa.BigInteger()) % sa.literal_column(str(divisor)))})"

    def same(self, a: str, b: str) -> str:
        """The dialect's operator."""
        return self._written(sa.literal_column(a).is_not_distinct_from(sa.literal_column(b)))

    def _written(self, expression: sa.ColumnElement[Any]) -> str:
        return self._driven(str(expression.compile(dialect=self.dialect)))

    def _driven(self, text: str) -> str:
        """What SQLAlchemy wrote, as statements without parameters go to the driver: percent signs are not doubled."""
        doubled = "%%" in self.dialect.identifier_preparer.quote_identifier("%")
        return text.replace("%%", "%") if doubled else text
