"""The gradient of pooled sums of products with respect to the rows' features (thesis, app. B), relationally."""

from __future__ import annotations

from sqlrp.core.numbers import DOUBLE
from sqlrp.core.script import Script
from sqlrp.core.sources import TableName
from sqlrp.lowering.endpoints import carried_names, null_where_not, restored
from sqlrp.lowering.job import Job
from sqlrp.lowering.relational import Relational
from sqlrp.lowering.template import block
from sqlrp.stages import SignedSums, SumOfProducts


def gradient(job: Job, upstream: TableName, factor: float) -> Script:
    """SELECT of (key, kept columns, feature, value): ∂L/∂x of every row, from a table (key, component, value) of ∂L/∂y.

    `job`: signed sums and products of two, whose key is the group; `factor`: the scale of y.
    """
    return _Gradient(job).script_of(upstream, factor)


class _Gradient(Relational):
    """The chain up to the signed sums; then the products' derivatives, and back over the same signs."""

    def script_of(self, upstream: TableName, factor: float) -> Script:
        job, engine = self.job, self.engine
        sums, products = job.core
        assert isinstance(sums.stage, SignedSums)
        assert isinstance(products.stage, SumOfProducts)
        self._read()
        self._sum_drawn(sums.stage, sums)
        a, b = products.stage.factors.T
        index = self._add("index_table", engine.literal_table({"c": products.stage.components, "v0": a, "v1": b}))
        names = [engine.quote(name) for name in (job.frame.key or "", "component", "value")]
        derived = self._add(
            "derived",
            block(
                "derived_products",
                cells=self.cells,
                rows=self.rows,
                index=index,
                upstream=engine.table(upstream),
                same_group=engine.same("s.c0", f"u.{names[0]}"),
                component=f"u.{names[1]}",
                value=engine.cast(f"u.{names[2]}", DOUBLE),
            ),
        )
        values = self._add("gradient", block("derived_features", cells=derived, signs=self.signs))
        kept = ", ".join(f"s.{name}" for name in carried_names(job))
        zero = engine.literal(0, DOUBLE)
        scaled = f"{engine.literal(factor, DOUBLE)}*coalesce(g.x, {zero})" + (
            null_where_not("s.ok") if self.guarded else ""
        )
        query = (
            f"SELECT {', '.join([*restored(job), 'feature', 'value'])}\nFROM (SELECT {kept}, e.f AS feature, "
            f"{scaled} AS value FROM {self.rows} s CROSS JOIN {self.features} e "
            f"LEFT JOIN {values} g ON g.r = s.r AND g.f = e.f) s"
        )
        return self.finished_script(query)
