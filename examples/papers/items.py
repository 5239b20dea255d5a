"""All tables and figures of the five papers, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tables import Shown, Table


@dataclass(frozen=True)
class Item:
    """A table or figure with figures to measure."""

    name: str
    what: str
    tables: tuple[str, ...] = ()
    """the names of the tables here that have it"""
    why: str = ""
    """why it was not run, or runs on other data"""


WEBSPAM = "we do not have Webspam"
W8A = "we do not have w8a"
COVERTYPE = "we do not have Covertype"
ISOLET = "we do not have ISOLET"
STL = "we do not have STL-10"
IMAGES = "we do not have the images of USC-SIPI: 13 others"
NETWORKS = "needs convolutional networks and their images, which we do not have"
LOST = "our copy of the paper lacks its figures, so nothing is compared"
ITEMS: dict[str, tuple[Item, ...]] = {
    "P-RP (2018)": (
        Item("Table 1", "distortion, CIFAR-10", ("degree2_table_1", "degree2_table_1_baselines")),
        Item("Figure 1", "the curves of Table 1", ("degree2_table_1",)),
        Item("Table 2, Figure 2", "distortion, ISOLET", why=ISOLET),
        Item("Table 3, Figure 3", "distortion, STL-10", why=f"{STL}; for m ≥ 2 it prints the figures of Table 2"),
        Item("Table 4", "p-values of comparisons", why="needs Tables 2 and 3"),
    ),
    "Thesis (D. López Sánchez)": (
        Item("Figures 3.1 to 3.3", "dependence of entries, chapter 3", ("thesis_dependence",)),
        Item("Table 3.1, Figure 3.5", "distortion, CIFAR-10: P-RP, Table 1", ("degree2_table_1",)),
        Item("Table 3.2, Figure 3.6", "distortion, ISOLET", why=ISOLET),
        Item("Table 3.3, Figure 3.7", "distortion, STL-10", why=STL),
        Item("Table 3.4", "adjusted p-values of comparisons", why="needs Tables 3.2 and 3.3"),
        Item("Table 3.6", "accuracy, four data sets", why="we do not have ijcnn1, Covertype and Webspam"),
        Item("Figures 4.1 to 4.3", "dependence of entries, chapter 4", ("thesis_dependence",)),
        Item(
            "Table 4.2",
            "distortion, MNIST, degree 2",
            ("thesis_table_4_2", "nystroem", "kernel_gaussian", "thesis_times"),
        ),
        Item("Table 4.3", "distortion, MNIST, degree 3", ("thesis_table_4_3", "nystroem", "kernel_gaussian")),
        Item("Table 4.4", "accuracy, MNIST", ("thesis_table_4_4",)),
        Item("Figure 4.5", "accuracy by t, MNIST", why="each point is a linear SVM of 60,000 rows"),
        Item("Tables 4.5 and 4.6", "distortion, Webspam", why=WEBSPAM),
        Item("Table 4.7", "accuracy, Webspam", why=WEBSPAM),
        Item("Table 4.8", "distortion, w8a, degree 2", ("thesis_table_4_8",), f"{W8A}: a8a"),
        Item("Table 4.9", "distortion, w8a, degree 3", why=W8A),
        Item("Table 4.10", "F1, w8a", why=W8A),
        Item("Table 4.11", "accuracy, Covertype", why=COVERTYPE),
        Item("Figure 4.6", "repetition minimisation", ("thesis_figure_4_6",)),
        Item("Tables 5.3 to 5.6, Figure 5.3", "accuracy of bilinear pooling", why=NETWORKS),
    ),
    "Random subspace": (
        Item("Table 1", "regularity of images", ("subspace_table_1",), IMAGES),
        Item("Table 2", "regularity of Dorothea", ("subspace_table_2",)),
        Item("Table 3", "norm scaling in theory", why="formulas, which the tests of the bounds have"),
        Item("Figures 1 and 2", "ratios of distances, images", ("subspace_figure_2",), IMAGES),
        Item("Figures 3 and 4", "ratios of distances, Dorothea", ("subspace_figure_4",)),
        Item("Figures 5 and 6", "times", why="times of their machine; `make bench` has ours"),
    ),
    "DT-RP": (
        Item("Figure 1", "recall, k = 200", ("data_tuned_recall",), f"{LOST}: MNIST alone"),
        Item("Table 2", "recall by k", why=LOST),
        Item("Table 3", "recall and the best of n", ("data_tuned_recall",), f"{LOST}: MNIST, k = 200"),
        Item("Figure 2", "recall by the training rows", why=LOST),
        Item("Figure 3", "R_NX curves", why=LOST),
        Item("Figure 4", "recall of one table on six data sets", why=LOST),
    ),
    "Linear SVM": (
        Item("Tables I and II", "error and margin, made data", ("svm_tables_1_2", "svm_classes")),
        Item("Figure 1", "times, made data", ("svm_times",)),
        Item("Tables III and IV", "TechTC-300", ("svm_tables_3_4",), "we do not have TechTC-300: Basehock"),
        Item("Table V", "Yale faces", why="we do not have the Yale faces"),
        Item("Figures 2 and 3", "HapMap-HGDP", why="we do not have HapMap-HGDP"),
        Item("Table VI", "NCI60", ("svm_table_6",)),
    ),
}


def listed(tables: Mapping[str, Table]) -> str:
    """A table of all items, and how many of them ran."""
    items = [item for each in ITEMS.values() for item in each]
    ran = [item for item in items if any(tables[name].runs() for name in item.tables)]
    lines = [
        "## Every table and figure of the papers",
        "",
        f"{len(ran)} of {len(items)} ran, some of them on other data. The others say why they did not.",
        "",
        "| paper | item | what | here |",
        "|---|---|---|---|",
    ]
    for paper, each in ITEMS.items():
        lines += [f"| {paper} | {item.name} | {item.what} | {_said(item, tables)} |" for item in each]
    return "\n".join([*lines, ""])


def _said(item: Item, tables: Mapping[str, Table]) -> str:
    if not any(tables[name].runs() for name in item.tables):
        return f"not run: {item.why or 'no runs are kept'}"
    best = [max(Shown(tables[name], tables[name].runs()).shares(), default=None) for name in item.tables]
    judged = [share for share in best if share is not None]
    if item.why:
        return f"other data: {item.why}"
    if not judged:
        return "run: the paper prints no figure to compare"
    good, of = (sum(share[i] for share in judged) for i in (1, 2))
    return f"run: {good} of {of} cells agree, by the best reading"
