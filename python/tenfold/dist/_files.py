"""Distributed tensors in files, which all ranks read and write, each its own part.

All ranks must see the same files. A file is written beside the former one, which it replaces at the end.
"""
import os

import numpy

from ._arguments import check_operand, type_named
from ._extension import engine
from ._tensors import Tensor, new_tensor


def named(tensors):
    """Tensors by name, and their world. One that stands alone has the empty name of a checkpoint."""
    tensors = {"": tensors} if isinstance(tensors, Tensor) else dict(tensors)
    known = [one for one in tensors.values() if isinstance(one, Tensor)]
    if not known:
        raise TypeError("files are written of distributed tensors")
    world = known[0].world
    with world._preparing():
        for name, one in tensors.items():
            if not isinstance(name, str):
                raise TypeError(f"a tensor's name is a text, not {type(name).__name__}")
            check_operand(one, f"tensor {name!r}", world)
    return world, [(name, one._engine) for name, one in tensors.items()]


def save(file, tensors):
    """Collective. Saves tensors by name, or one tensor, in one checkpoint:

        tenfold.dist.save("ccsd.checkpoint", {"T1": t1, "T2": t2})
    """
    world, entries = named(tensors)
    engine.save(world._engine, path_of(world, file), entries)


def load(world, file, names=None, out=None, distributions=None):
    """Collective. A dict of new tensors with those of a checkpoint, saved on any number of ranks.

    names: those that are wanted; all if it is not given
    out: a dict of tensors to load into instead, of the same types and shapes, which is returned
    distributions: of new tensors, by name
    """
    if out is not None:
        owner, entries = named(out)
        engine.load(owner._engine, path_of(owner, file), entries)
        return out
    found = stored(world, file)
    made = new_tensors(world, file, found, found if names is None else names, distributions)
    engine.load(world._engine, path_of(world, file), [(name, one._engine) for name, one in made.items()])
    return made


def stored(world, file):
    """Collective. The tensors of a checkpoint: a dict of (dtype, shape) by name, in the order in which they were saved."""
    return {name: (type_named(kind), shape)
            for name, kind, shape in engine.stored(world._engine, path_of(world, file))}


def save_npy(file, tensor):
    """Collective. Saves a tensor in an .npy file, in Fortran order."""
    world, ((_, handle),) = named({"": tensor})
    engine.save_npy(path_of(world, file), handle)


def load_npy(world, file, dtype=None, distribution=None):
    """Collective. A tensor with the array of an .npy file, of its type, or one that holds it exactly: float32 for
    half precision, float64 for integers and booleans."""
    dtype, shape = numpy_type(*stored_npy(world, file), dtype)
    made = new_tensor(world, shape, dtype, distribution)
    engine.load_npy(path_of(world, file), made._engine)
    return made


def stored_npy(world, file):
    """Collective. (dtype, shape) of the array in an .npy file; float64 for integers."""
    _, kind, shape = engine.stored_npy(world._engine, path_of(world, file))
    return type_named(kind), shape


def save_hdf5(file, tensors):
    """Collective. Saves tensors as datasets, by paths such as "ccsd/T2", of an HDF5 file, whose other objects
    stay."""
    world, entries = named(tensors)
    engine.save_hdf5(world._engine, path_of(world, file), entries)


def load_hdf5(world, file, names, distributions=None):
    """Collective. A tensor with a dataset of an HDF5 file; of a list of paths, a dict of tensors."""
    alone = isinstance(names, str)
    wanted = [names] if alone else list(names)
    found = {name: stored_hdf5(world, file, name) for name in wanted}
    if alone and not isinstance(distributions, (type(None), dict)):
        distributions = {names: distributions}
    made = new_tensors(world, file, found, wanted, distributions)
    engine.load_hdf5(world._engine, path_of(world, file), [(name, one._engine) for name, one in made.items()])
    return made[names] if alone else made


def stored_hdf5(world, file, name):
    """Collective. (dtype, shape) of a dataset."""
    _, kind, shape = engine.stored_hdf5(world._engine, path_of(world, file), name)
    return type_named(kind), shape


def path_of(world, file):
    with world._preparing():
        return os.fsdecode(file)


def numpy_type(dtype, shape, wanted):
    if wanted is not None:
        return numpy.dtype(wanted), shape
    return numpy.dtype(numpy.float32) if dtype == numpy.float16 else dtype, shape


def new_tensors(world, file, found, names, distributions):
    """Collective. Tensors of the types and shapes that a file has."""
    with world._preparing():
        names = list(names)
        for name in names:
            if name not in found:
                raise KeyError(f"{os.fsdecode(file)} has no tensor {name!r}; it has {', '.join(map(repr, found))}")
        distributions = dict(distributions or {})
    return {name: new_tensor(world, found[name][1], found[name][0], distributions.get(name)) for name in names}
