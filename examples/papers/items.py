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


WEBSPAM = "we do not have Webspam: pairs of characters of Reuters"
W8A = "we do not have w8a: a8a"
COVERTYPE = "we do not have Covertype: a8a"
ISOLET = "we do not have ISOLET: 617 pixels of MNIST"
STL = "we do not have STL-10: enlarged CIFAR-10"
SETS = "we do not have ijcnn1, Covertype and Webspam: MNIST38 alone"
IMAGES = "we do not have the images of USC-SIPI: 13 others"
NETWORKS = "we do not have the networks and their images: patches of 13 images, without Table 5.5"
TUNED = "we have two of the six sets: MNIST, CIFAR-10"
LOST = "our copy of the paper lacks its figures, so nothing is compared"
ITEMS: dict[str, tuple[Item, ...]] = {
    "P-RP (2018)": (
        Item("Table 1", "distortion, CIFAR-10", ("degree2_table_1", "degree2_table_1_baselines")),
        Item("Figure 1", "the curves of Table 1", ("degree2_table_1",)),
        Item("Table 2, Figure 2", "distortion, ISOLET", ("degree2_table_2",), ISOLET),
        Item(
            "Table 3, Figure 3",
            "distortion, STL-10",
            ("degree2_table_3",),
            f"{STL}. For m ≥ 2 the paper prints the figures of Table 2",
        ),
        Item("Table 4", "p-values of comparisons", ("degree2_table_4",)),
        Item("Table 6", "accuracy, four data sets: thesis, Table 3.6", ("thesis_table_3_6",), SETS),
    ),
    "Thesis (D. López Sánchez)": (
        Item("Figures 3.1 to 3.3", "dependence of entries, chapter 3", ("thesis_dependence",)),
        Item("Table 3.1, Figure 3.5", "distortion, CIFAR-10: P-RP, Table 1", ("degree2_table_1",)),
        Item("Table 3.2, Figure 3.6", "distortion, ISOLET", ("degree2_table_2",), ISOLET),
        Item("Table 3.3, Figure 3.7", "distortion, STL-10", ("degree2_table_3",), STL),
        Item("Table 3.4", "adjusted p-values of comparisons", ("degree2_table_4",)),
        Item(
            "Table 3.6",
            "accuracy, four data sets",
            ("thesis_table_3_6",),
            SETS,
        ),
        Item("Figures 4.1 to 4.3", "dependence of entries, chapter 4", ("thesis_dependence",)),
        Item(
            "Table 4.2",
            "distortion, MNIST, degree 2",
            ("thesis_table_4_2", "nystroem", "kernel_gaussian", "thesis_times"),
        ),
        Item("Table 4.3", "distortion, MNIST, degree 3", ("thesis_table_4_3", "nystroem", "kernel_gaussian")),
        Item("Table 4.4", "accuracy, MNIST", ("thesis_table_4_4",)),
        Item("Figure 4.5", "accuracy by t, MNIST: 10,000 rows", ("thesis_figure_4_5",)),
        Item("Tables 4.5 and 4.6", "distortion, Webspam", ("thesis_table_4_5", "thesis_table_4_6"), WEBSPAM),
        Item("Table 4.7", "accuracy, Webspam", ("thesis_table_4_7",), WEBSPAM),
        Item("Table 4.8", "distortion, w8a, degree 2", ("thesis_table_4_8",), W8A),
        Item("Table 4.9", "distortion, w8a, degree 3", ("thesis_table_4_9",), W8A),
        Item("Table 4.10", "F1, w8a", ("thesis_table_4_10",), W8A),
        Item("Table 4.11", "accuracy, Covertype", ("thesis_table_4_11",), COVERTYPE),
        Item("Figure 4.6", "repetition minimisation", ("thesis_figure_4_6",)),
        Item("Tables 5.3 to 5.6, Figure 5.3", "accuracy of bilinear pooling", ("pooling", "pooling_numbers"), NETWORKS),
    ),
    "Random subspace": (
        Item("Table 1", "regularity of images", ("subspace_table_1",), IMAGES),
        Item("Table 2", "regularity of Dorothea", ("subspace_table_2",)),
        Item("Table 3", "norm scaling in theory", ("subspace_table_3",)),
        Item("Figures 1 and 2", "ratios of distances, images", ("subspace_figure_2",), IMAGES),
        Item("Figures 3 and 4", "ratios of distances, Dorothea", ("subspace_figure_4",)),
        Item("Figures 5 and 6", "times", ("subspace_times",)),
    ),
    "DT-RP": (
        Item(
            "Figure 1",
            "recall, k = 200",
            ("data_tuned_recall", "data_tuned_table_2"),
            f"{LOST}; {TUNED}, and windows of 13 images",
        ),
        Item("Table 2", "recall by k", ("data_tuned_table_2",), f"{TUNED}, and windows of 13 images"),
        Item("Table 3", "recall and the best of n", ("data_tuned_recall",), f"{LOST}: MNIST, k = 200"),
        Item("Figure 2", "recall by the training rows", ("data_tuned_figure_2",), TUNED),
        Item("Figure 3", "R_NX curves", ("data_tuned_figure_3",), f"{TUNED}, and windows of 13 images"),
        Item(
            "Figure 4",
            "recall of one table on six data sets",
            ("data_tuned_figure_4",),
            f"{TUNED}, and windows of 13 images, NCI60 and Reuters",
        ),
    ),
    "Linear SVM": (
        Item("Tables I and II", "error and margin, made data", ("svm_tables_1_2", "svm_classes")),
        Item("Figure 1", "times, made data", ("svm_times",)),
        Item("Tables III and IV", "TechTC-300", ("svm_tables_3_4",), "we do not have TechTC-300: Basehock"),
        Item("Table V", "Yale faces", ("svm_table_5",), "we do not have the Yale faces: windows of 13 images"),
        Item("Figures 2 and 3", "HapMap-HGDP", ("svm_classes",), "we do not have HapMap-HGDP: NCI60"),
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
        f"{len(ran)} of {len(items)} ran, some of them on other data, in whole or in part."
        + (" The others say why they did not." if len(ran) < len(items) else ""),
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
    good, of = (sum(share[i] for share in judged) for i in (1, 2))
    agreed = f"{good} of {of} cells agree, by the best reading"
    if item.why:
        return f"other data: {item.why}" + (f" ({agreed})" if judged else "")
    others = [tables[name].other for name in item.tables if tables[name].other]
    return f"run: {agreed if judged else '; '.join(others) or 'the paper prints no figure to compare'}"
