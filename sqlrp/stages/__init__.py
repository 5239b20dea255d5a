"""The algebra: every projection is a short pipeline of these stages, each one line on a vector of features.

A stage knows neither SQL nor a layout; `sqlrp.lowering` turns it into SQL and `sqlrp.stages.evaluate` into numpy,
written apart from one another. The vector that enters the pipeline holds the features of a row. The draw knows them
by feature numbers (their positions, or hashes of their names). After the first stage that sums, the entries of a
vector are numbered from 0. The scale is no stage: it is delayed to the end, as one factor of the projection.
"""

from sqlrp.stages.base import Stage, Weights
from sqlrp.stages.entries import AppendConstant, Exponential, Normalise, Power, Rescale, SignedRoot, SumOverGroup
from sqlrp.stages.products import ONE, GivenProducts, Products, SumOfProducts
from sqlrp.stages.sums import (
    BlockSums,
    Butterfly,
    Linear,
    NormalSums,
    ReflectedPick,
    SignedSums,
    WeightedSums,
)

__all__ = [
    "ONE",
    "AppendConstant",
    "BlockSums",
    "Butterfly",
    "Exponential",
    "GivenProducts",
    "Linear",
    "NormalSums",
    "Normalise",
    "Power",
    "Products",
    "ReflectedPick",
    "Rescale",
    "SignedRoot",
    "SignedSums",
    "Stage",
    "SumOfProducts",
    "SumOverGroup",
    "WeightedSums",
    "Weights",
]
