"""The report of what was measured: bench.md, two pictures, and the figures of speed that other pages show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from case import COPY, Bar, Case
from common import Timing, markdown, verdict

Found = dict[str, Any]


def ratio(bar: Bar, result: Found) -> float | None:
    """What the bar is on: the speed against the fastest of the others, or how much of them; None if not measured.

    Without others it is the quantity itself.
    """
    if bar.quantity == "seconds":
        seconds = {name: Timing(tuple(values)) for name, values in result["seconds"].items() if values}
        if bar.job not in seconds or not all(other in seconds for other in bar.against):
            return None
        times = seconds[bar.job].ratio(*(seconds[other] for other in bar.against))
        return 1 / times if bar.faster else times
    values = result["facts"].get(bar.quantity, {})
    if not bar.against:
        return values.get(bar.job)
    if bar.job not in values or not all(other in values for other in bar.against):
        return None
    return values[bar.job] / min(values[other] for other in bar.against)


COPIES = ("plain copy", COPY)
"""Jobs that write as many columns as the projection, the second where no job has the first name."""


def copied(bar: Bar, result: Found) -> str:
    """The speed of a plain copy by the same measure, if one writes as many columns as the bar's job; or nothing."""
    shapes = result.get("shapes", {})
    for name in COPIES if bar.faster and bar.quantity == "seconds" else ():
        if name in shapes and shapes[name] == shapes.get(bar.job):
            found = ratio(replace(bar, job=name), result)
            return "" if found is None else f"{found:.2f}"
    return ""


def bars_of(case: Case, result: Found) -> list[list[str]]:
    """A row for each bar: its name, its bound, what was measured, a plain copy by the same measure, and the verdict."""
    rows = []
    for bar in case.bars:
        unit = "speed" if bar.faster else ("time" if bar.quantity == "seconds" else bar.quantity.split(",")[0])
        said = f"at {'least' if bar.faster else 'most'} {bar.bound:g} times the {unit}"
        if not bar.against:
            said = f"at {'least' if bar.faster else 'most'} {bar.bound:g} {bar.quantity}"
        measured = ratio(bar, result)
        if measured is None:
            why = next((words for job, words in result.get("errors", {}).items() if job in ("all", bar.job)), "")
            why = why or result.get("notes", {}).get(bar.job, "not measured")
            rows.append([bar.said, said, why[:80], "", verdict(False)])
            continue
        holds = measured >= bar.bound if bar.faster else measured <= bar.bound
        rows.append([bar.said, said, f"{measured:.2f}", copied(bar, result), verdict(holds)])
    return rows


def headline(cases: Mapping[str, Case], found: Found) -> str:
    """The table of bars, of the cases that were measured."""
    rows = []
    for name, case in cases.items():
        result = found["cases"].get(name)
        for row in bars_of(case, result) if result else ():
            rows.append([*row, name + ("" if result["scale"] == "full" else f" ({result['scale']})")])
    for engine, chosen in found.get("choices", {}).items():
        for where, near, jobs in (("", "near", "jobs"), (", off the grid", "near_off", "jobs_off")):
            if not chosen.get(jobs):
                continue
            share = chosen[near] / chosen[jobs]
            said = f"{share:.1%} of {chosen[jobs]} jobs"
            what = f"the planner's choice on {engine}{where} within {chosen['times']} times of the best"
            rows.append([what, "at least 95%", said, "", verdict(share >= 0.95), "fit_costs"])
    return markdown(["case", "bar", "measured", "a copy", "", "measured by"], rows)


ROADS = ("SQL text", "SQL function", "SQL function, extension", "native, in Python")
"""What a user calls: `materialize` with lowering "sql", a function of `install` without and with the extension, and
`materialize` with lowering "native"."""
SPARSE = "SparseRandomProjection"
SPEED: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "50,000 x 784 to 488, SparseProjection",
        SPARSE,
        (
            ("wide-50k", "SparseProjection, SQL"),
            ("call-library", "rp_project"),
            ("native-wide-488", "columns"),
            ("wide-50k", "SparseProjection"),
        ),
    ),
    (
        "the same by SparseEmbedding",
        SPARSE,
        (
            ("", ""),
            ("call-library", "cw_project"),
            ("native-functions", "cw_project"),
            ("wide-50k", "SparseEmbedding"),
        ),
    ),
    (
        "the same by HadamardProjection",
        SPARSE,
        (
            ("", ""),
            ("call-library", "fht_project"),
            ("native-functions", "fht_project"),
            ("wide-50k", "HadamardProjection"),
        ),
    ),
    (
        "100,000 x 784 to 64, SparseProjection",
        SPARSE,
        (("", ""), ("", ""), ("native-wide-64", "columns"), ("", "")),
    ),
    (
        "500,000 x 784 to 488, SparseProjection",
        SPARSE,
        (("wide-500k", "SparseProjection, SQL"), ("", ""), ("", ""), ("wide-500k", "SparseProjection")),
    ),
    (
        "polynomial-kernel features of 50,000 x 784, p = 488, t = 10, k = 500",
        "PolynomialCountSketch",
        (
            ("polynomial", "PolynomialKernelProjection, SQL"),
            ("call-library", "pk_project"),
            ("native-functions", "pk_project"),
            ("polynomial", "PolynomialKernelProjection"),
        ),
    ),
    *(
        (
            f"FLOAT[{size}] x 200,000 to 128",
            SPARSE,
            (
                (f"embedding-{size}", "SparseProjection, SQL"),
                ("", ""),
                (f"native-embedding-{size}", "array"),
                (f"embedding-{size}", "SparseProjection"),
            ),
        )
        for size in (768, 1536)
    ),
)
"""The rows of the README and of the page that compares: words, the library's class, and for each road the case and
its job, or nothing where no case measures it."""

FETCHED = ("fetched whole", "in batches")


def times(found: Found, case: str, job: str, peer: str) -> dict[str, float]:
    """How many times as fast as each way to fetch, and `copy`, how many times as long as a plain copy; if measured."""
    seconds = {
        name: Timing(tuple(values)) for name, values in found["cases"].get(case, {"seconds": {}})["seconds"].items()
    }
    if job not in seconds:
        return {}
    whole = f"fetch, {peer}, write"
    others = {FETCHED[0]: whole, FETCHED[1]: f"{whole}, in batches"}
    ratios = {words: 1 / seconds[job].ratio(seconds[other]) for words, other in others.items() if other in seconds}
    return ratios | ({"copy": seconds[job].ratio(seconds["plain copy"])} if "plain copy" in seconds else {})


def speeds(found: Found) -> list[tuple[str, str, list[dict[str, float]]]]:
    """The words, the peer and the ratios of each road, of the rows that were measured by some road."""
    rows = [(words, peer, [times(found, *road, peer) for road in roads]) for words, peer, roads in SPEED]
    return [row for row in rows if any(row[2])]


def speed(found: Found) -> str:
    """Every row by each road, against both ways to fetch. A dash is a road that was not measured."""
    kinds = (*FETCHED, "copy")

    def cell(road: dict[str, float]) -> str:
        return " / ".join(f"{road[kind]:.2f}" if kind in road else "–" for kind in kinds) if road else "–"

    rows = [[words, *map(cell, roads), peer] for words, peer, roads in speeds(found)]
    return markdown(["whole / batches / copy", *ROADS, "peer"], rows)


def write(cases: Mapping[str, Case], found: Found, folder: Path) -> None:
    """bench.md and the pictures."""
    machine = found["machine"]
    lines = ["# Benchmark", ""]
    if machine:
        versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
        lines += [f"{machine['cores']} cores, {machine['memory_gb']} GB of memory; {versions}.", ""]
    lines += [
        "Written by `python tests/bench/run.py`. Jobs of a case run side by side, each round beginning with another; "
        "a ratio is the median over the rounds of the ratio within a round, against the fastest of those named. "
        "Cases marked quick are smaller ones: a look only.",
        "",
        "## Bars",
        "",
        "*A copy* is the speed of a plain copy by the same measure: it reads all features and writes as many columns. "
        "A projection in SQL does both too, and is seldom much faster.",
        "",
        headline(cases, found),
        "",
        "## Speed by each road",
        "",
        "How many times as fast as fetching whole, and in batches; and how many times as long as a plain copy.",
        "",
        speed(found),
        "",
        "![ratios](ratios.svg)",
        "",
        "![growth](growth.svg)",
    ]
    for name, case in cases.items():
        if name in found["cases"]:
            lines += ["", *_section(case, found["cases"][name])]
    (folder / "bench.md").write_text("\n".join(lines) + "\n")
    _pictures(cases, found, folder)


def _section(case: Case, result: Found) -> list[str]:
    mark = "" if result["scale"] == "full" else f" ({result['scale']})"
    lines = [f"## {case.name}{mark}", "", case.title + ".", ""]
    timings = {name: Timing(tuple(seconds)) for name, seconds in result["seconds"].items() if seconds}
    if timings:
        first = next(iter(timings))
        rows = [
            [name, f"{t.median:.4g}", f"±{t.spread / 2:.0%}", f"{t.ratio(timings[first]):.2f}"]
            for name, t in timings.items()
        ]
        count = len(timings[first].seconds)
        lines += [markdown(["job", f"seconds, median of {count}", "spread", f"times as long as {first}"], rows)]
    for quantity, values in result["facts"].items():
        rows = [[name, f"{value:.4g}"] for name, value in values.items()]
        lines += ["", markdown(["job", quantity], rows)]
    lines += [f"\nFailed: {job}: {words}" for job, words in result.get("errors", {}).items()]
    lines += [f"\n{job}: {words}" for job, words in result.get("notes", {}).items()]
    if "peak_bytes" in result:
        lines += ["", f"Peak memory of the process that ran all jobs of the case: {result['peak_bytes'] / 1e9:.2f} GB."]
    return lines


# -- pictures --------------------------------------------------------------------------------------------


def _pictures(cases: Mapping[str, Case], found: Found, folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "sqlrp"  # the same figures give the same file
    import matplotlib.pyplot as plt

    _ratios(plt, cases, found, folder / "ratios.svg")
    _growth(plt, cases, found, folder / "growth.svg")


def _ratios(plt: Any, cases: Mapping[str, Case], found: Found, path: Path) -> None:
    """A dot a bar, as a multiple of the bar, so that all stand on one axis: right of 1 it holds."""
    drawn = []
    for name, case in cases.items():
        for bar in case.bars if name in found["cases"] else ():
            measured = ratio(bar, found["cases"][name])
            if measured and measured > 0:
                drawn.append((bar.said, measured / bar.bound if bar.faster else bar.bound / measured))
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.32 * len(drawn)))
    places = range(len(drawn))
    colours = ["C0" if value >= 1 else "C3" for _, value in drawn]
    axes.scatter([value for _, value in drawn], places, c=colours, zorder=3)
    axes.axvline(1, color="0.4", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(places, [said for said, _ in drawn], fontsize=8)
    axes.invert_yaxis()
    axes.grid(axis="x", which="both", linewidth=0.3)
    axes.set_xlabel("times better than the bar (1: the bar)")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _growth(plt: Any, cases: Mapping[str, Case], found: Found, path: Path) -> None:
    """A curve a series, in seconds, both axes logarithmic."""
    growing = [case for name, case in cases.items() if case.axis and found["cases"].get(name, {}).get("seconds")]
    figure, grid = plt.subplots(1, max(len(growing), 1), figsize=(3.2 * max(len(growing), 1), 3.2), squeeze=False)
    for axes, case in zip(grid[0], growing, strict=False):
        result = found["cases"][case.name]
        curves: dict[str, list[tuple[float, float]]] = {}
        for job, (series, at) in result["points"].items():
            if job in result["seconds"]:
                curves.setdefault(series, []).append((at, Timing(tuple(result["seconds"][job])).median))
        for series, line in curves.items():
            axes.plot(*zip(*sorted(line), strict=True), marker="o", markersize=3, label=series)
        axes.set(xscale="log", yscale="log", xlabel=case.axis, ylabel="seconds")
        axes.grid(linewidth=0.3)
        axes.legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
