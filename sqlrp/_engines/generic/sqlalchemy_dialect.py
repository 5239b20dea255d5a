"""Any other dialect of SQLAlchemy: the SQL standard, with that dialect's quotes, casts and remainders.

Key differences from the standard: SQLAlchemy writes the names, the casts, the remainder and the equality for which NULL
equals NULL. No connection is needed, because SQLAlchemy's dialect object has all of this. Where the engine was asked,
its answers come first (`sqlrp._engines.generic.asked`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from sqlrp._core.alchemy import sa
from sqlrp._core.errors import SourceError, UnsupportedError, shorten
from sqlrp._core.numbers import DOUBLE, SINGLE, WHOLE, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.facts import Limits
from sqlrp._engines.generic.asked import CROSSED, MERGED, RELATIONS, SIZES, WRITTEN_OUT, Answers, Asking, questions
from sqlrp._engines.generic.dialect import Generic
from sqlrp._engines.generic.engine_file import fits
from sqlrp._engines.generic.keeping_asked import MARK, KeepingAnswers, Scratch

_SHARED = ("mysql", "postgresql", "sqlite")
"""The names of dialects that other engines' drivers have, too."""
_DOUBLING = (
    ", as {} computes each again wherever it is used, and a chain of them doubles: leave lowering out; of long rows "
    "pass n_features, with positions below it as the features, or pass a dataframe"
)
_DEFINES = re.compile(r"(CREATE (?!TEMPORARY)|DROP |ALTER |COMMENT )")


def called(dialect: sa.Dialect) -> str:
    """The name of an engine without a file: that of SQLAlchemy's dialect, with the driver where several have it."""
    return f"{dialect.name}+{dialect.driver}" if dialect.name in _SHARED else dialect.name


def _limits(standard: Limits, answers: Answers) -> Limits:
    """The limits of an engine: of a size that it takes as large as is asked, those of the standard."""

    def below(name: str, otherwise: int | None) -> int | None:
        size = int(getattr(answers, name))
        return size if 0 < size < SIZES[name] else otherwise

    return replace(
        standard,
        columns=below("columns", standard.columns),
        terms=below("terms", standard.terms) or standard.terms,
        levels=below("levels", standard.levels),
        characters=below("characters", standard.characters),
        named=MERGED if answers.merges else standard.named,
    )


class SqlAlchemyDialect(Generic):
    """A dialect of SQLAlchemy that has no file in this package."""

    transactional: ClassVar[bool] = False
    carries_marks: ClassVar[bool] = False  # or by `mark_with`, which a record then names
    fills: ClassVar[bool] = True
    creating_once: ClassVar[str] = "CREATE TABLE"
    keeping_view: ClassVar[str] = "CREATE VIEW {name} AS\n{query}"
    view_noun: ClassVar[str] = "VIEW"
    stores_views: ClassVar[bool] = False
    remedies: ClassVar[Mapping[str, str]] = {
        "Too many Contexts": "this engine merges WITH into each use: lowering = 'inline', or pass a dataframe",
        "request size limit exceeded": "this engine's statements are smaller: lower k, or pass a dataframe",
    }

    def __init__(self, dialect: sa.Dialect, answers: Answers | None = None) -> None:
        """`dialect` is the dialect object of SQLAlchemy, `answers` what its engine said; None if it was not asked."""
        self.dialect = dialect
        self.answers = answers
        self.kept: KeepingAnswers | None = None
        vars(self)["name"] = called(dialect)  # of the engine, not of the standard
        if answers is not None:  # facts of this engine hide the facts of the class
            vars(self).update(
                constants_from=answers.constants,
                materialized=answers.materialized,
                why_named=_DOUBLING.format(self.name) if answers.merges else "",
                single=self.single if answers.single else "",
                limits=_limits(self.limits, answers),
                lowerings=("inline",) if answers.relations else self.lowerings,
                joins_by_name=answers.using,
                crossed=", " if answers.relations == CROSSED else self.crossed,
            )

    def quote(self, name: str) -> str:
        """Always quote, by the dialect's preparer. Long names are refused: some engines cut them and confuse two."""
        longest = self.dialect.max_identifier_length
        if len(name.encode()) > longest:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the {longest} of {self.name}: rename"
            )
        return self._driven(self.dialect.identifier_preparer.quote_identifier(self.folded(name)))

    def folded(self, name: str) -> str:
        """The name as the engine has it. Where it folds names to upper case, SQLAlchemy's lower case means any case."""
        return self.dialect.denormalize_name(name) if self.dialect.requires_name_normalize else name

    def string(self, text: str) -> str:
        """A backslash as the engine reads it, if it was asked."""
        written = "" if self.kept is None else self.kept.backslash
        if not written:
            return super().string(text)
        return f"'{text.replace(chr(39), chr(39) * 2).replace(chr(92), written)}'"

    def type_name(self, number: Number) -> str | None:
        """SQLAlchemy's name of the type; that of the cast which was right where it is not SQLAlchemy's."""
        name = super().type_name(number)
        if name is None or self.answers is None:
            return name
        double, single, whole = _kinds()
        kind = whole if number.exact else single if number == SINGLE and self.answers.single else double
        cast = self.cast("x", number)
        if cast == self._tried(lambda: sa.cast(sa.literal_column("x"), kind)):
            return self.kind_name(kind)
        named = cast.removeprefix("CAST(x AS ").removesuffix(")")
        return named if cast == f"CAST(x AS {named})" else name

    def text_type(self, length: int | None) -> str:
        """SQLAlchemy's name of the type; for long texts another one, where that is refused."""
        if length is None and self.kept is not None and self.kept.text:
            return self.kept.text
        kind: Any = sa.String(length) if length else sa.Text()
        return self._driven(str(kind.compile(dialect=self.dialect)))

    def kind_name(self, kind: Any) -> str:
        """The name of a type of SQLAlchemy in this engine; its general name where the dialect writes none."""
        return self._tried(lambda: kind) or str(kind)

    # -- what it keeps -------------------------------------------------------------------------

    def scratch(self, name: str) -> Scratch:
        """What the questions about keeping write, in tables whose names begin with one."""
        table = TableName((name,))
        return Scratch(
            table=self.quote(name),
            copied=self.quote(f"{name}_2"),
            temporary=self.quote(f"{name}_3"),
            view=self.quote(f"{name}_4"),
            whole=str(self.type_name(WHOLE)),
            double=str(self.type_name(DOUBLE)),
            text=self.text_type(None),
            constants=self.constants_from,
            comment=self.marking(table, MARK, "TABLE"),
            index=self.marking_by_index(table, MARK, "b") if len(MARK) <= self.dialect.max_identifier_length else "",
        )

    def learn(self, kept: KeepingAnswers) -> None:
        """Know what the engine keeps. Raises UnsupportedError if that is nothing."""
        if kept.why_nothing:
            raise UnsupportedError(
                f"{self.name} {kept.why_nothing}, so that nothing is kept in it: write the result of sqlrp.project, or "
                "of the text of sqlrp.sql, to a table"
            )
        self.kept = kept
        vars(self).update(copies_rows=not kept.temporary, keeping_view=self.keeping_view if kept.views else "")

    def emptied(self, name: TableName, query: str, columns: Mapping[str, str] | None) -> str:
        """The statement that makes an empty table for a query. `columns`: their types; None if they are not known."""
        if self.kept is not None and self.kept.copies:
            return self.create_table(self.table(name), f"SELECT * FROM ({query}) made WHERE 1 = 0")
        if columns is None:
            raise self._refused("CREATE TABLE … AS, and the types of the marks of sparse rows are not known: no track")
        return self.making_empty(name, columns)

    def making_empty(self, name: TableName, columns: Mapping[str, str]) -> str:
        """Columns and their types."""
        listed = ", ".join(f"{self.quote(column)} {kind}" for column, kind in columns.items())
        return f"CREATE TABLE {self.table(name)} ({listed})"

    def missing(self, held: str, key: str, source: str, texts: Collection[str] = ()) -> str:
        """Written out: some engines have no EXCEPT."""
        there = f"SELECT 1 FROM {source} asked WHERE asked.{key} = kept.{key}"
        return f"SELECT DISTINCT kept.{key} FROM (SELECT {key} FROM {held}) kept WHERE NOT EXISTS ({there})"

    def defines(self, sql: str) -> bool:
        """Whether a statement makes, marks or drops what stays."""
        return _DEFINES.match(sql) is not None and not sql.startswith(self.dropping_temporary)

    def marking_by_index(self, name: TableName, mark: str, column: str) -> str:
        """An index with the mark as its name, where there are no comments. `column`: one of numbers, as SQL."""
        return f"CREATE INDEX {self.quote(mark)} ON {self.table(name)} ({column})"

    def questions(self) -> Asking:
        """All questions to the engine; SQLAlchemy's phrases are asked first."""
        return questions(self.words(), self.quote("a B"))

    def words(self) -> Answers:
        """What SQLAlchemy writes, to be asked first; empty for what it does not write, or in a way that no file has."""

        def column(name: str) -> Any:
            return sa.literal_column(name, sa.BigInteger())

        def said(key: str, expression: Callable[[], Any], form: str = "{}") -> str:
            phrase = form.format(self._tried(expression))
            return phrase if fits(key, phrase) else ""

        def cast(key: str, kind: Any) -> str:
            return said(key, lambda: sa.cast(sa.literal_column("{x}"), kind))

        double, single, whole = _kinds()
        return Answers(
            double=cast("double", double),
            single=cast("single", single),
            whole=cast("whole", whole),
            remainder=said("remainder", lambda: column("{a}") % column("{b}"), "({})"),
            same=said("same", lambda: column("{a}").is_not_distinct_from(column("{b}")), "({})"),
        )

    def note(self) -> str:
        """How far the engine is known."""
        said = f"the engine {self.name} is not known"
        if self.answers is None:
            return f"{said}, and was not asked: its SQL is the standard's"
        asked = f"its SQL was asked ({self.answers.statements} questions)"
        if self.answers.origin:
            asked = f"the answers about its SQL were read from {shorten(self.answers.origin)}"
        return f"{said}: {asked}, and the numbers of the first projection of each kind are compared on 100 rows"

    def cast(self, expression: str, number: Number) -> str:
        """A cast to a 64-bit integer or a float, under the dialect's names."""
        if self.answers is not None:
            floats = self.answers.single if number == SINGLE and self.answers.single else self.answers.double
            return (self.answers.whole if number.exact else floats).replace("{x}", expression)
        double, single, whole = _kinds()
        kind = whole if number.exact else single if number == SINGLE else double
        return self._written(sa.cast(sa.literal_column(expression), kind))

    def literal(self, value: float, number: Number) -> str:
        """A double is cast where 0.5e0 is a decimal: a result without a feature would be one, too."""
        text = super().literal(value, number)
        decimal = self.answers is not None and self.answers.decimals and number == DOUBLE
        return self.cast(text, number) if decimal else text

    def numbers_only(self, feature: str, have: Number) -> str:
        """NULL for a text in a column of numbers, which a cast would read as 0, or a fraction in one of integers."""
        if self.answers is None or not self.answers.mixes:
            return feature
        kinds = "= 'integer'" if have.exact else "IN ('integer', 'real')"
        return f"CASE WHEN typeof({feature}) {kinds} THEN {feature} END"

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """The cast of a number alone."""
        return super().widen(self.numbers_only(feature, have), have, want)

    def remainder(self, expression: str, divisor: int) -> str:
        """The dialect's function or operator."""
        if self.answers is not None:
            phrase = self.answers.remainder or self._lacking("exact remainder of a division")
            return phrase.replace("{b}", str(divisor)).replace("{a}", expression)
        return f"({self._written(sa.literal_column(expression, sa.BigInteger()) % sa.literal_column(str(divisor)))})"

    def same(self, a: str, b: str) -> str:
        """The dialect's operator, or the standard's; written out where neither is right."""
        if self.answers is not None:
            phrase = self.answers.same or WRITTEN_OUT
            return a.join(b.join(part.split("{b}")) for part in phrase.split("{a}"))
        return f"({self._written(sa.literal_column(a).is_not_distinct_from(sa.literal_column(b)))})"

    def without_rows(self, name: TableName) -> str:
        """The query of a table's columns alone."""
        return f"SELECT * FROM {self.table(name)} WHERE 1 = 0"

    def check_exists(self) -> None:
        """Where it was asked."""
        if self.answers is not None and not self.answers.exists:
            self._lacking("NOT EXISTS that compares rows in which NULL equals NULL")

    def check_windows(self) -> None:
        """Where they were asked."""
        if self.answers is not None and self.answers.relations in RELATIONS[:2]:
            self._lacking(self.answers.relations)

    def value_name(self) -> str:
        """In quotes: VALUE is a word of some engines."""
        return self.quote("value")

    def row_number(self) -> str:
        """As 64 bits: some engines number with 32, and products of these run over."""
        return self.cast(super().row_number(), WHOLE)

    def limited(self, query: str, rows: int, ordered: bool = False) -> str:
        """LIMIT, FETCH FIRST or TOP."""
        if self.answers is None:
            return super().limited(query, rows, ordered)
        phrase = self.answers.limit or self._lacking("first rows of a query")
        if ordered and not self.answers.orders:
            self._lacking("first rows of an order")
        return phrase.replace("{rows}", str(rows)).replace("{query}", query)

    def greatest(self, expressions: Sequence[str]) -> str:
        """The function that was right."""
        if self.answers is None:
            return super().greatest(expressions)
        phrase = self.answers.greatest or self._lacking("greatest of several numbers")
        return phrase.replace("{x}", ", ".join(expressions))

    def absolute(self, x: str) -> str:
        """A number without its sign."""
        return self._called("abs", x, super().absolute)

    def sqrt(self, x: str) -> str:
        """The square root."""
        return self._called("sqrt", x, super().sqrt)

    def cos(self, x: str) -> str:
        """The cosine."""
        return self._called("cos", x, super().cos)

    def exp(self, x: str) -> str:
        """The exponential function."""
        return self._called("exp", x, super().exp)

    def ln(self, x: str) -> str:
        """The natural logarithm, which some engines call log."""
        return self._called("ln", x, super().ln)

    def floor(self, x: str) -> str:
        """The largest whole number below."""
        return self._called("floor", x, super().floor)

    def _called(self, name: str, x: str, otherwise: Callable[[str], str]) -> str:
        if self.answers is None:
            return otherwise(x)
        return (self.answers.functions.get(name) or self._lacking(name)).replace("{x}", x)

    def _lacking(self, what: str) -> str:
        raise UnsupportedError(
            f"{self.name} has no {what}, or computes it wrongly, as its answers say: "
            "read the rows into a dataframe, and pass that"
        )

    def _tried(self, expression: Callable[[], Any]) -> str:
        """SQLAlchemy's text; empty if the dialect does not write it, for which each raises an error of its own."""
        try:
            return self._written(expression())
        except Exception:
            return ""

    def _written(self, expression: Any) -> str:
        return self._driven(str(expression.compile(dialect=self.dialect)))

    def _driven(self, text: str) -> str:
        """SQLAlchemy's text as a statement without parameters: percent signs are not doubled."""
        doubled = "%%" in self.dialect.identifier_preparer.quote_identifier("%")
        return text.replace("%%", "%") if doubled else text


def _kinds() -> tuple[Any, Any, Any]:
    """SQLAlchemy's types of doubles, of 32-bit floats and of 64-bit integers."""
    return sa.Double(), sa.REAL(), sa.BigInteger()
