"""The registry of methods: one line for each, in the order of the documentation.

These read it: the names in `sqlrp`, `from_json`, the command line, the functions inside databases, the
transformers of `sqlrp.sklearn`, and the tests. A name is imported "as" itself so that type checkers export it.
"""

# ruff: noqa: PLC0414
# isort: off
from sqlrp.projections.sparse import SparseProjection as SparseProjection
from sqlrp.projections.gaussian import GaussianProjection as GaussianProjection
from sqlrp.projections.orthonormal import OrthonormalProjection as OrthonormalProjection
from sqlrp.projections.polynomial import PolynomialKernelProjection as PolynomialKernelProjection
from sqlrp.projections.degree2 import Degree2KernelProjection as Degree2KernelProjection
from sqlrp.projections.bilinear import BilinearPooling as BilinearPooling
from sqlrp.projections.pooled_maclaurin import MaclaurinPooling as MaclaurinPooling
from sqlrp.projections.pooled_sketch import SketchPooling as SketchPooling
from sqlrp.projections.pooled_full import FullBilinearPooling as FullBilinearPooling
from sqlrp.projections.subspace import RandomSubspace as RandomSubspace
from sqlrp.projections.hadamard import HadamardProjection as HadamardProjection
from sqlrp.projections.embedding import SparseEmbedding as SparseEmbedding
from sqlrp.projections.maclaurin import RandomMaclaurin as RandomMaclaurin
from sqlrp.projections.tensor_sketch import TensorSketch as TensorSketch
from sqlrp.projections.fourier import RandomFourierFeatures as RandomFourierFeatures
from sqlrp.projections.explicit import ExplicitPolynomialProjection as ExplicitPolynomialProjection
from sqlrp.projections.data_tuned import DataTunedProjection as DataTunedProjection
from sqlrp.projections.nystroem import NystroemProjection as NystroemProjection
from sqlrp.projections.kernel_gaussian import KernelGaussianProjection as KernelGaussianProjection
from sqlrp.projections.principal import PrincipalComponents as PrincipalComponents
from sqlrp.projections.given import GivenProjection as GivenProjection
from sqlrp.projections.given_sketch import GivenTensorSketch as GivenTensorSketch
from sqlrp.projections.given_radial import GivenRadialFeatures as GivenRadialFeatures
from sqlrp.projections.given_fourier import GivenFourierFeatures as GivenFourierFeatures
