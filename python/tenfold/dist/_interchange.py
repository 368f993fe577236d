"""Elements by lists, boxes that ranks hold, and ScaLAPACK's matrices."""
import numpy

from ._arguments import same_kind
from ._extension import engine
from ._slices import Selection

BlockCyclic = engine.BlockCyclic


class Interchange:
    """What Tensor has of them. Each rank passes its own."""

    def read_elements(self, positions):
        """Collective. An array of elements at positions, which each rank chooses for itself, as numpy's index arrays:

            values = t.read_elements(([0, 5], [1, 2]))          # t[0, 1] and t[5, 2]

        positions: a tuple of integers or integer arrays, one for each mode, which are broadcast together; None for no
        element
        """
        with self._world._preparing():
            rows, shape = self._rows_of(positions)
            values = numpy.empty(len(rows), self._stored)
        self._engine.read_elements(rows, values)
        return self._seen(values).reshape(shape)[()]

    def write_elements(self, positions, values=0):
        """Collective. Sets elements at positions, those of read_elements(), to values, which are broadcast. An
        element that is written several times gets the last value of the highest rank."""
        self._engine.write_elements(*self._list_of(positions, values))

    def add_elements(self, positions, values=0):
        """Collective. Adds to elements at positions, those of read_elements(), as numpy.add.at() does: repeated ones
        get all values, first those of rank 0 in their order."""
        self._engine.add_elements(*self._list_of(positions, values))

    def _list_of(self, positions, values):
        with self._world._preparing():
            rows, shape = self._rows_of(positions)
            values = numpy.broadcast_to(same_kind(values, self._dtype), shape)
            return rows, numpy.ascontiguousarray(self._kept(values.reshape(-1)))

    def _rows_of(self, positions):
        """One position in each row, and the shape of what they select."""
        if positions is None:
            return numpy.empty((0, self.ndim), numpy.int64), (0,)
        positions = positions if isinstance(positions, tuple) else (positions,)
        if len(positions) != self.ndim:
            raise IndexError(f"positions have {len(positions)} indices, but the tensor has {self.ndim} modes")
        modes = [numpy.asarray(one) for one in positions]
        for mode, (indices, extent) in enumerate(zip(modes, self.shape)):
            if indices.size and indices.dtype.kind not in "iu":
                raise TypeError(f"mode {mode} is indexed by integers, not {indices.dtype}")
            outside = indices[(indices < -extent) | (indices >= extent)]
            if outside.size:
                raise IndexError(f"position {outside[0]} is outside of mode {mode}, whose extent is {extent}")
            modes[mode] = numpy.where(indices < 0, indices + extent, indices).astype(numpy.int64)
        modes = numpy.broadcast_arrays(*modes)
        shape = modes[0].shape if modes else ()
        rows = numpy.empty((int(numpy.prod(shape)), self.ndim), numpy.int64)
        for mode, indices in enumerate(modes):
            rows[:, mode] = indices.reshape(-1)
        return rows, shape

    def import_boxes(self, boxes):
        """Collective. Sets the elements in boxes that each rank holds, in any number:

            t.import_boxes([(np.s_[0:3, :], part), (np.s_[5:6, 2:4], other)])

        boxes: pairs of an index, as t[index] takes it, with slices of step 1, and values. No element may be in two
        boxes, of one rank or of two; others keep their values.
        """
        with self._world._preparing():
            held = []
            for index, values in boxes:
                chosen = Selection(index, self.shape)
                if not chosen.is_box:
                    raise ValueError("boxes have slices of step 1; tensor[...] = values takes others, too")
                values = chosen.expanded(same_kind(values, self._dtype))
                if not chosen.is_empty:
                    held.append((chosen.offsets, self._kept(values)))
        self._engine.import_boxes(held)

    def export_boxes(self, indices):
        """Collective. Arrays of what several indices select, which each rank chooses for itself: [t[index] for index
        in indices], by one call."""
        with self._world._preparing():
            chosen = [Selection(index, self.shape) for index in indices]
            boxes = [numpy.empty(one.extents, self._stored, order="F") for one in chosen]
            wanted = [(one.offsets, box) for one, box in zip(chosen, boxes) if not one.is_empty]
        self._engine.export_boxes(wanted)
        return [one.of_box(self._seen(box)) for one, box in zip(chosen, boxes)]

    def import_block_cyclic(self, matrix, local=None):
        """Collective. Sets a tensor of two modes from a matrix as ScaLAPACK distributes it.

        matrix: the BlockCyclic that says how; all ranks pass the same one, each with its own place
        local: this rank's part, an array of matrix.local_shape; ignored outside of the grid
        """
        with self._world._preparing():
            self._check_matrix(matrix)
            if matrix.place == (-1, -1):
                local = numpy.empty((0, 0), self._dtype)
            local = same_kind(local, self._dtype)
            if local.shape != matrix.local_shape:
                raise ValueError(f"the local part has shape {local.shape}, but this process stores "
                                 f"{matrix.local_shape}")
            local = self._kept(numpy.asfortranarray(local))
        self._engine.import_block_cyclic(matrix, local)

    def export_block_cyclic(self, matrix):
        """Collective. This rank's part of the tensor as a matrix that ScaLAPACK distributes as a BlockCyclic says: an
        array in Fortran order, of matrix.local_shape."""
        with self._world._preparing():
            self._check_matrix(matrix)
            local = numpy.empty(matrix.local_shape, self._stored, order="F")
        self._engine.export_block_cyclic(matrix, local)
        return self._seen(local)

    def _check_matrix(self, matrix):
        if not isinstance(matrix, BlockCyclic):
            raise TypeError(f"a block-cyclic matrix is described by a BlockCyclic, not {type(matrix).__name__}")
