"""Write the page of the papers' figures and ours, from the runs that are kept in `results`.

`python examples/papers/all.py` writes README.md. With `--run` it first makes the runs that are missing, one table after
another, and keeps each, so that it may be stopped at any time. With `--quick` it prints small runs of all tables.
"""

from __future__ import annotations

from pathlib import Path

import classification
import common
import data_tuned
import degree2
import degree2_other
import dependence
import items
import landmarks
import linear_svm
import polynomial
import pooling
import reuters
import subspace
import svm_other
import times
from tables import Shown, Table

PAGE = Path(__file__).parent / "README.md"
PAPERS: dict[str, tuple[Table, ...]] = {
    "Degree-2 kernel projection": (*degree2.TABLES, *degree2_other.TABLES),
    "Polynomial-kernel projection": (
        *polynomial.TABLES,
        *landmarks.TABLES,
        *reuters.TABLES,
        *classification.TABLES,
        *dependence.TABLES,
        *times.TABLES,
        *pooling.TABLES,
    ),
    "Random subspace": subspace.TABLES,
    "Data-tuned projection": data_tuned.TABLES,
    "Linear SVM": (*linear_svm.TABLES, *svm_other.TABLES),
}
TABLES = tuple(table for tables in PAPERS.values() for table in tables)
INTRODUCTION = """\
# The papers' figures and ours

`python examples/papers/all.py` writes this page from the runs that are kept in `examples/papers/results`. `--run` first
makes the runs that are missing. The command above a table makes its runs alone and prints it. `--data` names the folder
of data sets, `--seeds` sets the number of runs, and `--quick` runs in seconds on data that come with scikit-learn.

A cell *agrees* if our mean and the paper's differ by at most two standard errors, plus half a unit of the last digit.
The standard error is that of the difference. It comes from the deviations over our runs and over the paper's, which are
ten in most papers. So a cell is not easier to meet because its runs vary more. Where a cell does not agree, the
difference is in brackets. ± is the standard deviation over the runs. Where a paper does not describe an experiment
completely, or its description cannot give its figures, the columns show several readings of it. The projections are
sqlrp's.

Where we do not have a paper's data, others take their place, and no cell is judged. The line below such a table has the
smallest and the largest ratio of ours to the paper's, and the rank correlation of both, which is 1 if the order is the
same.
"""
DATA = """\
## The data

The data sets that we have are .npz files:

| file | arrays |
|---|---|
| mnist.npz | X_train, y_train, X_test, y_test: MNIST in the official order |
| cifar10_4000.npz | X: 4,000 training images of CIFAR-10, one row of 3,072 values each |
| dorothea.npz | indices, indptr, shape: the rows of Dorothea in CSR form; split: train, valid or test |
| images_gray512.npz | 13 grey images of 512 × 512 pixels, by name |
| a8a.npz, basehock.npz | data, indices, indptr, shape: rows in CSR form; y |
| reuters.npz | data, indices, indptr, shape: counts of Reuters-21578 in CSR form; y: first topics; vocab: words |
| nci60.npz | X: 64 × 6,830 gene expressions; y: types of cancer |
"""


def page() -> str:
    """The page, from the runs that are kept."""
    parts = [INTRODUCTION, summary()]
    for paper, tables in PAPERS.items():
        parts += [f"## {paper}\n", *(section(table) for table in tables)]
    parts.append(items.listed({table.name: table for table in TABLES}))
    return "\n".join([*parts, DATA])


def summary() -> str:
    """For each table with cells to judge, how many agree."""
    lines = ["| table | reading | cells that agree |", "|---|---|---|"]
    for table in TABLES:
        name = table.title.split(":")[0]
        lines += [f"| {name} | {reading} | {said} |" for reading, said in Shown(table, table.runs()).counted().items()]
    return "\n".join([*lines, ""])


def section(table: Table) -> str:
    """The heading, the command, the figures and the note of a table."""
    runs = table.runs()
    said = "not run" if not runs else f"{len(runs)} run{'s' if len(runs) > 1 else ''}"
    shown = [Shown(table, runs).markdown(), ""] if runs else []
    note = [table.note, ""] if table.note else []
    return "\n".join([f"### {table.title}\n", f"`{table.command}` ({said})\n", *shown, *note])


def main() -> None:
    options = common.parser(__doc__)
    options.add_argument("--run", action="store_true", help="make the missing runs first")
    given = options.parse_args()
    for table in TABLES if given.run or given.quick else ():
        print(f"\n{table.title}\n\n{common.run(table, given).markdown()}", flush=True)
    if not given.quick:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
