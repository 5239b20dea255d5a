"""What is known of an engine as rows of a table: each phrase, where it is from, and what its lack costs the user."""

from __future__ import annotations

from collections.abc import Callable

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.numbers import DOUBLE, SINGLE, WHOLE
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.generic.asked import SIZES, Answers
from sqlrp._engines.generic.keeping_asked import KeepingAnswers
from sqlrp._engines.generic.sqlalchemy_dialect import SqlAlchemyDialect

KNOWN, ASKED, READ, REFUSED = "known", "asked", "from a file", "refused"
"""Where an answer is from."""
_PHRASES = {
    "double": ("64-bit float", "nothing runs"),
    "single": ("32-bit float", "dtype = 'float32' writes floats of 64 bits"),
    "whole": ("64-bit integer", "nothing runs"),
    "remainder": ("exact remainder", "no lowering by joins, and no folds by keys"),
    "same": ("equality of NULL with NULL", "it is written out, which is slower"),
    "greatest": ("greatest of numbers", "no learning of three or more classes in SQL"),
    "limit": ("first rows of a query", "no search, and no numbers that have to be compared first"),
}
"""What each phrase is, and what its lack costs."""
_SIZES = {
    "columns": "columns of a result",
    "terms": "numbers added in a statement",
    "levels": "subqueries within each other",
    "characters": "characters of a statement",
}
_FUNCTIONS = {
    "sqrt": "no normalised rows, no signed roots, and no search",
    "exp": "no features of radial kernels, and no probabilities in SQL",
    "ln": "no logistic regression in SQL",
    "cos": "no Fourier features",
    "floor": "no components as whole numbers, and no folds by keys",
    "abs": "no signed roots, and no logistic regression in SQL",
}
_KEPT = {
    "copies": ("CREATE TABLE AS", "track needs sources that are not sparse"),
    "temporary": ("temporary tables", "a refresh copies rows to a table, which it drops"),
    "views": ("views", "no kind = 'view'"),
    "savepoints": ("savepoints", "a write that fails ends your open transaction"),
    "marking": ("marks of tables", "another table with the same columns is taken for the one that was made"),
}
Row = dict[str, str]


def facts_of(dialect: Dialect) -> Answers:
    """What is known of an engine that has a file of its own, in the shape of the answers of a probe."""
    number = "987654321"

    def written(phrase: Callable[[], str]) -> str:
        try:
            return phrase()
        except UnsupportedError:
            return ""

    functions = {
        "sqrt": written(lambda: dialect.sqrt("{x}")),
        "exp": written(lambda: dialect.exp("{x}")),
        "ln": written(lambda: dialect.ln("{x}")),
        "cos": written(lambda: dialect.cos("{x}")),
        "floor": written(lambda: dialect.floor("{x}")),
        "abs": written(lambda: dialect.absolute("{x}")),
    }
    single = dialect.cast("{x}", SINGLE)
    return Answers(
        constants=dialect.constants_from,
        double=dialect.cast("{x}", DOUBLE),
        single="" if single == dialect.cast("{x}", DOUBLE) else single,
        whole=dialect.cast("{x}", WHOLE),
        remainder=written(lambda: dialect.remainder("{a}", int(number)).replace(number, "{b}")),
        same=written(lambda: dialect.same("{a}", "{b}")),
        greatest=written(lambda: dialect.greatest(["{x}"])),
        limit=written(lambda: dialect.limited("{query}", int(number)).replace(number, "{rows}")),
        functions={name: phrase for name, phrase in functions.items() if phrase},
        using=dialect.joins_by_name,
        mixes=not dialect.has_types,
        materialized=dialect.materialized,
        merges=dialect.limits.named is not None,
        columns=dialect.limits.columns or 0,
        terms=dialect.limits.terms,
        levels=dialect.limits.levels or 0,
        characters=dialect.limits.characters or 0,
    )


def rows_of(dialect: Dialect) -> list[Row]:
    """The rows of the table of an engine. One that cannot be asked has none."""
    if not isinstance(dialect, SqlAlchemyDialect):
        return _rows(facts_of(dialect), None, True, dialect.limits.named)
    return [] if dialect.answers is None else _rows(dialect.answers, dialect.kept, False, dialect.limits.named)


def _rows(answers: Answers, kept: KeepingAnswers | None, known: bool, named: int | None) -> list[Row]:
    """The rows. `kept`: what the engine keeps; None if that was not tried. `named`: the most WITH of a statement."""
    origin = KNOWN if known else READ if answers.origin else ASKED
    found = [_row("SELECT without a table", f"SELECT 1{answers.constants}", origin, "nothing runs")]
    found += [_row(what, getattr(answers, key), origin, cost) for key, (what, cost) in _PHRASES.items()]
    found += [_row(name, answers.functions.get(name, ""), origin, cost) for name, cost in _FUNCTIONS.items()]
    lacks = answers.relations
    joined = _row("joins, WITH, windows", "" if lacks else "yes", origin, f"no lowering by joins, for want of {lacks}")
    found.append(joined)
    if not answers.exists:
        cost = "no lowering by joins of long rows without n_features, if they are multiplied or their result is sparse"
        found.append(_row("NOT EXISTS", "", origin, cost))
    if answers.merges:
        cost = f"at most {named} WITH in a statement, so that few products are lowered by joins"
        found.append(_row("WITH, computed once", "", origin, cost))
    for key, what in _SIZES.items():
        size = int(getattr(answers, key))
        if size:
            more = "" if known or size < SIZES[key] else " or more"
            found.append(_row(what, f"{size:,}{more}", origin, ""))
    if kept is not None and kept.why_nothing:
        found.append(_row("what is kept", "", origin, f"it {kept.why_nothing}"))
    elif kept is not None:
        told = {key: getattr(kept, key) for key in _KEPT}
        said = {key: "yes" if value is True else value or "" for key, value in told.items()}
        found += [_row(what, said[key], origin, cost) for key, (what, cost) in _KEPT.items()]
    elif not known:
        asked = "when something is first kept, or by sqlrp probe --writes"
        found.append({"what": "what is kept", "answer": "", "from": "not asked", "without it": f"asked {asked}"})
    return found


def _row(what: str, answer: str, origin: str, cost: str) -> Row:
    return {
        "what": what,
        "answer": answer,
        "from": origin if answer else REFUSED,
        "without it": "" if answer else cost,
    }
