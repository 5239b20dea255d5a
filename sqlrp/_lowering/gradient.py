"""The gradient of pooled sums of products with respect to the rows' features (thesis, app. B), by relations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlrp._core.numbers import DOUBLE
from sqlrp._core.script import Script, Select
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Numbers
from sqlrp._lowering.endpoints import carried_names, null_where_not, restored
from sqlrp._lowering.job import Job
from sqlrp._lowering.relational import FORMS, StageCells
from sqlrp._lowering.template import block
from sqlrp._stages import Products
from sqlrp._stages.forms import Forms


def gradient(job: Job, upstream: TableName, factor: float) -> Script:
    """A SELECT of (key, kept columns, feature, value): ∂L/∂x per row, from a table (key, component, value) of ∂L/∂y.

    `job`: signed sums and products of two of them, with the group as key. `factor`: the scale of y.
    """
    return _Gradient(job).script_of(upstream, factor)


class _Gradient(StageCells):
    """The chain up to the signed sums, then the derivatives of the products, then back over the same signs."""

    def script_of(self, upstream: TableName, factor: float) -> Script:
        job, dialect = self.job, self.dialect
        sums, products = job.core
        self.read()
        FORMS.of(sums.stage)(self, sums.stage, sums)
        index = self.add("index_table", dialect.literal_table(_DERIVED.of(products.stage)(products.stage)))
        names = [dialect.quote(name) for name in (job.frame.key or "", "component", "value")]
        derived = self.add(
            "derived",
            block(
                "derived_products",
                cells=self.cells,
                rows=self.rows,
                index=index,
                upstream=dialect.table(upstream),
                same_group=dialect.same("s.c0", f"u.{names[0]}"),
                component=f"u.{names[1]}",
                value=dialect.cast(f"u.{names[2]}", DOUBLE),
            ),
        )
        values = self.add("gradient", block("derived_features", cells=derived, signs=self.signs))
        kept = ", ".join(f"s.{name}" for name in carried_names(job))
        zero = dialect.literal(0, DOUBLE)
        scaled = f"{dialect.literal(factor, DOUBLE)}*coalesce(g.x, {zero})" + (
            null_where_not("s.ok") if self.guarded else ""
        )
        joined = f"{self.rows} s CROSS JOIN {self.features} e LEFT JOIN {values} g ON g.r = s.r AND g.f = e.f"
        rows = Select((kept, "e.f AS feature", f"{scaled} AS value"), joined, flat=True)
        return self.finished_script(Select((*restored(job), "feature", "value"), rows))


def _products(stage: Products) -> dict[str, Numbers]:
    a, b = stage.factors.T
    return {"c": stage.components, "v0": a, "v1": b}


_DERIVED: Forms[Callable[[Any], dict[str, Numbers]]] = Forms("in a gradient", {Products: _products})
"""The products to differentiate: the component of each and its two factors."""
