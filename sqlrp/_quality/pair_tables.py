"""The temporary tables of a sample, its projection and its pairs.

Everything is one relation (r, f, x) of cells for the rows, one for their projection, and a join of each with itself:
inner products and differences of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from sqlrp._core.numbers import DOUBLE
from sqlrp._core.script import Setup
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.cells import PREPARING
from sqlrp._lowering.endpoints import checked_array, output_name
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._quality.apart import (
    EXACT,
    About,
    Pair,
    RoundingBound,
    SqlMaths,
    Text,
    about_origin,
    formula,
    of_groups,
    plain,
)
from sqlrp._quality.report import rounding_of
from sqlrp._run.row_sample import Sample
from sqlrp.kernels import Kernel, Radial, SumOverPairs

SAMPLE, BEFORE, AFTER, PAIRS = "sqlrp_sample", "sqlrp_before", "sqlrp_after", "sqlrp_pairs"
"""The temporary tables, dropped before `measure` returns.

The sampled rows, their cells (r, f, x), the cells of their projection, and pairs of rows.
"""

Summand = Callable[[str, str], str]
"""What is added up over the features of two rows, of one cell of each."""

_ROWS: dict[str, Summand] = {
    "dot": lambda p, q: f"{p} * {q}",
    "sq": lambda p, q: f"({p} - {q}) * ({p} - {q})",
    "turn": lambda p, q: f"({p} - {q}) * ({p} + {q})",
}
_SQUARES: dict[str, Summand] = {
    "squares": lambda p, q: f"{p} * {p} * {q} * {q}",
    "apart": lambda p, q: f"({p} - {q}) * ({p} + {q}) * ({p} - {q}) * ({p} + {q})",
}


@dataclass(frozen=True)
class Pairs:
    """The statements that make the temporary tables."""

    job: Job
    drawn: Sample

    @property
    def kernel(self) -> Kernel:
        """The kernel that is estimated."""
        return self.job.projection.kernel()

    def steps(self) -> tuple[Setup, ...]:
        """The sample, its projection and its complete rows as cells, and all pairs of these rows, each with itself.

        PAIRS (a, b, k, g, true_sq, true_by, got_sq, got_by, c, reflected), a ≤ b: the kernel's value and the inner
        product of the projected rows, the squared distances with what `measures` compares ties by, and c and c' of the
        rows' difference, NULL where the kernel has other distances than the rows.
        """
        engine, drawn = self.job.dialect, self.drawn
        script = plan(self.job, "auto").script()
        component, value = output_name(engine, "component"), engine.value_name()
        after = (
            f"SELECT {drawn.row} AS r, {component} AS f, {engine.cast(value, DOUBLE)} AS x\n"
            f"FROM (\n{script.statement.inner}) q"
        )
        # A row of the projection is NULL as a whole or not at all.
        complete = f"SELECT r FROM {self._named(AFTER)} WHERE x IS NOT NULL"
        if drawn.grouped:
            complete = f"SELECT {drawn.member} FROM {self._named(SAMPLE)} WHERE {drawn.row} IN ({complete})"
        before = f"SELECT * FROM ({self._prepared_cells()}) c WHERE r IN ({complete})"
        tables = {SAMPLE: drawn.query(), AFTER: after, BEFORE: before, **self._pairs()}
        sample, *made = (
            engine.temporary_table(self._named(name), query, numbered=False) for name, query in tables.items()
        )
        return (sample, *script.steps, *made)

    def _named(self, table: str) -> str:
        """A temporary table, as the engine names one."""
        return self.job.dialect.temporary_name(table)

    def _cells(self) -> str:
        """SELECT of (r, f, x): every feature of every sampled row, as DOUBLE."""
        engine, drawn, frame = self.job.dialect, self.drawn, self.drawn.frame
        r = drawn.member if drawn.grouped else drawn.row
        names = [engine.quote(name) for name in frame.names]
        if frame.layout == "long":
            bound = (
                "" if frame.n_features is None or frame.text_features else f" WHERE f >= 0 AND f < {frame.n_features}"
            )
            # A word finds its weight in the statistics by its number.
            feature = engine.hash_name(names[0]) if frame.text_features else names[0]
            cast = f"sum({engine.cast(names[1], DOUBLE)})"
            summed = f"SELECT {r} AS r, {feature} AS f, {cast} AS x FROM {self._named(SAMPLE)} GROUP BY {r}, {feature}"
            return f"SELECT * FROM ({summed}) c{bound}"
        if not engine.has_lists:
            sampled = self._named(SAMPLE)
            if frame.layout == "array":  # every feature reads the array, so it gets a short name
                sampled, r = f"(SELECT {r} AS r, {checked_array(engine, frame)} AS x FROM {self._named(SAMPLE)}) a", "r"
                names = [engine.element("x", j) for j in range(frame.width)]
            cast = ", ".join(f"{engine.cast(name, DOUBLE)} AS x{j}" for j, name in enumerate(names))
            columns = [f"x{j}" for j in range(len(names))]
            return engine.cells_of_row(f"(SELECT {r} AS r, {cast} FROM {sampled}) s", ["r"], columns, "f", "x")
        array = (
            engine.cast_array(
                names[0] if len(names) == 1 and not frame.parts[0].cast else checked_array(engine, frame), DOUBLE
            )
            if frame.layout == "array"
            else engine.list_of([engine.cast(name, DOUBLE) for name in names])
        )
        return engine.unnest(f"(SELECT {r} AS r, {array} AS x FROM {self._named(SAMPLE)}) s", ["r"], "x", "f", "x")

    def _prepared_cells(self) -> str:
        """The cells after the projection's scaling."""
        cells, fills = self._cells(), self.job.projection.fills
        for i, stage in enumerate(self.job.projection.preparation):
            cells = PREPARING.of(stage)(self.job.dialect, f"({cells}) p", stage)
            if fills and not i:  # the first stage subtracts what NULL becomes
                cells = f"SELECT r, f, coalesce(x, 0) AS x FROM ({cells}) filled"
        return cells

    def _at(self, name: str) -> str:
        """The name of a relation of `_pairs`: a common table expression, or a temporary table if those read once."""
        return self._named(f"{PAIRS}_{name}") if self.job.dialect.reads_once else name

    def _pairs(self) -> dict[str, str]:
        """The query of PAIRS, and before it those of the tables that it reads."""
        relations = {"r": f"SELECT DISTINCT r FROM {self._named(AFTER)} WHERE x IS NOT NULL", "z": self._projected()}
        if self.drawn.grouped:
            made, pairs = self._of_groups()
        else:
            made, pairs = self._of_rows()
        relations |= made
        if self.job.dialect.reads_once:
            return {**{f"{PAIRS}_{name}": query for name, query in relations.items()}, PAIRS: pairs}
        named = ",\n".join(f"{name} AS ({query})" for name, query in relations.items())
        return {PAIRS: f"WITH {named}\n{pairs}"}

    def _grams(self, columns: str, joins: str) -> str:
        """The pairs of rows, with columns of the relations that are joined, and of the projected rows."""
        at = self._at
        return (
            f"SELECT a.r AS a, b.r AS b, {columns}, coalesce(z.dot, 0) AS g, z.sq AS got\n"
            f"FROM {at('r')} a JOIN {at('r')} b ON a.r <= b.r\n{joins}\n"
            f"LEFT JOIN {at('z')} z ON z.a = a.r AND z.b = b.r"
        )

    def _with_ends(self, columns: str) -> str:
        """The pairs s, with p and q, the pairs of each of both rows with itself."""
        grams = self._at("grams")
        return (
            f"SELECT s.a AS a, s.b AS b, s.g AS g, coalesce(s.got, p.g + q.g) AS got_near, p.g + q.g AS got_scale, "
            f"{columns}\nFROM {grams} s JOIN {grams} p ON p.a = s.a AND p.b = s.a "
            f"JOIN {grams} q ON q.a = s.b AND q.b = s.b"
        )

    # -- sums over two rows ----------------------------------------------------------------------

    def _projected(self) -> str:
        """The inner products and the squared distances of projected rows."""
        engine, cells = self.job.dialect, self._named(AFTER)
        product = engine.product("p.x", "q.x")
        if self.job.sparse_result or product is None:
            sums = {name: _ROWS[name] for name in ("dot", "sq")}
            return self._sparse_sums(AFTER, sums) if self.job.sparse_result else self._whole_sums(AFTER, sums)
        rows = f"(SELECT r, {engine.collect('x', 'f')} AS x FROM {cells} WHERE x IS NOT NULL GROUP BY r)"
        squared = engine.power(engine.euclidean("p.x", "q.x"), 2)
        return f"SELECT p.r AS a, q.r AS b, {product} AS dot, {squared} AS sq FROM {rows} p JOIN {rows} q ON p.r <= q.r"

    def _whole_sums(self, table: str, sums: dict[str, Summand], more: str = "") -> str:
        """Sums over the features of two rows that have all of them. `more`: other aggregates, with a comma."""
        added = ", ".join(f"sum({of('p.x', 'q.x')}) AS {name}" for name, of in sums.items())
        cells = self._named(table)
        return (
            f"SELECT p.r AS a, q.r AS b, {added}{more} FROM {cells} p JOIN {cells} q "
            "ON p.f = q.f AND p.r <= q.r GROUP BY p.r, q.r"
        )

    def _sparse_sums(self, table: str, sums: dict[str, Summand], ends: bool = False) -> str:
        """The same for rows without their zeros, from both rows' sides. `ends`: the largest and least difference too.

        One side has the entries at all features of row a, and separately those at features that row b lacks.
        """
        cells, value = self._named(table), "coalesce(q.x, 0)"
        parts = [f"sum({of('p.x', value)}) AS {name}" for name, of in sums.items()]
        parts += [
            f"sum(CASE WHEN q.f IS NULL THEN {of('0', 'p.x')} ELSE 0 END) AS {name}_lone" for name, of in sums.items()
        ]
        if ends:
            parts += [f"max(p.x - {value}) AS hi, min(p.x - {value}) AS lo, count(*) AS n, count(q.f) AS shared"]
        side = (
            f"SELECT p.r AS a, o.r AS b, {', '.join(parts)} FROM {cells} p "
            f"CROSS JOIN (SELECT DISTINCT r FROM {cells}) o "
            f"LEFT JOIN {cells} q ON q.r = o.r AND q.f = p.f GROUP BY p.r, o.r"
        )
        found = ", ".join(f"u.{name} + v.{name}_lone AS {name}" for name in sums)
        if ends:
            # If neither row has a feature, the difference there is 0.
            lacking = f"u.n + v.n - u.shared < {self.job.frame.n_features}"
            hi, lo = _larger("u.hi", "-v.lo"), f"-{_larger('-u.lo', 'v.hi')}"
            found += f", CASE WHEN {lacking} AND {hi} < 0 THEN 0e0 ELSE {hi} END AS hi"
            found += f", CASE WHEN {lacking} AND {lo} > 0 THEN 0e0 ELSE {lo} END AS lo"
        return (
            f"SELECT u.a AS a, u.b AS b, {found} FROM ({side}) u JOIN ({side}) v ON v.a = u.b AND v.b = u.a "
            "WHERE u.a <= u.b"
        )

    # -- rows ------------------------------------------------------------------------------------

    def _of_rows(self) -> tuple[dict[str, str], str]:
        """The relations of all pairs of rows, and the query of PAIRS."""
        kernel, sums = plain(self.kernel), self._sums_of_rows
        differences = self.kernel.linear and self.job.frame.n_features is not None
        if differences:
            sums = sums | {"total": lambda p, q: f"{p} - {q}"}
        if self.job.frame.layout == "long":
            x = self._sparse_sums(BEFORE, sums, differences)
        else:
            ends = ", max(p.x - q.x) AS hi, min(p.x - q.x) AS lo" if differences else ""
            x = self._whole_sums(BEFORE, sums, ends)
        c = reflected = self.job.dialect.cast("NULL", DOUBLE)
        if differences:
            d = self.job.frame.n_features
            hi, lo = (f"(x.{end} - 2 * x.total / {d})" for end in ("hi", "lo"))
            c, reflected = (
                f"CASE WHEN a.r < b.r AND x.sq > 0 THEN {d} * {_larger(*both)} / x.sq END"
                for both in (("x.hi * x.hi", "x.lo * x.lo"), (f"{hi} * {hi}", f"{lo} * {lo}"))
            )
        columns = ", ".join(f"x.{name} AS {name}" for name in sums if name != "total")
        columns += f", {c} AS c, {reflected} AS reflected"
        grams = self._grams(columns, f"LEFT JOIN {self._at('x')} x ON x.a = a.r AND x.b = b.r")
        return {"x": x, "grams": grams}, self._compared(kernel)

    @cached_property
    def _sums_of_rows(self) -> dict[str, Summand]:
        """What the kernel needs of two rows."""
        kernel = plain(self.kernel)
        if kernel.part is not None:
            named = {"squares": _ROWS["dot"], "near_first": _ROWS["sq"], "turn_first": _ROWS["turn"]}
            first = {name: _over(f"p.f < {kernel.part}", of) for name, of in named.items()}
            return {"dot": _ROWS["dot"], **first} | {
                f"{name}_rest": _over(f"p.f >= {kernel.part}", of) for name, of in _ROWS.items()
            }
        if kernel.linear or isinstance(kernel, Radial):
            return {name: _ROWS[name] for name in ("dot", "sq")}
        return _ROWS | _SQUARES if kernel.squares else _ROWS

    def _compared(self, kernel: Kernel) -> str:
        """PAIRS of rows: the kernel's formula over the sums of each pair, and over those of each row with itself."""
        names = [name for name in self._sums_of_rows if name != "sq"]
        columns = [f"coalesce({end}.{name}, 0) AS {name}_{end}" for name in names for end in "spq"]
        # A row without a cell is in no sum: all of its entries are 0.
        whole = "coalesce(p.dot, 0) + coalesce(q.dot, 0)"
        near = f"coalesce(s.sq, {whole})" if "sq" in self._sums_of_rows else "s.near_first + s.sq_rest"
        columns += [f"{whole} AS scale", f"{near} AS near", "s.c AS c", "s.reflected AS reflected"]
        if "turn" in names:
            columns.append("coalesce(s.turn, coalesce(p.dot, 0) - coalesce(q.dot, 0)) AS turned")
        if "apart" in names:
            columns.append("coalesce(s.apart, coalesce(p.squares, 0) + coalesce(q.squares, 0)) AS squares_near")
        engine, value = self.job.dialect, self._value(kernel, "s", "p", "q")
        made = formula(kernel)
        if made is None:
            ends = " + ".join(self._value(kernel, end, end, end) for end in "pq")
            true, size, near = f"{ends} - 2 * ({value})", ends, "0"
        else:
            true, size = (found.sql for found in made(kernel, self._pair(kernel), SqlMaths(engine)))
            near = "near"
        terms = (
            f"SELECT a, b, {value} AS k, g, {true} AS true_value, {size} AS true_size, {near} AS true_near, "
            f"scale AS true_scale, got_near AS got_value, got_near AS got_size, got_near, got_scale, c, reflected\n"
            f"FROM (\n{self._with_ends(', '.join(columns))}) s"
        )
        true_sq, true_by = _judged(engine, "true", EXACT) if made else _of_values("true")
        return (
            f"SELECT a, b, k, g, {true_sq} AS true_sq, {true_by} AS true_by, {self._got}, c, reflected "
            f"FROM (\n{terms}) t"
        )

    @property
    def _got(self) -> str:
        """The columns of the distances of projected rows."""
        squared, by = _judged(self.job.dialect, "got", rounding_of(self.job))
        return f"{squared} AS got_sq, {by} AS got_by"

    def _value(self, kernel: Kernel, pair: str, one: str, other: str) -> str:
        """The kernel of two rows: of the pair s, or of a row with itself, p or q."""
        if isinstance(kernel, Radial):  # ‖x‖² + ‖y‖² - 2⟨x, y⟩, which is ‖x - y‖², would lose digits
            return kernel.sql("0", "0", "near" if pair == "s" else "0", "0", self.job.dialect)
        squares = f"squares_{pair}" if "squares" in self._sums_of_rows else f"dot_{pair}"
        return kernel.sql(f"dot_{pair}", squares, f"dot_{one}", f"dot_{other}", self.job.dialect)

    def _pair(self, kernel: Kernel) -> Pair:
        """The columns that `_compared` makes for the formula."""
        names = self._sums_of_rows
        if kernel.part is not None:
            own, other, dot = (Text(f"squares_{end}") for end in "pqs")
            first = Pair(own, other, dot, Text("near_first_s"), Text("turn_first_s"))
            own, other, dot = (Text(f"dot_rest_{end}") for end in "pqs")
            return Pair(own, other, dot, Text("sq_rest_s"), Text("turn_rest_s"), first)
        turn, none = Text("turned") if "turn" in names else Text("0"), Text("0")
        second = Pair(none, none, none, Text("squares_near"), none) if "apart" in names else None
        return Pair(Text("dot_p"), Text("dot_q"), Text("dot_s"), Text("near"), turn, second)

    # -- groups ----------------------------------------------------------------------------------

    def _of_groups(self) -> tuple[dict[str, str], str]:
        """The relations of all pairs of groups, and the query of PAIRS."""
        kernel = self.kernel if self.kernel.known else SumOverPairs(plain(self.kernel))
        relations = {"members": f"SELECT {self.drawn.member} AS r, {self.drawn.row} AS g FROM {self._named(SAMPLE)}"}
        if about_origin(kernel):
            relations |= self._about_origin(kernel)
            true = "p.e + q.e - 2 * s.e + 2 * (p.n - q.n) * (p.h - q.h)"
            size = f"p.e + q.e + {self.job.dialect.absolute('2 * (p.n - q.n) * (p.h - q.h)')}"
            columns = [f"coalesce(s.{name}, 0) AS {name}" for name in ("k", "e", "h", "n")]
        else:
            x = self._whole_sums(BEFORE, self._sums_of_groups(kernel))
            relations |= {"x": x, "sums": self._sums(f"({self._of_members(kernel)}) AS k", self._norms)}
            true, size, columns = "p.k + q.k - 2 * s.k", "p.k + q.k", ["coalesce(s.k, 0) AS k"]
        relations["grams"] = self._grams(
            ", ".join(columns), f"LEFT JOIN {self._at('sums')} s ON s.a = a.r AND s.b = b.r"
        )
        ends = self._with_ends(f"s.k AS k, {true} AS true_value, {size} AS true_scale")
        terms = "SELECT a, b, k, g, true_value, true_scale, got_near AS got_value, got_near AS got_size, got_near, "
        terms += f"got_scale FROM (\n{ends}) s"
        true_sq, true_by = _of_values("true")
        none = self.job.dialect.cast("NULL", DOUBLE)
        return relations, (
            f"SELECT a, b, k, g, {true_sq} AS true_sq, {true_by} AS true_by, {self._got}, {none} AS c, "
            f"{none} AS reflected FROM (\n{terms}) t"
        )

    def _about_origin(self, kernel: Kernel) -> dict[str, str]:
        """The members' cells less their mean, their sums over pairs, and the sums of the kernel's parts by groups."""
        conditions = ["1 = 1"] if kernel.part is None else [f"p.f < {kernel.part}", f"p.f >= {kernel.part}"]
        named = {"m": ("p.o", "p.o"), "u": ("p.o", "p.x"), "w": ("q.o", "q.x"), "e": ("p.x", "q.x")}
        added = ", ".join(
            f"sum(CASE WHEN {condition} THEN {one} * {other} ELSE 0 END) AS {name}{i}"
            for i, condition in enumerate(conditions)
            for name, (one, other) in named.items()
        )
        cells, moved = self._named(BEFORE), self._at("moved")
        values = [About(*(Text(f"x.{name}{i}") for name in named)) for i in range(len(conditions))]
        assert isinstance(kernel, SumOverPairs)
        second = values[1] if len(values) > 1 else None
        found = of_groups(kernel.each, values[0], second, SqlMaths(self.job.dialect))
        of_member = f"sum(CASE WHEN x.a = x.b THEN {found.half.sql} ELSE 0 END) AS h"
        count = "sum(CASE WHEN x.a = x.b THEN 1 ELSE 0 END) AS n"
        return {
            "origin": f"SELECT f, avg(x) AS x FROM {cells} GROUP BY f",
            "moved": f"SELECT c.r AS r, c.f AS f, c.x - o.x AS x, o.x AS o FROM {cells} c "
            f"JOIN {self._at('origin')} o ON o.f = c.f",
            "x": f"SELECT p.r AS a, q.r AS b, {added} FROM {moved} p JOIN {moved} q "
            "ON p.f = q.f AND p.r <= q.r GROUP BY p.r, q.r",
            "sums": self._sums(
                f"sum({_WAYS} * {found.value.sql}) AS k, sum({_WAYS} * {found.both.sql}) AS e, {of_member}, {count}"
            ),
        }

    def _sums(self, columns: str, joins: str = "") -> str:
        """Sums over the pairs x of a row of one group and a row of the other."""
        # Rows are numbered in the order of their groups, so a pair of rows gives a pair of groups in the same order.
        x, members = self._at("x"), self._at("members")
        return (
            f"SELECT m.g AS a, n.g AS b, {columns}\n"
            f"FROM {x} x JOIN {members} m ON m.r = x.a JOIN {members} n ON n.r = x.b{joins} GROUP BY m.g, n.g"
        )

    def _sums_of_groups(self, kernel: Kernel) -> dict[str, Summand]:
        """What the values of a kernel of groups need of two rows, if its distances have no formula."""
        sums = {"dot": _ROWS["dot"], "sq": _ROWS["sq"]}
        if kernel.part is not None:
            return sums | {"squares": _over(f"p.f < {kernel.part}", _ROWS["dot"])}
        return sums | {"squares": _SQUARES["squares"]} if kernel.squares else sums

    def _of_members(self, kernel: Kernel) -> str:
        """The sum of the kernel over the pairs of rows of two groups."""
        assert isinstance(kernel, SumOverPairs)
        if isinstance(kernel.each, Radial):
            value = kernel.each.sql("0", "0", "x.sq", "0", self.job.dialect)
        else:
            squares = "x.squares" if "squares" in self._sums_of_groups(kernel) else "x.dot"
            value = kernel.sql("x.dot", squares, "o.dot", "w.dot", self.job.dialect)
        return f"sum({_WAYS} * ({value}))"

    @property
    def _norms(self) -> str:
        """The join with two rows' own inner products."""
        x = self._at("x")
        return f"\nJOIN {x} o ON o.a = x.a AND o.b = x.a JOIN {x} w ON w.a = x.b AND w.b = x.b"


_WAYS = "CASE WHEN x.a <> x.b AND m.g = n.g THEN 2 ELSE 1 END"
"""How often a pair of rows is in the sum over all pairs of two groups."""


def _over(condition: str, of: Summand) -> Summand:
    """A summand over some of the features."""
    return lambda p, q: f"CASE WHEN {condition} THEN {of(p, q)} ELSE 0 END"


def _larger(a: str, b: str) -> str:
    """The larger of two numbers; not every engine has greatest."""
    return f"(CASE WHEN {a} > {b} THEN {a} ELSE {b} END)"


def _judged(engine: Dialect, name: str, rounding: RoundingBound) -> tuple[str, str]:
    """A squared distance, 0 if it may be due to rounding, and what ties are compared by, as `apart.apart` has them."""
    value, size, near, scale = (f"{name}_{part}" for part in ("value", "size", "near", "scale"))
    none = f"{near} <= {rounding.shift**2!r} * {scale}"
    squared = f"CASE WHEN {none} OR {value} <= {rounding.relative!r} * {size} THEN 0e0 ELSE {value} END"
    wider = f"1 + {rounding.ratio!r} * {engine.sqrt(f'{scale} / {near}')}"
    return squared, f"CASE WHEN {none} THEN {size} ELSE {size} * ({wider}) END"


def _of_values(name: str) -> tuple[str, str]:
    """The same of a distance that is the difference of the kernel's values."""
    value, scale = f"{name}_value", f"{name}_scale"
    return f"CASE WHEN {value} <= {EXACT.relative!r} * {scale} THEN 0e0 ELSE {value} END", scale
