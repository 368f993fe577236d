"""The platform tag of a wheel, of what its shared objects ask of the system."""
import re
import subprocess
from pathlib import Path

# The C library's own. All other libraries must lie in the wheel.
C_LIBRARY = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux-[\w-]+)\.so\.\d+")


def platform_tag(folder, machine):
    """The tag of a wheel that holds `folder`, where `machine` is Python's name of it, "linux-x86_64".

    "manylinux_2_35_x86_64" (PEP 600) where glibc 2.35 is all that it needs. "linux_x86_64" where it
    needs other libraries of the machine that it was built on, and so belongs there.
    """
    system, _, processor = machine.replace("-", "_").partition("_")
    objects = [one for one in Path(folder).rglob("*") if re.search(r"\.so(\.|$)", one.name)]
    if not objects:
        raise FileNotFoundError(f"there is no shared object in {folder}")
    needed, versions = set(), {(2, 17)}  # the oldest that installers know by this kind of tag
    for one in objects:
        text = subprocess.run(["objdump", "-p", one], check=True, capture_output=True, text=True).stdout
        needed.update(re.findall(r"^\s+NEEDED\s+(\S+)", text, re.MULTILINE))
        versions.update((int(major), int(minor)) for major, minor in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text))
    outside = {name for name in needed - {one.name for one in objects} if not C_LIBRARY.fullmatch(name)}
    if system != "linux" or outside:
        return f"{system}_{processor}"
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{processor}"
