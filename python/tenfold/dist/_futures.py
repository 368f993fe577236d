"""Operations on distributed tensors whose messages travel in the background."""


class Future:
    """An operation whose messages travel while this rank does other things. Begun by contract_async(),
    Tensor.copy_from_async() or Tensor.redistribute_async():

        moved = v.redistribute_async(spread)
        tenfold.dist.contract("ai=abij*bj", u, f, out=s)  # v travels meanwhile
        v = moved.wait()

    Messages are handled by this thread, while it waits in collective calls of the same world and within contractions:
    a rank that computes for long without them calls test() now and then, and one that waits for others by other means,
    such as a barrier of mpi4py's, first waits for its futures. Until wait() has returned, inputs may be read but not
    written, and collective calls that use the output raise. A future that is dropped completes the messages of its
    rank; the output of a contraction stays as it was.
    """

    def __init__(self, handle, finish):
        self._engine = handle
        self._finish = finish
        self._result = None

    def test(self):
        """Handles messages that have come. Returns whether wait() has no message to wait for. Local."""
        return self._engine is None or self._engine.test()

    def wait(self):
        """Ends the operation, and returns its tensor: the one that was copied to, a new one of redistribute_async(), or
        the output of a contraction. Local, but for contractions, of which it is a collective call: it multiplies. Later
        calls return the same tensor."""
        if self._engine is not None:
            self._result = self._finish(self._engine.wait())
            self._engine = self._finish = None
        return self._result

    def __repr__(self):
        return f"<tenfold.dist.Future, {'under way' if self._result is None else 'done'}>"
