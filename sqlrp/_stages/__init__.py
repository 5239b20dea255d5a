"""Stages: every projection is a short pipeline of these maps, each one formula on a vector of features.

A stage contains no SQL and does not depend on the layout of the table. `sqlrp._lowering` turns it into SQL, and
`sqlrp._evaluator` evaluates it in this process. The vector that enters the pipeline contains the
features of a row. The draw identifies features by feature numbers (their positions, or hashes of their names). After
the first stage that sums, the entries of a vector are numbered from 0. The scale is not a stage: the projection applies
it once at the end, as a factor.
"""

from sqlrp._stages.elementwise import Absolute, Bounded, Cosine, Elementwise, Exponential, Power, Rounded, SignedRoot
from sqlrp._stages.entries import AppendConstant, Normalise, Rescale, SumOverGroup
from sqlrp._stages.monomial_sums import MonomialSums
from sqlrp._stages.products import ONE, Convolved, GivenProducts, Products, SumOfProducts, products_of, run
from sqlrp._stages.stage import Stage, Weights
from sqlrp._stages.sums import (
    BlockSums,
    Butterfly,
    FourierSums,
    Linear,
    NormalSums,
    ReflectedPick,
    SignedSums,
    SplitSums,
    WeightedSums,
)

__all__ = [
    "ONE",
    "Absolute",
    "AppendConstant",
    "BlockSums",
    "Bounded",
    "Butterfly",
    "Convolved",
    "Cosine",
    "Elementwise",
    "Exponential",
    "FourierSums",
    "GivenProducts",
    "Linear",
    "MonomialSums",
    "NormalSums",
    "Normalise",
    "Power",
    "Products",
    "ReflectedPick",
    "Rescale",
    "Rounded",
    "SignedRoot",
    "SignedSums",
    "SplitSums",
    "Stage",
    "SumOfProducts",
    "SumOverGroup",
    "WeightedSums",
    "Weights",
    "products_of",
    "run",
]
