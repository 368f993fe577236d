"""Indices of distributed tensors: numbers, slices and one ellipsis, as NumPy's basic indexing has them."""
import operator

import numpy


class Selection:
    """The positions that an index selects: in each mode a range."""

    def __init__(self, index, shape):
        index = index if isinstance(index, tuple) else (index,)
        ellipses = [at for at, one in enumerate(index) if one is Ellipsis]
        if len(ellipses) > 1:
            raise IndexError("an index has one ellipsis at most")
        modes = len(index) - len(ellipses)
        if modes > len(shape):
            raise IndexError(f"{modes} indices for {len(shape)} modes")
        rest = (slice(None),) * (len(shape) - modes)
        at = ellipses[0] if ellipses else len(index)
        index = index[:at] + rest + index[at + 1:]
        self.ranges = []
        self.kept = []  # whether the mode stays: a number takes it away
        for mode, (one, extent) in enumerate(zip(index, shape)):
            self.kept.append(isinstance(one, slice))
            if isinstance(one, slice):
                self.ranges.append(range(*one.indices(extent)))
                continue
            try:
                position = operator.index(one)
            except TypeError:
                raise TypeError(f"mode {mode} is indexed by a number or a slice, not {type(one).__name__}") from None
            if not -extent <= position < extent:
                raise IndexError(f"position {position} is outside of mode {mode}, whose extent is {extent}")
            self.ranges.append(range(position % extent, position % extent + 1))

    @property
    def is_empty(self):
        return not all(self.ranges)

    @property
    def shape(self):
        """Of the array that the index gives."""
        return tuple(len(one) for one, kept in zip(self.ranges, self.kept) if kept)

    @property
    def offsets(self):
        """Where the smallest box that holds all positions begins; None if there are none."""
        return None if self.is_empty else [min(one[0], one[-1]) for one in self.ranges]

    @property
    def extents(self):
        """Of that box."""
        return [0 if self.is_empty else abs(one[-1] - one[0]) + 1 for one in self.ranges]

    @property
    def is_box(self):
        """Whether the box has no other positions, and they are in order."""
        return all(one.step == 1 or len(one) == 1 for one in self.ranges)

    def of_box(self, box):
        """What the index gives, of an array of the box's elements."""
        if self.is_empty:
            return numpy.empty(self.shape, box.dtype)
        return box[tuple(slice(None, None, one.step) if kept else 0 for one, kept in zip(self.ranges, self.kept))]

    def expanded(self, values):
        """An array with the modes back that numbers took away, of extent 1."""
        values = numpy.broadcast_to(values, self.shape)
        return values.reshape([len(one) for one in self.ranges])

    def assign_within(self, offsets, block, values):
        """Assigns what lies in a block of the tensor; `values` are expanded()."""
        to, of = [], []
        for positions, offset, extent in zip(self.ranges, offsets, block.shape):
            local = numpy.arange(positions.start, positions.stop, positions.step) - offset
            chosen = numpy.flatnonzero((local >= 0) & (local < extent))
            to.append(local[chosen])
            of.append(chosen)
        if to:
            block[numpy.ix_(*to)] = values[numpy.ix_(*of)]
        else:
            block[...] = values
