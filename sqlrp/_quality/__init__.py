"""The quality of a projection: measures, bounds from theory, and the report of `sqlrp.diagnose`."""

from sqlrp._projections.bounds import distortion_variance, expected_distortion, min_k
from sqlrp._quality.diagnosis import diagnose
from sqlrp._quality.kept_search import Recall, SearchReport
from sqlrp._quality.margins import SvmMeasures, SvrMeasures, enclosing_radius, svm_margin, svr_margin
from sqlrp._quality.measures import (
    Summary,
    auc,
    distortion,
    kernel_error,
    kernel_matrix,
    mean_distortion,
    pair_regularity,
    q_nx,
    r_nx,
    ratios,
    recall,
    regularity,
    squared_distances,
)
from sqlrp._quality.ranks import Ranks, friedman
from sqlrp._quality.report import Report
from sqlrp._quality.search_recall import recalls, search_recall

__all__ = [
    "Ranks",
    "Recall",
    "Report",
    "SearchReport",
    "Summary",
    "SvmMeasures",
    "SvrMeasures",
    "auc",
    "diagnose",
    "distortion",
    "distortion_variance",
    "enclosing_radius",
    "expected_distortion",
    "friedman",
    "kernel_error",
    "kernel_matrix",
    "mean_distortion",
    "min_k",
    "pair_regularity",
    "q_nx",
    "r_nx",
    "ratios",
    "recall",
    "recalls",
    "regularity",
    "search_recall",
    "squared_distances",
    "svm_margin",
    "svr_margin",
]
