"""The end of the relational lowering: the cells of the last stage become one of the three shapes of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlrp._core.numbers import Number
from sqlrp._core.script import Select
from sqlrp._lowering.cells import Chain, normalised_cells
from sqlrp._lowering.endpoints import (
    as_written,
    carried_names,
    finished,
    null_where_not,
    output_name,
    restored,
    shaped,
    shaped_array,
)
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.job import Step
from sqlrp._lowering.template import block
from sqlrp._stages import Elementwise, Normalise
from sqlrp._stages.forms import Forms


def result(chain: Chain, applied: Sequence[Step]) -> Select | str:
    """The result from the cells of a chain after the stages `applied`."""
    job, dialect = chain.job, chain.dialect
    carry = [*carried_names(job), *(["ok"] if chain.guarded else [])]
    # GROUP BY does not accept every type (PostgreSQL's json), so collected rows are looked up by r.
    found = dialect.has_lists and job.output != "long"
    along = ["r"] if found else ["r", *carry]
    group = ", ".join(along)
    last = job.kinds[-1] if job.factor is None else job.result
    zero = dialect.literal(0, last)
    filled = dialect.filled("z.f", "z.x", job.k, zero)
    if filled and not job.closing and (dialect.replans or job.output != "long"):
        lists = dialect.gathered("f", dialect.narrow("x", last), job.k, zero)
        joined = (
            f"{chain.rows} s LEFT JOIN (SELECT r, {lists} FROM {chain.cells} GROUP BY r) z "
            f"ON {chain.same('z.r', 's.r')}"
        )
        return shaped_array(job, Select((*_of_rows(carry), f"{filled} AS x"), joined), "x", chain.guarded)
    if job.sparse_result:
        return _sparse(chain, last, zero)
    components = chain.add("outputs", dialect.numbers_from_zero(job.k, "f"))
    whole = block(
        "result",
        kept=", ".join(_of_rows(along)),
        zero=zero,
        rows=chain.rows,
        components=components,
        cells=chain.cells,
        same_row=chain.same("z.r", "s.r"),
    )
    cells = chain.add("result", whole)
    for step in job.steps[len(applied) :]:
        cells = CLOSING.of(step.stage)(chain, step, cells, group)
    if job.output == "long":
        value = as_written(job, finished(job, [dialect.narrow("x", last)], chain.guarded)[0])
        return Select(
            (*restored(job), f"f AS {output_name(dialect, 'component')}", f"{value} AS {dialect.value_name()}"), cells
        )
    if not dialect.has_lists:
        picked = [f"{x} AS x{i}" for i, x in enumerate(dialect.row_of_cells("f", dialect.narrow("x", last), job.k))]
        relation = Select((*carry, *picked), cells, f" GROUP BY {group}", flat=True)
        return shaped(job, relation, [f"x{i}" for i in range(job.k)], chain.guarded)
    collected = f"{dialect.collect(dialect.narrow('x', last), 'f')} AS x"
    joined = f"{chain.rows} s JOIN (SELECT r, {collected} FROM {cells} GROUP BY r) z ON {chain.same('z.r', 's.r')}"
    return shaped_array(job, Select((*_of_rows(carry), "z.x AS x"), joined, flat=True), "x", chain.guarded)


def _of_rows(columns: Sequence[str]) -> list[str]:
    """The columns of the relation s of rows, under their own names."""
    return [f"s.{column} AS {column}" for column in columns]


def _map(chain: Chain, step: Step, cells: str, group: str) -> str:
    stage: Elementwise = step.stage  # type: ignore[assignment]
    for formula in stage.formulas:
        value = written(formula, chain.dialect, "x", step.after)
        cells = chain.add("mapped", f"SELECT {group}, f, {value} AS x FROM {cells}")
    return cells


def _normalise(chain: Chain, _: Step, cells: str, group: str) -> str:
    return chain.add("normalised", normalised_cells(chain.dialect, cells, group))


CLOSING: Forms[Callable[[Chain, Step, str, str], str]] = Forms(
    "at the end of the relational lowering", {Elementwise: _map, Normalise: _normalise}
)
"""The forms of the closing stages. Every output has a cell, even if it is 0."""


def _sparse(chain: Chain, last: Number, zero: str) -> Select:
    """Long rows from long rows: outputs that are 0 are left out, except the first output of a row."""
    job, dialect = chain.job, chain.dialect
    holes, others = "", ""
    if chain.guarded:
        dialect.check_exists()
        components = chain.add("outputs", dialect.numbers_from_zero(job.k, "f"))
        holes = block("sparse_holes", rows=chain.rows, components=components, zero=zero, ok=null_where_not("s.ok"))
        others = f" AND NOT EXISTS (SELECT 1 FROM {chain.rows} s WHERE {chain.same('s.r', 'z.r')} AND s.ok IS NULL)"
    cells = block(
        "sparse_result",
        rows=chain.rows,
        cells=chain.cells,
        zero=zero,
        same_row=chain.same("z.r", "s.r"),
        ok=null_where_not("s.ok") if chain.guarded else "",
        others=others,
    )
    value = as_written(job, finished(job, [dialect.narrow("x", last)], guarded=False)[0])
    named = f"r AS {dialect.quote(job.frame.kept[0])}"
    return Select(
        (named, f"f AS {output_name(dialect, 'component')}", f"{value} AS {job.dialect.value_name()}"),
        f"({cells}\n{holes}) s",
    )
