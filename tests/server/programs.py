"""Tests of tenfold-server: programs of equations, against numpy."""
import json
import time

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


def chains(s):
    """Chains of operations run as one program, and bars tell how far it is."""
    a, b, v = numbers((6, 4), np.float64), numbers((6, 4), np.float64), numbers((4,), np.float64)
    A, B, V = s.put(a), s.put(b), s.put(v)
    x = 2 * A.lazy() - B.lazy() / 4
    y = s.lazy("ij,kj->ik", x, A)
    n = s.lazy("ij,ij->", x, B)
    before = {job["id"] for job in s.jobs()}
    shown = []

    class Bar:
        def __init__(self, total, desc):
            shown.append(desc)

        def update(self, share):
            assert 0 <= share <= 1

        def close(self):
            shown.append("closed")

    with s.progress(after=0, bar=Bar):
        made, number, direct = s.compute(y - y.T + n * (y * y), n, A.lazy(), names=["chain"])
    assert [job["kind"] for job in s.jobs() if job["id"] not in before] == ["program"]
    assert shown in ([], ["program", "closed"]), shown  # it may be done before anybody looks
    d = 2 * a - b / 4
    w, m = d @ a.T, (d * b).sum()
    assert np.isclose(number, m, rtol=1e-13) and isinstance(number, float) and np.array_equal(direct.get(), a)
    assert made.name == "chain" and np.allclose(made.get(), w - w.T + m * w * w, rtol=1e-12, atol=1e-12)
    count = len(s.tensors())
    assert np.allclose(s.lazy("ij,j->i", B - x, V).get(), (b - d) @ v, rtol=1e-13, atol=1e-13)
    assert len(s.tensors()) == count
    assert np.allclose((-x).run("negative").get(), -d) and s.tensor("negative").shape == (6, 4)
    assert np.allclose((np.float64(3) * A.lazy().T).get(), 3 * a.T)
    assert len((x + B).explain()["lines"]) == 1
    for wrong in lambda: A.lazy() + V, lambda: s.lazy("ij,jk->ik", A, B), lambda: s.lazy("ij->k", A), \
            lambda: s.lazy("ij,j", A, V), lambda: s.lazy("i,j->ij", A, V), lambda: A.lazy() * V, lambda: A.lazy() * np.nan:
        try:
            wrong()
            raise AssertionError("a chain that makes no sense")
        except ValueError:
            pass
    for tensor in s.tensors():
        tensor.delete()


LONG = """
index i, j, k: row
input A[i,j]
output U[i,j], n
n = 0
repeat until n < 0 at most 1000000 {
    U[i,j] = A[i,k]*A[k,j]
    n += 1
}
"""


def cancelled(server, s):
    """A program that would run for minutes tells its progress, ends when it is cancelled, and leaves nothing."""
    a = s.put(numbers((40, 40), np.float64), "A")
    body = json.dumps({"program": LONG}).encode()
    job = json.loads(server.send("POST", "/v1/programs?wait=0", body, Content_Type="application/json")[1])["job"]

    def ask(wait):
        return json.loads(server.send("GET", f"/v1/jobs/{job['id']}?wait={wait}")[1])["job"]

    while not 0 < ask(0)["progress"] < 1:
        assert ask(0)["state"] in ("queued", "running"), ask(0)
        time.sleep(0.02)
    s.cancel(job["id"])
    ended = ask(60)
    assert ended["state"] == "cancelled" and ended["error"]["code"] == "stopped" and ended["progress"] < 1, ended
    refused(lambda: s.tensor("U"), 404, "not_found")
    short = s.program(LONG.replace("1000000", "2"), {"A": a})
    assert np.allclose(short["U"].get(), a.get() @ a.get(), rtol=1e-13, atol=1e-13) and short["n"] == 2
    for tensor in s.tensors():
        tensor.delete()
