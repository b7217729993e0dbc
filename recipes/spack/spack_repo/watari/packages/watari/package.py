"""Watari as a package of Spack."""

import os

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Watari(PythonPackage, CudaPackage):
    """Measures and explains how data crosses the memories of a GPU machine."""

    # `make sdist` makes this file; no server has it, so put it beside this recipe
    url = f"file://{os.path.join(os.path.dirname(__file__), 'watari-0.1.0.tar.gz')}"

    license("Apache-2.0")

    version("0.1.0")

    variant("mpi", default=True, description="Cases of several ranks")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("cmake@3.31:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-scikit-build-core@0.10:", type="build")
    depends_on("py-nanobind@2.9:", type="build")
    depends_on("py-numpy", type=("build", "run"))
    depends_on("py-pydantic@2:", type=("build", "run"))
    depends_on("py-rich", type=("build", "run"))
    depends_on("py-typer", type=("build", "run"))
    depends_on("py-tomli", type=("build", "run"), when="^python@:3.10")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("curl")
    depends_on("hwloc")
    depends_on("liburing")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="C++20 as of GCC 12")

    def config_settings(self, spec, prefix):
        def switch(condition):
            return "ON" if spec.satisfies(condition) else "OFF"

        settings = {
            "cmake.define.WATARI_CUDA": switch("+cuda"),
            "cmake.define.WATARI_MPI": switch("+mpi"),
        }
        kinds = spec.variants["cuda_arch"].value if spec.satisfies("+cuda") else ("none",)
        if kinds[0] != "none":
            settings["cmake.define.CMAKE_CUDA_ARCHITECTURES"] = ";".join(kinds)
        return settings
