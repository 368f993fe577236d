"""setuptools' commands, where the package comes from CMake and the source tree stays as it is."""
import gzip
import io
import os
import sysconfig
import tarfile
import tempfile
from pathlib import Path

from setuptools import Command
from setuptools.command.build import build
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info
from wheel.bdist_wheel import bdist_wheel

from . import cmake_build, platform_tag, source_tree

# For the files that setuptools would leave in the source tree; removed at the end of the process.
SCRATCH = tempfile.TemporaryDirectory(prefix="tenfold-wheel-")

# The time of all members of an sdist: the start of 1980, unless the environment says when.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))


class Build(build):
    def initialize_options(self):
        super().initialize_options()
        self.build_base = os.path.join(SCRATCH.name, "build")


class Metadata(egg_info):
    def initialize_options(self):
        super().initialize_options()
        self.egg_base = SCRATCH.name

    def find_sources(self):
        """Writes no list of sources: SourceArchive has one."""
        os.makedirs(self.egg_info, exist_ok=True)


class BuildPackage(build_py):
    def run(self):
        cmake_build.install_package(self.build_lib)


class WheelArchive(bdist_wheel):
    def finalize_options(self):
        self.distribution.has_ext_modules = lambda: True  # though CMake builds it
        super().finalize_options()

    def get_tag(self):
        python, abi, _ = super().get_tag()
        return python, abi, platform_tag.platform_tag(self.bdist_dir, sysconfig.get_platform())


class SourceArchive(Command):
    """The files of source_tree.files() and PKG-INFO. Equal trees give equal archives."""

    user_options = [("formats=", None, "gztar"), ("dist-dir=", "d", "where the archive goes")]

    def initialize_options(self):
        self.formats, self.dist_dir = "gztar", "dist"

    def finalize_options(self):
        if self.formats != "gztar":
            raise ValueError(f"sdists are .tar.gz, not {self.formats}")

    def run(self):
        self.run_command("egg_info")
        info = Path(self.get_finalized_command("egg_info").egg_info, "PKG-INFO").read_bytes()
        name = f"{self.distribution.get_name()}-{self.distribution.get_version()}"
        self.mkpath(self.dist_dir)
        archive = os.path.join(self.dist_dir, name + ".tar.gz")
        with open(archive, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=TIME) as packed, \
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in source_tree.files():
                add(tar, f"{name}/{path}", (source_tree.ROOT / path).read_bytes(),
                    os.access(source_tree.ROOT / path, os.X_OK))
            add(tar, f"{name}/PKG-INFO", info)
        self.distribution.dist_files.append(("sdist", "", archive))


def add(tar, name, content, is_program=False):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    member.mtime = TIME
    member.mode = 0o755 if is_program else 0o644
    tar.addfile(member, io.BytesIO(content))
