"""The PEP 517 backend of pyproject.toml: setuptools, which CMake gives the files of the package.

    python3 -m pip wheel --no-index --no-build-isolation --no-deps .

The environment may set

    TENFOLD_WHEEL_BUILD  the build folder. A configured one is packed as it was configured; otherwise
                         it is configured for a wheel. build/wheel if it is not set, and kept there.
    CMAKE_ARGS           further arguments for the configuration, as a shell reads them
"""
from setuptools.build_meta import (build_sdist, build_wheel, get_requires_for_build_sdist,
                                   get_requires_for_build_wheel, prepare_metadata_for_build_wheel)

__all__ = ["build_sdist", "build_wheel", "get_requires_for_build_sdist", "get_requires_for_build_wheel",
           "prepare_metadata_for_build_wheel"]
