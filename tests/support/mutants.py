"""Draw mutants of the code that makes the SQL, and count those that tests find: `make mutants MUTANTS=200`.

A mutant is a copy of the package with one change: see `drawing.py`. The same seed draws the same mutants, so two suites
can be compared: `--tests FOLDER` runs another folder of tests on them. The working tree is not changed.

The tests run once without a mutant, and the tool notes which lines each test runs. A mutant is then run against the
tests that run its line, the narrowest and the fastest first, until one fails. The snapshots of the SQL come after the
first tests, as they find almost any change of the SQL and say nothing about the numbers. If only they fail, more tests
run, to count the mutants that the snapshots alone find.

The tests are imported and collected once. A fork takes the changed functions and runs the tests. What is computed
while the tests are collected does not change with them: a mutant that lives is run once more, with all imported again,
if its line runs then. So is one that is not in a function.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import cache_from_source
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from coverage import Coverage, CoverageData
from drawing import MUTATED, ROOT, Mutant, mutants, tree_of, why_equivalent
from forks import Loaded, Tests, in_forks, quiet, tell

TESTS = (
    "frozen,readme,types,limits,blocks,forms,planner,errors,contract,methods,nulls,engines,warehouses,generic,"
    "repeated_features,signs,join,dialects,left_out,native_lowering,convolutions,hadamard,worker_task,many_components,hashing,"
    "new_stage,dataframes,lazy,names,security,shipped_sql,back,scoring,keeping,materialize,replacing,connected,pgvector,"
    "learn,evaluator,tracking,exporting,named_functions,vector_functions,vectors,streaming,unreachable,growing,figures,"
    "two_arrays,standardized,search,search_frames,tuning,weights_and_losses,components,from_sklearn,pipelines,pairs,bits,"
    "states,extremes,ranges,rare_rows,null_rows,sharing,hostile,relatives,warehouse_searches,clusters,formulas,"
    "overflow,any_rows,cut_into_steps,explain,rendering,fingerprints,draw_statistics,index_tables,"
    "laws,monomials,landmarks"
)
"""The tests that look at the SQL or its numbers. Those of Spark are not among them, as they take a second each."""
SNAPSHOTS = "tests/contract/test_frozen.py"
QUICK = 10.0
"""The seconds of the tests that run before the snapshots."""
FULL = 25.0
"""The seconds of further tests for a mutant that the snapshots find."""
IMPORTED = ("numpy", "pandas", "pyarrow", "duckdb", "sqlalchemy", "sklearn.linear_model", "hypothesis")
"""What is imported once; where all is imported again, this is not."""
LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
MEMORY = "/dev/shm"


@dataclass
class Seen:
    """The seconds of each test, in the order of the suite, and the tests that run each line of a file, as numbers."""

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[int]]]
    early: dict[str, list[int]]
    """The lines that run while the tests are imported and collected."""

    def __post_init__(self) -> None:
        self.names = list(self.seconds)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        run = Counter(test for found in self.lines.values() for tests in found.values() for test in tests)
        self.breadth = {name: run[number] for name, number in self.numbers.items()}
        """how many lines each test runs"""

    def running(self, path: str, lines: range) -> set[str]:
        """The tests that run one of the lines."""
        found = self.lines.get(path, {})
        return {self.names[test] for line in lines for test in found.get(str(line), ())}

    def runs_early(self, mutant: Mutant) -> bool:
        """Whether the mutant may change what is computed before the tests run."""
        return not mutant.inside or not set(mutant.lines).isdisjoint(self.early.get(mutant.path, ()))


def watching(folder: Path) -> Coverage:
    """What notes the lines of the mutated parts that run."""
    return Coverage(data_file=None, config_file=False, source=[str(folder / "sqlrp" / part) for part in MUTATED])


def files_of(data: CoverageData, folder: Path) -> dict[str, str]:
    """The files that were run, by their path in a folder."""
    return {Path(file).relative_to(folder).as_posix(): file for file in data.measured_files()}


def watched(tests: Tests, names: Sequence[str], folder: Path) -> tuple[list[float], dict[str, dict[int, list[str]]]]:
    """Run tests: the seconds of each, and the tests that run each line of the files in a folder."""
    quiet()
    loaded, coverage, times = Loaded(folder / "sqlrp"), watching(folder), []
    coverage.start()
    for name in tests.run(names):
        times.append(time.perf_counter())
        loaded.forget()  # a test is to run each line whose result it may have from a cache
        coverage.switch_context(name)
    coverage.stop()
    times.append(time.perf_counter())
    tests.close()
    assert not tests.failed, f"without a mutant: {tests.failed}"
    data = coverage.get_data()
    return (
        [round(after - before, 3) for before, after in pairwise(times)],
        {path: data.contexts_by_lineno(file) for path, file in files_of(data, folder).items()},
    )


def looked_at(tests: Tests, folder: Path, processes: int) -> tuple[dict[str, float], dict[str, dict[str, list[int]]]]:
    """The tests with their seconds, and the lines that they run; all pass."""
    files = list(dict.fromkeys(map(file_of, tests.items)))
    parts = [[n for n in tests.items if file_of(n) in set(files[part::processes])] for part in range(processes)]
    seconds: dict[str, float] = {}
    lines: dict[str, dict[str, list[int]]] = {}
    numbers = {name: number for number, name in enumerate(tests.items)}
    for names, found in in_forks(parts, lambda names: watched(tests, names, folder), processes):
        assert not isinstance(found, str), found
        seconds |= zip(names, found[0], strict=True)
        for path, contexts in found[1].items():
            for line, run in contexts.items():
                lines.setdefault(path, {}).setdefault(line, []).extend(numbers[name] for name in run if name)
    return {name: seconds[name] for name in tests.items}, lines


def choose(mutant: Mutant, seen: Seen) -> list[str]:
    """The tests that run the mutant's line, in the order in which they run.

    A line that is in no function, or that no test runs, may run when its module is imported: the tests that run a line
    of its class or module, or have the module's name, or run no line of the mutated parts and may read their constants.
    In turn come a test that runs the fewest lines, as it is about these, and the fastest case of another test function.
    """
    found = seen.running(mutant.path, mutant.lines) if mutant.inside else set()
    if not found:
        found = seen.running(mutant.path, mutant.scope)
        found |= {name for name in seen.names if Path(mutant.path).stem in name or not seen.breadth[name]}
    found = {name for name in found if not name.startswith(SNAPSHOTS)}
    narrow = sorted(found, key=lambda name: (not seen.breadth[name], seen.breadth[name], name))
    cases: dict[str, list[str]] = {}
    for name in sorted(found, key=lambda name: (seen.seconds[name], name)):
        cases.setdefault(name.split("[")[0], []).append(name)
    fast = (name for turn in zip_longest(*cases.values()) for name in turn if name)
    return list(dict.fromkeys(name for pair in zip(narrow, fast, strict=True) for name in pair))


def file_of(name: str) -> str:
    """The file of a test."""
    return name.split("::", maxsplit=1)[0]


def within(names: Sequence[str], seen: Seen, seconds: float) -> int:
    """How many of the tests take no more than the seconds together."""
    total = 0.0
    for number, name in enumerate(names):
        total += seen.seconds[name]
        if total > seconds:
            return number
    return len(names)


@dataclass(frozen=True)
class Found:
    """The first test that fails, and whether the snapshots alone find the mutant."""

    test: str = ""
    snapshots_alone: bool = False

    def __str__(self) -> str:
        return "LIVES" if not self.test else "alone" if self.snapshots_alone else "dies "


def dies(tests: Tests, mutant: Mutant, seen: Seen, further: float) -> tuple[str, bool]:
    """The first test that fails, or nothing; and whether the snapshots alone find the mutant."""
    names, run = choose(mutant, seen), seen.running(mutant.path, mutant.lines)
    snapshots = [name for name in seen.names if name.startswith(SNAPSHOTS)]
    if run and run.isdisjoint(snapshots):
        snapshots.clear()
    quick = within(names, seen, QUICK)
    rest = names[quick:]
    # In the order of the suite: each file opens its databases once, and no test meets others in a new order.
    found = tests.first_failed([*sorted(names[:quick], key=seen.numbers.__getitem__), *snapshots], seen.seconds)
    alone = found.startswith(SNAPSHOTS)
    if alone or not found:
        rest = rest[: within(rest, seen, min(further, FULL) if alone else further)]
        also = tests.first_failed(sorted(rest, key=seen.numbers.__getitem__), seen.seconds)
        found, alone = also or found, alone and not also
    tell((found, alone))
    tests.close()
    return found, alone


def quickly(
    tests: Tests, drawn: Mapping[int, Mutant], folder: Path, seen: Seen, given: argparse.Namespace
) -> dict[int, Found]:
    """What finds mutants in functions with nothing imported again, but for those of which that says too little."""
    loaded = Loaded(folder)

    def found_in(number: int) -> tuple[str, bool]:
        quiet()
        mutant = drawn[number]
        loaded.take(compile(tree_of(mutant, folder), str(folder / mutant.path), "exec", dont_inherit=True))
        loaded.forget()
        return dies(tests, mutant, seen, given.further)

    run = [n for n, m in drawn.items() if m.inside and seen.running(m.path, m.lines)]
    found = dict(told(in_forks(run, found_in, given.processes), drawn))
    order = [name for name in seen.names if name in {what.test for what in found.values()}]
    for _, failed in in_forks([order], lambda names: tests.first_failed(names, seen.seconds), 1):
        assert not failed, f"without a mutant: {failed}"
    never = [n for n, m in drawn.items() if n not in found and not seen.runs_early(m)]
    return {n: what for n, what in found.items() if what.test or not seen.runs_early(drawn[n])} | dict(
        told([(n, ("", False)) for n in never], drawn)
    )


def with_fresh_imports(mutant: Mutant, folder: Path, seen: Seen, further: float) -> Any:
    """What finds a mutant in a copy of the folder, with all imported from there."""
    quiet()
    copy = Path(tempfile.gettempdir(), "tree")
    shutil.copytree(folder, copy)
    mutated = copy / mutant.path
    mutated.write_text(ast.unparse(tree_of(mutant, folder)), encoding="utf-8")
    Path(cache_from_source(str(mutated))).unlink(missing_ok=True)
    files = dict.fromkeys(map(file_of, [*choose(mutant, seen), SNAPSHOTS]))
    return Tests(copy, files, lambda tests: dies(tests, mutant, seen, further)).done


def file_about(folder: Path, name: str) -> str:
    """The one file of tests with this name, in the folder of its subject."""
    (found,) = folder.glob(f"tests/*/test_{name}.py")
    return found.relative_to(folder).as_posix()


def told(runs: Iterable[tuple[int, Any]], drawn: Mapping[int, Mutant]) -> Iterator[tuple[int, Found]]:
    """Say what finds each mutant; of one that ended its process, what that told last."""
    begun = time.monotonic()
    for number, what in runs:
        found = Found(what) if isinstance(what, str) else Found(*what)
        after = time.monotonic() - begun
        print(f"{after:5.0f} s {number:4d} {found}  {drawn[number]}  {found.test[:150]}", flush=True)
        yield number, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", default="", help="only these of those drawn, between commas")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help="the folder of tests")
    parser.add_argument("--only", default="", help="names of tests, between commas, in place of those that look at SQL")
    parser.add_argument("--further", type=float, default=120, help="the most seconds of tests after the quick ones")
    parser.add_argument("--processes", type=int, default=2, help="how many mutants are run at once")
    parser.add_argument("--seen", type=Path, help="a file that keeps which lines each test runs, for further runs")
    given = parser.parse_args()
    drawn = dict(enumerate(random.Random(given.seed).sample(every := mutants(), min(given.mutants, len(every))), 1))
    if given.numbers:
        drawn = {number: drawn[number] for number in map(int, given.numbers.split(","))}
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads cannot be forked
    for name in IMPORTED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as temporary:
        tempfile.tempdir = temporary
        folder = Path(temporary) / "tree"
        shutil.copytree(ROOT, folder, ignore=LEFT_BEHIND)
        if given.tests.resolve() != ROOT / "tests":
            shutil.rmtree(folder / "tests")
            shutil.copytree(given.tests, folder / "tests", ignore=LEFT_BEHIND)
        files = [file_about(folder, name) for name in (given.only or TESTS).split(",")]
        kept = given.seen or Path(temporary) / "seen.json"
        found = found_by(drawn, folder, files, kept, given)
    survivors = [drawn[number] for number, what in found.items() if not what.test]
    print(f"{len(drawn) - len(survivors)} of {len(drawn)} mutants die (of {len(every)}; seed {given.seed})")
    print(f"{sum(what.snapshots_alone for what in found.values())} of them are found by the snapshots of the SQL alone")
    for mutant in survivors:
        why = why_equivalent(mutant)
        print(f"survives{f' as the same program ({why})' if why else ''}: {mutant}")


def found_by(
    drawn: Mapping[int, Mutant], folder: Path, files: Sequence[str], kept: Path, given: argparse.Namespace
) -> dict[int, Found]:
    """What finds each mutant."""

    def all_quickly(_: None) -> Any:
        early = watching(folder)
        early.start()

        def work(tests: Tests) -> dict[int, tuple[str, bool]]:
            early.stop()
            if not kept.exists():
                lines = {
                    path: early.get_data().lines(file) for path, file in files_of(early.get_data(), folder).items()
                }
                kept.write_text(json.dumps((*looked_at(tests, folder, given.processes), lines)), encoding="utf-8")
            done = quickly(tests, drawn, folder, read(kept), given)
            return {number: (what.test, what.snapshots_alone) for number, what in done.items()}

        return Tests(folder, files, work).done

    ((_, quick),) = in_forks([None], all_quickly, 1)
    assert not isinstance(quick, str), quick
    found, seen = {int(number): Found(*what) for number, what in quick.items()}, read(kept)
    left = [number for number in drawn if number not in found]
    runs = in_forks(
        left, lambda number: with_fresh_imports(drawn[number], folder, seen, given.further), given.processes
    )
    return found | dict(told(runs, drawn))


def read(kept: Path) -> Seen:
    """What was noted of the tests."""
    return Seen(*json.loads(kept.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
