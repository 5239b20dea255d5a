"""The gallery: one picture for each method of what it does to real data. `python docs/builder/gallery.py FOLDER`.

The data is the playground's: digits, windows of photographs, and words. The docstring of a function is the caption.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import Any

import duckdb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch, RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.random_projection import SparseRandomProjection

sys.path.insert(0, str(Path(__file__).parents[1] / "playground"))

import data

import sqlrp
from sqlrp._projections import REGISTRY

Floats = npt.NDArray[np.float64]
ROWS = 300
SEEDS = 20
BLUE, ORANGE, GREY = "#2f5f92", "#c2631a", "#8b949e"
THEMES = {"": ("#2f5f92", "#c2631a", "#1f2328", "#ffffff"), "-dark": ("#8fbdf0", "#f2a65a", "#e6e8ec", "#1e2129")}
"""The two colours, the text and the background of the pictures, by the end of their names."""
WIDE = sqlrp.Wide("digits", key="id")
ARRAY = sqlrp.Array("photographs", "pixels", key="id")
LONG = sqlrp.Long("words", key="id", feature="word", value="n")


@cache
def connection() -> duckdb.DuckDBPyConnection:
    """The tables: some hundred rows of each."""
    con = duckdb.connect()
    for name, table in data.TABLES.items():
        con.register("loaded", table())
        few = "" if name == "words" else f"WHERE id IN (SELECT id FROM loaded ORDER BY md5(id::VARCHAR) LIMIT {ROWS})"
        con.execute(f"CREATE TABLE {name} AS FROM loaded {few} ORDER BY id")
    return con


@cache
def rows(name: str) -> tuple[Floats, npt.NDArray[Any]]:
    """The features and the labels of a table, in the order of its ids."""
    con = connection()
    if name == "photographs":
        found = con.execute("SELECT pixels, label FROM photographs ORDER BY id").fetchnumpy()
        return np.stack(found["pixels"]).astype(float), np.array(found["label"])
    if name == "words":
        counts = con.execute("PIVOT words ON word USING first(n) GROUP BY id, label ORDER BY id").df().fillna(0)
        return counts.drop(columns=["id", "label"]).to_numpy(dtype=float), counts["label"].to_numpy()
    frame = con.execute(f"FROM {name} ORDER BY id").df()
    return frame.drop(columns=["id", "label"]).to_numpy(dtype=float), frame["label"].to_numpy()


@cache  # each picture is drawn twice, in light and dark colours
def projected(projection: sqlrp.Projection, source: Any = WIDE, lowering: str = "auto") -> Floats:
    """The components in the order of the ids, computed in DuckDB."""
    table = sqlrp.project(projection, source, connection(), lowering=lowering).sort_by("id")
    return np.column_stack([table.column(f"z{i}").to_numpy() for i in range(projection.k)])


@cache
def learnt(method: Any) -> Any:
    """A method fitted to the digits."""
    return sqlrp.fit(method, WIDE, connection())


INDICATORS = [f"is_{digit}" for digit in range(10)]
"""Columns of 1 for the rows of one digit, and 0 for the others."""


def taught(method: Any, target: Any) -> Any:
    """A method fitted to the digits and their labels."""
    con = connection()
    columns = ", ".join(f"(label::INTEGER = {digit})::INTEGER AS {name}" for digit, name in enumerate(INDICATORS))
    con.execute(f"CREATE OR REPLACE TABLE labels AS SELECT id, label::INTEGER AS digit, {columns} FROM digits")
    return sqlrp.fit(method, WIDE, con, target=target, labels="labels")


@cache
def off(method: Callable[..., sqlrp.Projection], k: int, source: Any, table: str) -> Floats:
    """The squared distances of all pairs after a projection to those before it, over the seeds."""
    found = (projected(method(k=k, seed=seed), source) for seed in range(SEEDS))
    return np.concatenate([distances(z) for z in found]) / np.tile(distances(rows(table)[0]), SEEDS)


def distances(x: Floats) -> Floats:
    """The squared distances of all pairs of rows."""
    own = (x * x).sum(axis=1)
    return (own[:, None] + own - 2 * x @ x.T)[np.triu_indices(len(x), 1)]


def against(axes: Axes, exact: Floats, found: Floats, what: str) -> None:
    """Exact values against estimates, with the line on which both are the same."""
    chosen = np.random.default_rng(0).choice(exact.size, min(4000, exact.size), replace=False)
    axes.plot(exact.ravel()[chosen], found.ravel()[chosen], ".", ms=2.5, alpha=0.35, color=BLUE)
    ends = [exact.min(), exact.max()]
    axes.plot(ends, ends, color=ORANGE, lw=1.5)
    axes.set(xlabel=f"{what} before", ylabel="after")


def by_label(axes: Axes, z: Floats, labels: npt.NDArray[Any]) -> None:
    """Rows at two components, coloured by label."""
    for i, label in enumerate(sorted(set(labels))):
        mine = labels == label
        axes.plot(*z[mine, :2].T, ".", ms=4, alpha=0.75, color=plt.get_cmap("tab10")(i % 10), label=label)
    axes.legend(fontsize=7, markerscale=1.5, ncols=2, frameon=False)
    axes.set(xlabel="z0", ylabel="z1", xticks=[], yticks=[])


def heat(axes: Axes, exact: Floats, found: Floats, labels: npt.NDArray[Any]) -> None:
    """Two matrices of all pairs of rows, ordered by label."""
    order = np.argsort(labels, kind="stable")
    both = np.hstack([m[np.ix_(order, order)] for m in (exact, found)])
    axes.imshow(both, cmap="viridis", vmin=np.quantile(exact, 0.02), vmax=np.quantile(exact, 0.98), aspect="auto")
    axes.axvline(len(labels) - 0.5, color="white", lw=3)
    axes.set(xticks=[len(labels) / 2, len(labels) * 1.5], xticklabels=["exact", "estimated"], yticks=[])


def kernel_error(methods: dict[str, Callable[[int], sqlrp.Projection]], axes: Axes, degree: int = 2) -> None:
    """The error of the kernel against the number of components."""
    x = rows("digits")[0]
    exact, ks = (x @ x.T) ** degree, (16, 64, 256)
    for (name, make), colour in zip(methods.items(), (BLUE, ORANGE, GREY), strict=False):
        errors = [np.abs((z := projected(make(k))) @ z.T - exact).mean() / exact.mean() for k in ks]
        axes.plot(ks, errors, "o-", color=colour, label=name, ms=4)
    axes.set(ylim=(0, None), xlabel="components k", ylabel="mean error of the kernel")
    components(axes, ks)
    axes.legend(frameon=False, fontsize=8)


def components(axes: Axes, ks: tuple[int, ...]) -> None:
    """An axis of components, with a mark at each of them only."""
    axes.set_xscale("log")
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.minorticks_off()


def sparse_projection(axes: Axes) -> None:
    """Digits, 64 pixels to 32 sums: the squared distances of all pairs before and after."""
    z = projected(sqlrp.SparseProjection(k=32, s=3, seed=7))
    against(axes, distances(rows("digits")[0]), distances(z), "distance²")


def gaussian_projection(axes: Axes) -> None:
    """Windows of photographs, 2,500 pixels to k: how far squared distances are off over 20 seeds, for three k."""
    for k, colour in zip((16, 64, 256), (GREY, ORANGE, BLUE), strict=True):
        ratio = off(sqlrp.GaussianProjection, k, ARRAY, "photographs")
        axes.hist(ratio, bins=80, range=(0, 2), histtype="step", lw=1.6, color=colour, label=f"k = {k}", density=True)
    axes.set(xlabel="squared distance after / before", yticks=[])
    axes.legend(frameon=False)


def orthonormal_projection(axes: Axes) -> None:
    """Digits: how far squared distances are off over 20 seeds; at k = 64, the number of pixels, not at all."""
    for k, colour in zip((4, 16, 48), (GREY, ORANGE, BLUE), strict=True):
        ratio = off(sqlrp.OrthonormalProjection, k, WIDE, "digits")
        axes.hist(ratio, bins=80, range=(0, 2), histtype="step", lw=1.6, color=colour, label=f"k = {k}", density=True)
    axes.set(xlabel="squared distance after / before", yticks=[])
    axes.legend(frameon=False)


def polynomial_kernel_projection(axes: Axes) -> None:
    """Digits, degree 2: the kernel ⟨x, y⟩² of all pairs, exact and by 256 features of products of signed sums.

    All rows are similar, so one draw shifts all values together. They are right on average over the seeds.
    """
    x, z = rows("digits")[0], projected(sqlrp.PolynomialKernelProjection(k=256, p=512, t=10, s=3, seed=7))
    against(axes, (x @ x.T) ** 2, z @ z.T, "⟨x, y⟩²")


@cache
def right(k: int | None) -> float:
    """The share of digits that a linear classifier names, on k features of degree 2, or on the pixels."""
    x, y = rows("digits")
    z = x if k is None else projected(sqlrp.Degree2KernelProjection(k=k, s=1, seed=7))
    scaled = z / np.abs(z).max()
    return float(LogisticRegression(C=100, max_iter=3000).fit(scaled[::2], y[::2]).score(scaled[1::2], y[1::2]))


def degree2_kernel_projection(axes: Axes) -> None:
    """Digits: a linear classifier on k features of degree 2, compared with the same one on the 64 pixels."""
    ks = (8, 32, 128, 512)
    axes.plot(ks, [right(k) for k in ks], "o-", color=BLUE, label="k features of degree 2")
    axes.axhline(right(None), color=ORANGE, ls="--", label="the 64 pixels")
    axes.set(xlabel="components k", ylabel="classified correctly")
    components(axes, ks)
    axes.legend(frameon=False)


@cache
def descriptors() -> tuple[np.ndarray, np.ndarray]:
    """36 descriptors of each of 120 tiles, as the table `descriptors`; and the photograph that each tile is of."""
    import pyarrow as pa
    from sklearn.datasets import load_sample_images

    parts, labels = [], []
    for name, image in zip(("china", "flower"), load_sample_images().images, strict=True):
        tiles = image[:384, :640].reshape(6, 64, 10, 64, 3).swapaxes(1, 2).reshape(60, 64, 64, 3)
        windows = np.lib.stride_tricks.sliding_window_view(tiles, (5, 5), axis=(1, 2))[:, ::10, ::10]
        parts.append(windows.reshape(60, 36, 75) / 127.5 - 1)
        labels += [name] * 60
    x = np.concatenate(parts)
    columns = {"id": np.repeat(np.arange(120), 36)} | {f"f{j}": x.reshape(-1, 75)[:, j] for j in range(75)}
    connection().register("descriptors", pa.table(columns))
    return x, np.array(labels)


def bilinear_pooling(axes: Axes) -> None:
    """Tiles of two photographs: 36 descriptors become one row of 64 numbers. Two principal axes of these rows."""
    _, labels = descriptors()
    pooled = projected(sqlrp.BilinearPooling(k=64, seed=7), sqlrp.Wide("descriptors", key="id"))
    by_label(axes, PCA(2).fit_transform(pooled), labels)


def maclaurin_pooling(axes: Axes) -> None:
    """The same tiles by 64 random Maclaurin features."""
    _, labels = descriptors()
    pooled = projected(sqlrp.MaclaurinPooling(k=64, seed=7), sqlrp.Wide("descriptors", key="id"))
    by_label(axes, PCA(2).fit_transform(pooled), labels)


def sketch_pooling(axes: Axes) -> None:
    """The same tiles by tensor sketches of 32 numbers."""
    _, labels = descriptors()
    pooled = projected(sqlrp.SketchPooling(k=32, seed=7), sqlrp.Wide("descriptors", key="id"))
    by_label(axes, PCA(2).fit_transform(pooled), labels)


def full_bilinear_pooling(axes: Axes) -> None:
    """The same tiles by all products of the first 12 numbers of a window: 144 components."""
    _, labels = descriptors()
    source = sqlrp.Wide("descriptors", key="id", features=[f"f{j}" for j in range(12)])
    by_label(axes, PCA(2).fit_transform(projected(sqlrp.FullBilinearPooling(k=144), source)), labels)


def random_subspace(axes: Axes) -> None:
    """One digit, of which 32, 16 and 8 of the 64 pixels are kept. Nothing is added up."""
    x = rows("digits")[0][3]
    panels = [x]
    for k in (32, 16, 8):
        kept = np.asarray(sqlrp.RandomSubspace(k=k, seed=7).stages(64)[0].matrix(np.arange(64))).any(axis=1)
        panels.append(np.where(kept, x, np.nan))
    gap = np.full((8, 1), np.nan)
    picture = np.hstack([part for panel in panels for part in (panel.reshape(8, 8), gap)][:-1])
    axes.set_facecolor("#e8ebef")
    axes.imshow(picture, cmap="Greys", vmin=0, vmax=16)
    axes.set(xticks=[4, 13, 22, 31], xticklabels=["64 pixels", "32", "16", "8"], yticks=[])


def hadamard_projection(axes: Axes) -> None:
    """Digits: the values of all pixels, and of all 64 coordinates after the rotation, which is good for quantisers."""
    x, z = rows("digits")[0], projected(sqlrp.HadamardProjection(k=64, seed=7))
    for values, colour, label in ((x, GREY, "pixels"), (z, BLUE, "rotated")):
        axes.hist(values.ravel(), bins=60, range=(-30, 30), color=colour, alpha=0.7, label=label, density=True)
    axes.set(xlabel="value", yticks=[], ylim=(0, 0.15))
    axes.legend(frameon=False)


def sparse_embedding(axes: Axes) -> None:
    """Paragraphs as word counts: the cosine of all pairs, exact and by 256 sums. No list of words is kept."""

    def cosines(x: Floats) -> Floats:
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        return (unit @ unit.T)[np.triu_indices(len(x), 1)]

    z = projected(sqlrp.SparseEmbedding(k=256, seed=7), LONG)
    against(axes, cosines(rows("words")[0]), cosines(z), "cosine")


def random_maclaurin(axes: Axes) -> None:
    """Digits, degree 2: the error of the kernel against k, compared with products of shared sums."""
    methods: dict[str, Callable[[int], sqlrp.Projection]] = {
        "RandomMaclaurin": lambda k: sqlrp.RandomMaclaurin(k=k, degree=2, seed=7),
        "PolynomialKernelProjection": lambda k: sqlrp.PolynomialKernelProjection(k=k, t=10, s=3, seed=7),
    }
    kernel_error(methods, axes)


def tensor_sketch(axes: Axes) -> None:
    """Digits, degree 3: the error of the kernel against k, compared with products of shared sums."""
    methods: dict[str, Callable[[int], sqlrp.Projection]] = {
        "TensorSketch": lambda k: sqlrp.TensorSketch(k=k, degree=3, seed=7),
        "PolynomialKernelProjection": lambda k: sqlrp.PolynomialKernelProjection(k=k, degree=3, t=10, s=3, seed=7),
    }
    kernel_error(methods, axes, degree=3)


def random_fourier_features(axes: Axes) -> None:
    """Digits: the radial kernel of all pairs, exact and estimated by 512 cosines."""
    x, z = rows("digits")[0], projected(sqlrp.RandomFourierFeatures(k=512, gamma=0.001, seed=7))
    upper = np.triu_indices(len(x), 1)
    own = (x * x).sum(axis=1)
    against(axes, np.exp(-0.001 * (own[:, None] + own - 2 * x @ x.T))[upper], (z @ z.T)[upper], "kernel")


def explicit_polynomial_projection(axes: Axes) -> None:
    """Digits: squared distances of all 2,080 monomials of degree 2, and of their projection to 64."""
    x, z = rows("digits")[0], projected(sqlrp.ExplicitPolynomialProjection(k=64, degree=2, seed=7))
    kernel = (x @ x.T) ** 2
    own = kernel.diagonal()
    exact = (own[:, None] + own - 2 * kernel)[np.triu_indices(len(x), 1)]
    against(axes, exact, distances(z), "distance²")


def recall(x: Floats, z: Floats, at: int = 5) -> float:
    """The share of the nearest neighbours that stay among the nearest."""

    def nearest(rows_: Floats) -> npt.NDArray[np.int64]:
        own = (rows_ * rows_).sum(axis=1)
        far = own[:, None] + own - 2 * rows_ @ rows_.T
        np.fill_diagonal(far, np.inf)
        return np.argsort(far, axis=1)[:, :at]

    return float(np.mean([len(set(a) & set(b)) / at for a, b in zip(nearest(x), nearest(z), strict=True)]))


def data_tuned_projection(axes: Axes) -> None:
    """Digits, k = 16: the share of the 5 nearest neighbours that stay, for five seeds, before and after tuning."""
    x = rows("digits")[0]
    for seed in range(5):
        drawn = recall(x, projected(sqlrp.SparseProjection(k=16, s=3, seed=seed)))
        tuned = learnt(sqlrp.DataTunedProjection(k=16, s=3, seed=seed))
        axes.plot([0, 1], [drawn, recall(x, projected(tuned))], "o-", color=BLUE)
    axes.set(xticks=[0, 1], xticklabels=["drawn", "tuned"], xlim=(-0.4, 1.4), ylabel="recall@5")


def nystroem_projection(axes: Axes) -> None:
    """Digits, degree 2: the kernel of all pairs, ordered by digit, exact and by 64 features learnt from the rows."""
    x, y = rows("digits")
    z = projected(learnt(sqlrp.NystroemProjection(k=64, degree=2, seed=7)))
    heat(axes, (x @ x.T) ** 2, z @ z.T, y)


def kernel_gaussian_projection(axes: Axes) -> None:
    """Digits, degree 2: squared distances of the kernel of all pairs, exact and by 128 features."""
    x = rows("digits")[0]
    z = projected(learnt(sqlrp.KernelGaussianProjection(k=128, degree=2, seed=7)))
    kernel = (x @ x.T) ** 2
    own = kernel.diagonal()
    against(axes, (own[:, None] + own - 2 * kernel)[np.triu_indices(len(x), 1)], distances(z), "distance²")


def principal_components(axes: Axes) -> None:
    """Digits at their first two principal components, computed and applied in the database."""
    fitted = learnt(sqlrp.PrincipalComponents(k=2))
    by_label(axes, projected(fitted, lowering="sql"), rows("digits")[1])


def whitened_components(axes: Axes) -> None:
    """Digits at their first two principal components, each of variance 1."""
    by_label(axes, projected(learnt(sqlrp.WhitenedComponents(k=2)), lowering="sql"), rows("digits")[1])


def linear_discriminants(axes: Axes) -> None:
    """Digits at the two components that tell them apart best, solved from sums in the database."""
    by_label(axes, projected(taught(sqlrp.LinearDiscriminants(k=2), "digit")), rows("digits")[1])


def canonical_correlation(axes: Axes) -> None:
    """Digits at the two components that are most correlated with the columns "is 0", "is 1" and so on."""
    by_label(axes, projected(taught(sqlrp.CanonicalCorrelation(k=2), INDICATORS)), rows("digits")[1])


def partial_least_squares(axes: Axes) -> None:
    """Digits at the two components whose covariance with the columns "is 0", "is 1" and so on is greatest."""
    by_label(axes, projected(taught(sqlrp.PartialLeastSquares(k=2), INDICATORS)), rows("digits")[1])


def given_projection(axes: Axes) -> None:
    """Digits: what DuckDB computes by a fitted SparseRandomProjection of scikit-learn, and what scikit-learn does."""
    x = rows("digits")[0]
    fitted = SparseRandomProjection(16, random_state=7).fit(x)
    against(axes, fitted.transform(x), projected(sqlrp.from_sklearn(fitted), lowering="sql"), "scikit-learn's value")
    axes.set(xlabel="scikit-learn's value", ylabel="sqlrp's value")


def given_tensor_sketch(axes: Axes) -> None:
    """Digits: what DuckDB computes by a fitted PolynomialCountSketch of scikit-learn, and what scikit-learn does."""
    x = rows("digits")[0]
    fitted = PolynomialCountSketch(gamma=1.0, degree=2, n_components=16, random_state=7).fit(x)
    against(axes, fitted.transform(x), projected(sqlrp.from_sklearn(fitted), lowering="sql"), "scikit-learn's value")
    axes.set(xlabel="scikit-learn's value", ylabel="sqlrp's value")


def given_radial_features(axes: Axes) -> None:
    """Digits: the Gaussian kernel of all pairs, by digit, exact and by scikit-learn's fitted Nystroem in SQL."""
    x, y = rows("digits")
    fitted = Nystroem(kernel="rbf", gamma=0.001, n_components=64, random_state=7).fit(x)
    z = projected(sqlrp.from_sklearn(fitted), lowering="sql")
    own = (x * x).sum(axis=1)
    heat(axes, np.exp(-0.001 * (own[:, None] + own - 2 * x @ x.T)), z @ z.T, y)


def given_fourier_features(axes: Axes) -> None:
    """Digits: the Gaussian kernel of all pairs, by digit, exact and by scikit-learn's fitted RBFSampler in SQL."""
    x, y = rows("digits")
    fitted = RBFSampler(gamma=0.001, n_components=512, random_state=7).fit(x)
    z = projected(sqlrp.from_sklearn(fitted), lowering="sql")
    own = (x * x).sum(axis=1)
    heat(axes, np.exp(-0.001 * (own[:, None] + own - 2 * x @ x.T)), z @ z.T, y)


def any_method(method: type[sqlrp.Projection], axes: Axes) -> None:
    """Digits: squared distances of the method's kernel, and those of its components, to one scale."""
    x = rows("digits")[0]
    made = method(k=method.components_from(64, {field.name: field.default for field in fields(method)}))
    kernel, found = made.kernel().matrix(x), distances(projected(made))
    own = kernel.diagonal()
    exact = (own[:, None] + own - 2 * kernel)[np.triu_indices(len(x), 1)]
    against(axes, exact, found * exact.sum() / found.sum(), "distance²")


def picture(method: type[sqlrp.Projection]) -> Callable[[Axes], None]:
    """The function of this module that is named after the method, or else `any_method`."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", method.__name__).lower()
    own = partial(any_method, method)
    own.__doc__ = any_method.__doc__
    return globals().get(name, own)  # type: ignore[no-any-return]


PICTURES = {method.__name__: picture(method) for method in REGISTRY}
"""A picture for each method of the registry."""


def main(folder: Path) -> None:
    """Draw all pictures."""
    mpl.use("agg")
    folder.mkdir(parents=True, exist_ok=True)
    for end in THEMES:
        themed(end)
        for name, drawn in PICTURES.items():
            figure, axes = plt.subplots(figsize=(4.2, 3), layout="constrained")
            drawn(axes)
            figure.savefig(folder / f"{name}{end}.png", dpi=160, metadata={"Software": None})
            plt.close(figure)


def themed(end: str) -> None:
    """Draw from here on in the colours of a theme."""
    global BLUE, ORANGE
    BLUE, ORANGE, text, ground = THEMES[end]
    plt.rcParams |= {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    plt.rcParams |= dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), ground)
    named = ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color")
    plt.rcParams |= dict.fromkeys(named, text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
