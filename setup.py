"""Build the native library with the package. Where no C compiler is, the package is installed without it, for numpy.

The library knows nothing of Python, so one wheel of a platform serves every version of Python.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

NAME = "sqlrp._core._native"
SUFFIX = ".dll" if sys.platform == "win32" else ".so"
FLAGS = {
    # Numbers as numpy's: no product is fused with a sum. No path and no time is kept, so that two builds are alike.
    "unix": ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", "-g0"],
    "msvc": ["/std:c11", "/O2", "/fp:precise"],
}
LINKED = {"unix": ["-Wl,-s"] if sys.platform == "linux" else [], "msvc": ["/Brepro"]}


class Library(build_ext):
    """A shared library beside the modules, not a module."""

    def get_ext_filename(self, fullname: str) -> str:
        """The file of the library."""
        return os.path.join(*fullname.split(".")) + SUFFIX

    def get_export_symbols(self, ext: Extension) -> list[str]:
        """Its functions say themselves that they are exported."""
        return []

    def get_libraries(self, ext: Extension) -> list[str]:
        """None, and not Python's."""
        return []

    def build_extension(self, ext: Extension) -> None:
        """Compile and link it with the flags of the compiler."""
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        ext.extra_compile_args = FLAGS[kind] + ([] if kind == "msvc" else [f"-ffile-prefix-map={Path.cwd()}=."])
        ext.extra_link_args = LINKED[kind]
        super().build_extension(ext)


class Wheel(bdist_wheel):
    """A wheel for every Python of a platform, or for any platform if the library could not be built."""

    def get_tag(self) -> tuple[str, str, str]:
        """The tags of the wheel."""
        built = Path(self.get_finalized_command("build_ext").get_ext_fullpath(NAME)).is_file()
        return "py3", "none", super().get_tag()[2] if built else "any"


sources = ["native/kernel.c"]
library = Extension(NAME, sources, depends=["native/sqlrp.h", "native/tiles.h"], optional=True)
packages = [*find_packages(include=["sqlrp*"]), "sqlrp._shipped"]
setup(packages=packages, ext_modules=[library], cmdclass={"build_ext": Library, "bdist_wheel": Wheel})
