"""Compact bilinear pooling (CBP-KRP): accuracy next to full pooling, random Maclaurin and tensor sketches.

D. López Sánchez, *Random projection for polynomial kernels* (thesis), chapter 5: Tables 5.3 and 5.4 (accuracy by the
size of the descriptor, for two convolutional networks and three sets of images), Table 5.6 (t and s) and Figure 5.3 (p
and k). We have neither the networks nor the images. Here a group is a tile of 64 × 64 pixels of one of 13 photographs,
and its local descriptors are patches of 8 × 8 pixels, or of 6 × 6 in the second set, less their mean. The photograph is
the class. Half of the tiles train. As in the thesis, a linear SVM classifies pooled descriptors after signed square
roots and division by the length. The thesis has C = 1. For so few tiles a larger C is better, so both are shown.
"""

from __future__ import annotations

import common
import numpy as np
import pyarrow as pa
from sklearn.datasets import load_sample_images
from sklearn.svm import LinearSVC
from tables import Cell, Table, Values, Work

import sqlrp

TILE, STEP = 64, 4
"""Pixels of a tile's side, and between the patches of a tile"""
SIDES = {"patches of 8 × 8": 8, "patches of 6 × 6": 6}
KS = 100, 200, 500
READINGS = {"C = 1": 1, "C = 10": 10}
P, T, S = 2000, 2, 12
"""The thesis has p = 5,000, t = 2, and s = 100 for 512 and 832 features: 5 to 8 entries of a vector are not 0."""
METHODS = "CBP-KRP", "TS", "RM"
TABLE_5_6 = [(t, s) for s in (6, 12, 24) for t in (2, 4, 6)]
PS = 50, 200, 1000, 2000


def descriptors(work: Work, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The local descriptors of all tiles, shape (tiles, patches, features), and the classes of the tiles."""
    found = work.load("images_gray512")
    if found is None:
        found = {str(i): image.mean(axis=2)[:256, :256] for i, image in enumerate(load_sample_images().images)}
    images = np.stack(list(found.values())) / 127.5 - 1
    count = images.shape[1] // TILE
    tiles = images.reshape(-1, count, TILE, count, TILE).swapaxes(2, 3).reshape(-1, TILE, TILE)
    patches = np.lib.stride_tricks.sliding_window_view(tiles, (side, side), axis=(1, 2))[:, ::STEP, ::STEP]
    local = patches.reshape(len(tiles), -1, side * side)
    return local - local.mean(axis=2, keepdims=True), np.repeat(np.arange(len(images)), count**2)


def accuracy(work: Work, side: int, methods: dict[str, sqlrp.Projection | None]) -> Values:
    """The accuracy in % by each method; of the descriptors side by side for the method None."""
    x, classes = descriptors(work, side)
    train = np.zeros(len(x), dtype=bool)
    train[np.random.default_rng(work.seed).permutation(len(x))[: len(x) // 2]] = True
    found: dict[str, dict[str, float]] = {}
    for name, method in methods.items():
        z = pooled(x, method) if method else normalised(x.reshape(len(x), -1))
        for reading, c in READINGS.items():
            machine = LinearSVC(C=c, max_iter=5000).fit(z[train], classes[train])
            found.setdefault(reading, {})[name] = 100 * float(machine.score(z[~train], classes[~train]))
    return found


def pooled(x: np.ndarray, method: sqlrp.Projection) -> np.ndarray:
    """A row for each tile."""
    flat = x.reshape(-1, x.shape[2])
    frame = pa.table({"tile": np.repeat(np.arange(len(x)), x.shape[1])} | {f"f{j}": v for j, v in enumerate(flat.T)})
    table = sqlrp.project(method, frame, output="array", key="tile")
    z = table["z"].combine_chunks().flatten().to_numpy().reshape(table.num_rows, -1)
    return np.asarray(z[np.argsort(table["tile"].to_numpy())])


def normalised(x: np.ndarray) -> np.ndarray:
    """Signed square roots, of unit length: the thesis' baseline without pooling."""
    roots = np.sign(x) * np.sqrt(np.abs(x))
    length = np.linalg.norm(roots, axis=1, keepdims=True)
    return np.asarray(roots / np.where(length > 0, length, 1))


def by_size(work: Work) -> Values:
    side = SIDES[work.case]
    methods: dict[str, sqlrp.Projection | None] = {
        f"{work.case}: baseline": None,
        f"{work.case}: full pooling": sqlrp.FullBilinearPooling(k=side**4),
    }
    for k in KS[:1] if work.quick else KS:
        p = min(P, 2 * T * k)
        methods[f"{work.case}: CBP-KRP, k = {k}"] = sqlrp.BilinearPooling(k=k, s=S, seed=work.seed, p=p, t=T)
        methods[f"{work.case}: TS, k = {k}"] = sqlrp.SketchPooling(k=k, seed=work.seed)
        methods[f"{work.case}: RM, k = {k}"] = sqlrp.MaclaurinPooling(k=k, seed=work.seed)
    return accuracy(work, side, methods)


def by_numbers(work: Work) -> Values:
    """The accuracy for some t, s and p, with k = 500 and patches of 8 × 8 pixels."""
    given = {part.split(" = ")[0]: int(part.split(" = ")[1]) for part in work.case.split(", ")}
    k = 40 if work.quick else 500
    p = min(given.get("p", P), 2 * k * T)
    pooling = sqlrp.BilinearPooling(k=k, s=given.get("s", S), seed=work.seed, p=p, t=given.get("t", T))
    return accuracy(work, 8, {work.case: pooling})


NUMBERS = [*(f"t = {t}, s = {s}" for t, s in TABLE_5_6), *(f"p = {p}" for p in PS)]
TABLES = (
    Table(
        "pooling",
        "pooling",
        "Thesis, Tables 5.3 and 5.4: accuracy in % of pooled patches of photographs, 13 classes",
        [
            Cell(f"{name}: {what}")
            for name in SIDES
            for what in ("baseline", "full pooling", *(f"{m}, k = {k}" for k in KS for m in METHODS))
        ],
        tuple(READINGS),
        by_size,
        cases=tuple(SIDES),
        seeds=3,
        digits=2,
        data=("images_gray512",),
        quick_cases=1,
        note="""\
The thesis' sets have other sizes and classes, so its figures are not put next to ours. As in the thesis pooling is far
above the baseline, all methods gain from a larger k, and CBP-KRP is above TS for the largest k. Otherwise than there,
RM is as good as CBP-KRP, and full pooling is not the best: 416 tiles train, and each set of the thesis has 2,000 to
8,000 images. Table 5.5 trains the networks, so it is not run.""",
    ),
    Table(
        "pooling_numbers",
        "pooling",
        "Thesis, Table 5.6 and Figure 5.3: accuracy in % of CBP-KRP by t, s and p, patches of 8 × 8, k = 500",
        [Cell(case) for case in NUMBERS],
        tuple(READINGS),
        by_numbers,
        cases=NUMBERS,
        seeds=3,
        digits=2,
        data=("images_gray512",),
        note="""\
As in the thesis, t and s hardly matter. The accuracy grows with p, which the thesis says too, but by little here.""",
    ),
)

if __name__ == "__main__":
    common.main(__doc__, TABLES)
