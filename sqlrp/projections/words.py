"""What each parameter of the methods does, in a few words."""

from __future__ import annotations

from sqlrp.projections.polynomial import VECTORS
from sqlrp.projections.trained import VARIANTS

PARAMETERS: dict[str, str] = {
    "k": "components of the result",
    "s": "one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features",
    "seed": "which table is drawn; the same for rows that are to be compared",
    "degree": "of the polynomial kernel",
    "p": "signed sums that all products share; without it 2k",
    "t": "products, or landmarks, summed for a component",
    "c": "the kernel is (<x, y> + c)^degree",
    "minimise_repetition": "use every signed sum equally often",
    "vectors": f"what weighs the sums: {' or '.join(VECTORS)}",
    "m": "signed squares summed for a component: 1, or even",
    "modified": "take the squares out of the kernel, for few features",
    "normalise": "signed root and Euclidean norm 1 at the end",
    "densify": "householder reflects the rows first, for rows with few non-zeros",
    "nnz_per_feature": "sums that a feature goes into; divides k",
    "sample": "rows to learn from, drawn in the database",
    "n_iter": "steps of the search",
    "variant": f"how the vectors are made: {', '.join(VARIANTS)}",
}
"""What each parameter does; which there are, of what type and default, the methods themselves say."""
