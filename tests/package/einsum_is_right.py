"""einsum_is_right.py PREFIX [ISA]: the package tenfold below PREFIX contracts, on one thread and on two, with
kernels for ISA where one is named. Exits with status 1 where a result is wrong."""
import sys

import numpy
import tenfold

prefix, isa = (sys.argv[1:] + [None])[:2]
assert tenfold.__file__.startswith(prefix), tenfold.__file__
assert isa in (None, tenfold.current_context().isa), tenfold.current_context().isa
for shape in (3, 4, 5), (70, 80, 90), (300, 400, 500):
    m, k, n = shape
    a = (numpy.arange(m * k) % 7 - 3.0).reshape(m, k)
    b = (numpy.arange(k * n) % 5 - 2.0).reshape(k, n)
    wanted = numpy.zeros((n, m))
    for row in range(k):  # without BLAS
        wanted += b[row][:, None] * a[:, row][None, :]
    for threads in 1, 2:
        with tenfold.settings(threads=threads):
            found = tenfold.einsum("ij,jk->ki", a, b)
        if not (found == wanted).all():
            sys.exit(f"einsum of {shape} on {threads} threads is wrong")
plan = tenfold.plan("ij,jk->ik", numpy.ones((4, 4)), numpy.ones((4, 4)))
assert plan.summary["m"] == 4, plan.summary  # JSON is built in
print("tenfold", tenfold.__version__, tenfold.current_context().isa, "is right")
