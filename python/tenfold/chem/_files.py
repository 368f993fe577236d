"""FCIDUMP files, which the engine reads, and unpacks where its build has zlib and liblzma."""
import os
import zlib

from .._errors import Error, UnsupportedError, make_error

XZ = b"\xfd7zXZ\0"  # its first bytes
MOST_MEMORY = 256 << 20  # to unpack xz: a file may ask for 4 GiB


def read_fcidump_with(engine, file):
    """The engine's integrals of a file: a path, or an open one."""
    if hasattr(file, "read") and not isinstance(file, os.PathLike):
        return engine.read_fcidump_text(str(getattr(file, "name", type(file).__name__)), file.read)
    path = os.fsencode(file)
    try:
        return engine.read_fcidump(path)
    except UnsupportedError:  # as in wheels, which need the C library only
        return unpack(path, lambda text: engine.read_fcidump_text(os.fsdecode(path), text.read))


def unpack(path, use):
    """What use() makes of a file that Python unpacks, by gzip or xz. Raises FileError as the engine does."""
    with open(path, "rb") as packed:
        is_xz = packed.read(len(XZ)) == XZ
        packed.seek(0)
        try:
            if is_xz:
                return use(XzText(packed))
            import gzip
            with gzip.open(packed) as text:
                return use(text)
        except EOFError:
            problem = "the compressed file ends too early: it was cut short"
        except Error:
            raise
        except (OSError, zlib.error) as error:
            problem = f"the {'xz' if is_xz else 'gzip'} data cannot be unpacked: {error}"
    raise make_error("io", f"'{os.fsdecode(path)}': {problem}", "", None, None, None, None)


class XzText:
    """The text of an xz file, unpacked within a limit of memory, which lzma.open() does not take."""

    def __init__(self, packed):
        self.packed = packed
        self.begin()

    def begin(self):
        import lzma
        self.errors = lzma.LZMAError
        self.unpacker = lzma.LZMADecompressor(memlimit=MOST_MEMORY)

    def read(self, size):
        data = b""
        while True:
            if self.unpacker.eof:  # another stream may follow
                data = self.unpacker.unused_data or self.packed.read(size)
                if not data:
                    return b""
                self.begin()
            elif self.unpacker.needs_input and not data:
                data = self.packed.read(size)
                if not data:
                    raise EOFError
            try:
                text = self.unpacker.decompress(data, size)
            except self.errors as error:
                raise OSError(str(error)) from None
            if text:
                return text
            data = b""
