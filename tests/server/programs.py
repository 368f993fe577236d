"""Tests of tenfold-server: programs of equations, against numpy."""
import numpy as np
from running import numbers, refused

PROGRAM = """
index i, j: row
index a: column
input A[i,a], e[i], s
output R[i,j], n
T[i,a] = A[i,a] / (e[i] + 1)
R[i,j] = s*T[i,a]*A[j,a] + P(i,j)*A[i,a]*T[j,a]
n = R[i,j]*R[i,j]
"""


def equations(s):
    a, e = numbers((6, 4), np.float64), np.arange(1.0, 7.0)
    t = a / (e + 1)[:, None]
    first = a @ t.T
    expected = 2.5 * t @ a.T + first - first.T
    A, E = s.put(a, "A"), s.put(e)
    result = s.program(PROGRAM, {"e": E, "s": 2.5})  # A is found by its name
    assert np.allclose(result["R"].get(), expected, rtol=1e-13, atol=1e-13) and result["R"].name == "R"
    assert np.isclose(result["n"], (expected**2).sum(), rtol=1e-13) and result.converged and result.profile
    other = s.program(PROGRAM, {"A": A, "e": E, "s": 0}, outputs={"R": "R2"})
    assert np.allclose(other["R"].get(), first - first.T, rtol=1e-13, atol=1e-13) and other["R"].name == "R2"
    told = s.explain_program(PROGRAM, {"e": E, "s": 1})
    assert told["outputs"][0]["extents"] == [6, 6] and len(told["lines"]) == 3 and told["text"]
    big = s.explain_program("index i: many\noutput V[i]\nV[i] = 0\n", sizes={"many": 1000})
    assert big["outputs"][0]["bytes"] == 8000
    zero = s.program("index i: many\noutput V[i]\nV[i] = 0\n", sizes={"many": 7})
    assert np.array_equal(zero["V"].get(), np.zeros(7))
    error = refused(lambda: s.program(PROGRAM, {"e": A, "s": 1}), 400, "order_mismatch")
    error = refused(lambda: s.program(PROGRAM, {"e": s.put(np.ones(5)), "s": 1}), 400, "extent_mismatch")
    assert error.fields["label"] == "row" and {error.fields["first"]["extent"], error.fields["second"]["extent"]} == {5, 6}
    refused(lambda: s.program(PROGRAM, {"e": E}), 400)
    refused(lambda: s.program(PROGRAM, {"e": E, "s": 1, "x": 1}), 400)
    refused(lambda: s.program("R[i] = A[i]"), 400)
    refused(lambda: s.program(PROGRAM, {"A": s.put(a.astype(np.complex128)), "e": E, "s": 1}), 400, "type_mismatch")
    refused(lambda: s.program("index i: many\noutput V[i]\nV[i] = 0\n", sizes={"many": 10**12}), 507)
    assert np.allclose(s.tensor("R").get(), expected, rtol=1e-13, atol=1e-13)  # what is refused changes nothing
    for tensor in s.tensors():
        tensor.delete()
