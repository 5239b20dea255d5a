"""The registry of methods: one line for each, in the order of the documentation.

These read it: the names in `sqlrp`, `from_json`, the command line, the functions inside databases, the
transformers of `sqlrp.sklearn`, and the tests. A name is imported "as" itself so that type checkers export it.
"""

# ruff: noqa: PLC0414
# isort: off
from sqlrp._projections.sparse import SparseProjection as SparseProjection
from sqlrp._projections.gaussian import GaussianProjection as GaussianProjection
from sqlrp._projections.orthonormal import OrthonormalProjection as OrthonormalProjection
from sqlrp._projections.polynomial import PolynomialKernelProjection as PolynomialKernelProjection
from sqlrp._projections.degree2 import Degree2KernelProjection as Degree2KernelProjection
from sqlrp._projections.bilinear import BilinearPooling as BilinearPooling
from sqlrp._projections.pooled_maclaurin import MaclaurinPooling as MaclaurinPooling
from sqlrp._projections.pooled_sketch import SketchPooling as SketchPooling
from sqlrp._projections.pooled_full import FullBilinearPooling as FullBilinearPooling
from sqlrp._projections.subspace import RandomSubspace as RandomSubspace
from sqlrp._projections.hadamard import HadamardProjection as HadamardProjection
from sqlrp._projections.sparse_embedding import SparseEmbedding as SparseEmbedding
from sqlrp._projections.maclaurin import RandomMaclaurin as RandomMaclaurin
from sqlrp._projections.tensor_sketch import TensorSketch as TensorSketch
from sqlrp._projections.fourier import RandomFourierFeatures as RandomFourierFeatures
from sqlrp._projections.explicit import ExplicitPolynomialProjection as ExplicitPolynomialProjection
from sqlrp._projections.data_tuned import DataTunedProjection as DataTunedProjection
from sqlrp._projections.nystroem import NystroemProjection as NystroemProjection
from sqlrp._projections.kernel_gaussian import KernelGaussianProjection as KernelGaussianProjection
from sqlrp._projections.principal import PrincipalComponents as PrincipalComponents
from sqlrp._projections.whitened import WhitenedComponents as WhitenedComponents
from sqlrp._projections.discriminants import LinearDiscriminants as LinearDiscriminants
from sqlrp._projections.canonical import CanonicalCorrelation as CanonicalCorrelation
from sqlrp._projections.least_squares import PartialLeastSquares as PartialLeastSquares
from sqlrp._projections.given import GivenProjection as GivenProjection
from sqlrp._projections.given_sketch import GivenTensorSketch as GivenTensorSketch
from sqlrp._projections.given_radial import GivenRadialFeatures as GivenRadialFeatures
from sqlrp._projections.given_fourier import GivenFourierFeatures as GivenFourierFeatures
