"""The evaluator: projects rows in this process, without SQL, by numba where it is installed, otherwise by numpy.

`program` draws the tables of stages once and turns them into operations on tiles. A tile holds some rows, entry by
entry, and fits the processor's cache. `run` reads tiles from a source, such as the columns of an Arrow table, and
writes the results of all rows, with all cores. It needs numpy and pyarrow alone; the extra `fast` adds numba and scipy.
`sqlrp.stages.evaluate` evaluates the same stages in another way, and the tests compare the two.
"""

from sqlrp.evaluator.program import FORMS, Program, program
from sqlrp.evaluator.reading import Columns, Entries, Rows, Source
from sqlrp.evaluator.running import run

__all__ = ["FORMS", "Columns", "Entries", "Program", "Rows", "Source", "program", "run"]
