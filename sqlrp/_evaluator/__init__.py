"""The evaluator: projects rows in this process, without SQL, by the native library where it is built, else by numpy.

`program` draws the tables of stages once and turns them into operations on tiles. A tile holds some rows, entry by
entry, and fits the processor's cache. `run` reads tiles from a source, such as the columns of an Arrow table, and
writes the results of all rows, with all cores. It needs numpy and pyarrow alone. `code` writes the operations that the
native library runs. The tests compare it with `tests/support/evaluate.py`, which evaluates the same stages in another
way.
"""

from sqlrp._evaluator.program import FORMS, Program, program
from sqlrp._evaluator.tile_sources import Entries, MatrixRows, Source, TableColumns
from sqlrp._evaluator.tiles import run

__all__ = ["FORMS", "Entries", "MatrixRows", "Program", "Source", "TableColumns", "program", "run"]
