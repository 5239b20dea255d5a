"""scikit-learn's own tests of what has a counterpart here, run on the transformers: what fails, and why it may.

Every failure is listed with the reason why the test does not apply. A listed test that passes is a failure too, so that
the list stays true.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import sklearn
from counterparts import MODULES

SUPPORT = Path(__file__).parent.parent / "support"
KNOWN = "1.9"
"""The version of scikit-learn whose tests the lists are of."""

VARIANCES = "the projection keeps directions, and no variances of them"
WHITEN = "PrincipalComponents does not whiten: a ridge on scaled components, or from_sklearn of a PCA does"
SHARE = "the number of components is a whole number: it is not chosen by explained variance"
KERNELS = "the kernels are polynomial of a whole degree, rbf and cosine, as SQL has no function of Python"
WORDS = "the error is worded otherwise"
ATTRIBUTES = "the weights are in projection_, under names of its own"

NEVER: dict[str, str] = {
    "test_too_many_samples_to_find_a_safe_embedding": WORDS,
    "test_SparseRandomProj_output_representation": "projected rows are dense",
    "test_correct_RandomProjection_dimensions_embedding": "the least number of components is rounded up, and not down",
    "test_warning_n_components_greater_than_n_features": "the warning is a SqlrpWarning",
    "test_inverse_transform": "sqlrp.back_project takes components back, and the transformer does not",
    "test_rbf_sampler": "the numbers drawn are others: a mean error of 0.01 is half of its deviation over the seeds",
    "test_rbf_sampler_fitted_attributes_dtype": ATTRIBUTES,
    "test_rbf_sampler_dtype_equivalence": ATTRIBUTES,
    "test_rbf_sampler_gamma_scale": "gamma is a number: 'scale' depends on the rows, and nothing is learnt from them",
    "test_nystroem_approximation": KERNELS,
    "test_nystroem_default_parameters": KERNELS,
    "test_nystroem_poly_kernel_params": KERNELS,
    "test_nystroem_callable": KERNELS,
    "test_nystroem_precomputed_kernel": KERNELS,
    "test_nystroem_component_indices": ATTRIBUTES,
    "test_pca": VARIANCES,
    "test_pca_sparse": VARIANCES,
    "test_pca_sparse_fit_transform": VARIANCES,
    "test_sparse_pca_solver_error": "every way of computing takes sparse rows",
    "test_sparse_pca_auto_arpack_singular_values_consistency": VARIANCES,
    "test_whitening": WHITEN,
    "test_pca_solver_equivalence": WHITEN,
    "test_pca_explained_variance_empirical": VARIANCES,
    "test_pca_singular_values_consistency": VARIANCES,
    "test_pca_singular_values": VARIANCES,
    "test_pca_inverse": WHITEN,
    "test_pca_validation": WORDS,
    "test_n_components_mle": SHARE,
    "test_n_components_mle_error": SHARE,
    "test_pca_dim": SHARE,
    "test_infer_dim_1": VARIANCES,
    "test_infer_dim_2": VARIANCES,
    "test_infer_dim_3": VARIANCES,
    "test_infer_dim_by_explained_variance": SHARE,
    "test_pca_score": VARIANCES,
    "test_pca_score3": VARIANCES,
    "test_pca_sanity_noise_variance": VARIANCES,
    "test_pca_score_consistency_solvers": VARIANCES,
    "test_pca_zero_noise_variance_edge_cases": VARIANCES,
    "test_pca_svd_solver_auto": "there is no choice of a solver",
    "test_pca_dtype_preservation": "the weights are in double precision; projected rows keep the type of theirs",
    "test_pca_n_components_mostly_explained_variance_ratio": VARIANCES,
    "test_mle_redundant_data": SHARE,
    "test_fit_mle_too_few_samples": SHARE,
    "test_mle_simple_case": SHARE,
    "test_feature_names_out": "the names of the components are those of the transformer's class",
    "test_variance_correctness": VARIANCES,
}
"""Tests that fail with any parameters, and so are tried with the first ones alone."""
SOME: dict[str, str] = {
    "test_random_projection_dtype_match[float32-float32-*]": "the weights are in double precision",
    "test_polynomial_count_sketch[2.5-3-5000-2.5]": "the numbers drawn are others: the bound is that of one seed",
    "test_n_components_none[data?-arpack-3]": "there is no choice of a solver, of which this one finds one less",
}
"""Tests that fail with the parameters that the pattern fits."""


@pytest.mark.slow
def test_scikit_learn_s_own_tests(tmp_path: Path) -> None:
    found = outcomes(tmp_path)
    assert sum(each["outcome"] == "passed" for each in found.values()) >= 70
    if not sklearn.__version__.startswith(KNOWN):
        return  # nothing crashed: the lists are of the tests of one version
    failed = {name for name, each in found.items() if each["outcome"] == "failed"}
    listed = {name for name in found for pattern in (*NEVER, *SOME) if fits(name, pattern)}
    assert {name: found[name]["said"] for name in sorted(failed - listed)} == {}, "a failure that is not listed"
    assert sorted(name for name in listed - failed if found[name]["outcome"] == "passed") == [], "listed, and passes"
    gone = [pattern for pattern in (*NEVER, *SOME) if not any(fits(name, pattern) for name in found)]
    assert gone == [], "listed, and not there"


def fits(name: str, pattern: str) -> bool:
    """Whether a test is the one of a pattern, with any parameters if that has none."""
    # fnmatch would read brackets as a choice of letters.
    return fnmatchcase(name.replace("[", "("), pattern.replace("[", "(")) or name.partition("[")[0] == pattern


def outcomes(directory: Path) -> dict[str, dict[str, str]]:
    """What became of each test, in a process of its own, whose modules of scikit-learn are changed."""
    out = directory / "outcomes.json"
    own = {"SQLRP_COUNTERPARTS": str(out), "SQLRP_COUNTERPARTS_ONCE": " ".join(NEVER)}
    path = os.pathsep.join([str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])])
    asked = ["-q", "-p", "counterparts", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(directory)]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *asked, "--pyargs", *MODULES],
        env={**os.environ, **own, "PYTHONPATH": path},
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stdout[-3000:] + ended.stderr[-3000:]
    ran = sum(int(n) for n, _ in re.findall(r"(\d+) (passed|failed|skipped)", ended.stdout.splitlines()[-1]))
    found: dict[str, dict[str, str]] = json.loads(out.read_text(encoding="utf-8"))
    assert len(found) == ran, "a test that no report is of"
    return found
