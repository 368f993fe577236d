"""Tensors, in drive_server: what is uploaded, computed and downloaded, compared with numpy."""
import io
import random
import threading
import time

import client
import numpy as np
from running import chance, draw, numbers, ranks, refused, seed


def arrays(s):
    """Uploads and downloads are exact, in all types and orders."""
    for dtype in np.float32, np.float64, np.complex64, np.complex128:
        for shape in (), (7,), (0, 3), (5, 4, 3), (1, 6, 1, 2):
            for array in numbers(shape, dtype), np.asfortranarray(numbers(shape, dtype)), numbers(shape, dtype).T:
                tensor = s.put(array)
                assert tensor.shape == array.shape and tensor.dtype == array.dtype
                back = tensor.get()
                assert back.dtype == array.dtype and np.array_equal(back, array)
                tensor.delete()
    strided = numbers((6, 8), np.float64)[::2, ::-2]
    assert np.array_equal(s.put(strided).get(), strided)
    integers = draw.integers(-100, 100, (3, 4)).astype(">i4")
    assert np.array_equal(s.put(integers).get(), integers)
    large = draw.standard_normal((1100, 1030))  # more than a chunk
    for array in large, np.asfortranarray(large):
        assert np.array_equal(s.put(array, "large").get(), array)
    s.tensor("large").delete()


def slices(s):
    """Boxes, compared with what numpy does."""
    for dtype in np.float32, np.complex128:
        for shape in (), (7,), (5, 4, 3), (0, 3):
            array = np.asarray(numbers(shape, dtype))
            tensor = s.put(array)
            for _ in range(4):
                index = tuple(chance.choice([slice(*sorted(chance.choices(range(extent + 1), k=2))), slice(None),
                                             slice(-2, None), chance.randrange(extent) if extent else slice(None)])
                              for extent in shape)
                if chance.random() < 0.3:
                    index = (*index[:1], ..., *index[2:])
                got = tensor.get(index)
                assert got.dtype == array.dtype and np.array_equal(got, array[index]), index
                values = numbers(np.shape(array[index]), dtype).T.copy().T
                former, before = s.tensor(tensor.name), tensor.generation
                tensor[index] = values
                array[index] = values
                assert np.array_equal(tensor.get(), array), index
                assert tensor.generation != before
                refused(former.get, 409, "stale")
            tensor.delete()
    array = numbers((6, 5), np.float64)
    tensor = s.put(array)
    tensor[2:4] = 7
    tensor[:, -1] = np.arange(6)
    array[2:4], array[:, -1] = 7, np.arange(6)
    assert np.array_equal(tensor[...], array) and tensor[3, 4] == array[3, 4]
    for wrong, kind in (np.s_[::2], IndexError), (np.s_[6], IndexError), (np.s_[0, 0, 0], IndexError):
        try:
            tensor.get(wrong)
            raise AssertionError(wrong)
        except kind:
            pass
    for values, kind in (np.zeros((3, 3)), ValueError), (1j, TypeError):
        try:
            tensor[0:2] = values
            raise AssertionError("a value that does not fit was taken")
        except kind:
            pass
    assert np.array_equal(tensor.get(), array)
    large = draw.standard_normal((1100, 1030))
    tensor = s.put(large)
    tensor[20:1090, 3:] = large[:1070, :1027]
    large[20:1090, 3:] = large[:1070, :1027].copy()
    assert np.array_equal(tensor.get(np.s_[10:, :1000]), large[10:, :1000])
    tensor.delete()


def formats(server, s):
    """.npy bodies, as numpy.save() writes them, by plain HTTP."""
    array = numbers((4, 5), ">c16")
    file = io.BytesIO()
    np.save(file, array)
    status, body = server.send("PUT", "/v1/tensors/N/data", file.getvalue())
    assert status == 200, body
    for query in "", "?order=C", "?order=F&format=npy":
        status, body = server.send("GET", "/v1/tensors/N/data" + query)
        assert status == 200 and np.array_equal(np.load(io.BytesIO(body)), array)
    status, body = server.send("GET", "/v1/tensors/N/data?format=raw&order=C")
    assert body == array.astype("<c16").tobytes()
    status, body = server.send("GET", "/v1/tensors/N/data?slice=1:3,:2&order=C")
    assert status == 200 and np.array_equal(np.load(io.BytesIO(body)), array[1:3, :2])
    part = io.BytesIO()
    np.save(part, array[:2, 1:])
    status, body = server.send("PUT", "/v1/tensors/N/data?slice=2:4,1:", part.getvalue())
    assert status == 200, body
    array[2:4, 1:] = array[:2, 1:]
    assert np.array_equal(s.tensor("N").get(), array)
    for cut in 1, 20, 100, len(file.getvalue()) - 1:
        status, body = server.send("PUT", "/v1/tensors/N/data", file.getvalue()[:cut])
        assert status == 400, (cut, status, body)
    assert np.array_equal(s.tensor("N").get(), array)


def contractions(s):
    a, b = numbers((6, 5, 4, 3), np.float64), numbers((7, 3, 8, 5), np.float64)
    A, B = s.put(a, "A"), s.put(b, "B")
    c = np.einsum("aebf,dfce->abcd", a, b)
    C = s.einsum("aebf,dfce->abcd", A, B, name="C")
    assert np.array_equal(C.get(), c)
    assert np.array_equal(s.contract("abcd+=aebf*dfce", A, B, output="C", alpha=2).get(), 3 * c)
    refused(C.get, 409, "stale")
    assert np.array_equal(s.contract("abcd=aebf*dfce", A, B, output="C", beta=0.5).get(), 2.5 * c)
    assert np.array_equal(A.T.get(), a.T)
    z, w = numbers((4, 5), np.complex128), numbers((5, 6), np.complex128)
    Z, W = s.put(z), s.put(w)
    assert np.array_equal(s.einsum("ij,jk->ik", Z, W, conj=[True, False], alpha=1j).get(), 1j * (z.conj() @ w))
    x = [numbers(shape, np.float64) for shape in ((4, 5), (5, 6), (6, 7), (7, 3))]
    X = [s.put(one) for one in x]
    assert np.array_equal(s.einsum("ab,bc,cd,de->ae", *X).get(), np.linalg.multi_dot(x))
    assert np.array_equal(s.einsum("ab->", X[0], reproducible=True).get(), x[0].sum())
    plan = s.explain("ab,bc,cd,de->ae", *X)
    assert plan["output"]["extents"] == [4, 3] and plan["plan"]["ranks"] == ranks and plan["flops"] > 0
    error = refused(lambda: s.einsum("ij,jk->ik", A, B), 400, "order_mismatch")
    error = refused(lambda: s.einsum("ij,jk->ik", X[0], X[3]), 400, "extent_mismatch")
    assert error.fields["label"] == "j" and error.fields["first"]["extent"] == 5
    refused(lambda: s.einsum("ij,jk->ik", X[0], W), 400, "type_mismatch")
    refused(lambda: s.einsum("ij,jk-ik", X[0], X[1]), 400, "syntax")


def elements(s):
    x, y = draw.uniform(0.5, 2, (5, 6)), draw.uniform(0.5, 2, (5, 6))
    z = x + 1j * y
    X, Y, Z = s.put(x), s.put(y), s.put(z)
    for name, function in [("abs", np.abs), ("conj", np.conj), ("exp", np.exp), ("log", np.log), ("imag", np.imag),
                           ("real", np.real), ("reciprocal", lambda v: 1 / v), ("sqrt", np.sqrt)]:
        for tensor, array in (X, x), (Z, z):
            got = s.map(name, tensor).get()
            assert got.dtype == function(array).dtype and np.allclose(got, function(array), rtol=1e-14), name
    assert np.array_equal((X + Y).get(), x + y) and np.array_equal((X - Y).get(), x - y)
    assert np.array_equal((X * Y).get(), x * y) and np.array_equal((X / Y).get(), x / y)
    assert np.array_equal((2 * X).get(), 2 * x) and np.allclose((Z * 1j).get(), 1j * z, rtol=1e-15)
    assert np.array_equal(s.map("clip", X, low=0.75, high=1.5).get(), x.clip(0.75, 1.5))
    e, f = draw.uniform(1, 2, 5), draw.uniform(1, 2, 6)
    got = s.map("denominators", X, energies=[e, f], shift=0.5).get()
    assert np.allclose(got, x / (0.5 + e[:, None] + f), rtol=1e-15)
    assert np.isclose(X.sum(), x.sum(), rtol=1e-14) and np.isclose(Z.sum(), z.sum(), rtol=1e-14)
    assert np.isclose(X.norm(), np.linalg.norm(x)) and s.reduce("min", X) == x.min() and s.reduce("max", X) == x.max()
    assert np.isclose(s.dot(Z, Z), np.vdot(z, z)) and np.isclose(s.reduce("norm1", X), x.sum())
    assert s.reduce("norm_max", Y) == y.max()
    assert np.isnan(s.reduce("sum", s.map("log", s.create(3, value=-1))))
    refused(lambda: s.reduce("min", Z), 400, "type_mismatch")
    ones = s.create((3, 4), np.complex64, value=1 + 2j)
    assert np.array_equal(ones.get(), np.full((3, 4), 1 + 2j, np.complex64))
    u = s.create((40, 50), uniform={"seed": 3, "low": 2, "high": 3}).get()
    assert u.min() >= 2 and u.max() < 3 and len(np.unique(u)) > 1900
    assert np.array_equal(ones.fill(3 - 1j).get(), np.full((3, 4), 3 - 1j, np.complex64))
    again = s.create((40, 50)).fill(uniform={"seed": 3, "low": 2, "high": 3})
    assert np.array_equal(again.get(), u)
    n = s.create((100, 100), normal={"seed": 4, "mean": 5, "deviation": 0.1}).get()
    assert abs(n.mean() - 5) < 0.01 and abs(n.std() - 0.1) < 0.01


def sharing(ada, bob):
    """A tensor of ada's that bob may first read, then write, and neither at last. Returns it, shared for writing."""
    owner = ada.info()["user"]
    array, other = numbers((30, 20), np.float64), numbers((30, 20), np.float64)
    mine = ada.put(array, "shared")
    theirs = f"{owner}:shared"
    refused(lambda: bob.tensor(theirs), 404, "not_found")
    refused(lambda: mine.share("nobody"), 404, "no_user")
    user = bob.info()["user"]
    assert mine.shared_with() == {} and mine.share(user).shared_with() == {user: "read"}
    seen = bob.tensor(theirs)
    assert (seen.owner, seen.access, seen.generation) == (owner, "read", mine.generation) and mine.access == "own"
    assert theirs in [one.name for one in bob.tensors()] and seen.shared_with() == {}
    assert np.array_equal(seen.get(), array) and np.array_equal(seen[3:5, 1:], array[3:5, 1:])
    b = bob.put(other, "own")
    assert np.array_equal((seen + b).get(), array + other)
    assert np.array_equal(bob.einsum("ij,kj->ik", seen, b).get(), array @ other.T)
    for wrong in lambda: bob.put(other, theirs), lambda: seen.__setitem__(0, 1.0), lambda: seen.rename("x"), \
            lambda: bob.contract("ij+=ij", b, output=theirs), seen.delete, lambda: seen.share(user, "write"), \
            lambda: bob.map("exp", seen, name=theirs):
        error = refused(wrong, 403, "forbidden")
        assert error.fields["name"] == theirs and error.fields["access"] == "read"
    assert np.array_equal(mine.get(), array)
    mine.share(user, "write")
    seen = bob.tensor(theirs)
    seen[2] = 7
    array[2] = 7
    refused(mine.get, 409, "stale")
    assert np.array_equal(bob.contract("ij+=ij", b, output=seen).get(), array + other)
    large = draw.standard_normal((1100, 1030))  # by bulk data
    written = bob.put(large, theirs)
    assert written.name == theirs and written.owner == owner and np.array_equal(written.get(), large)
    mine = ada.tensor("shared")
    assert np.array_equal(mine.get(np.s_[:50]), large[:50]) and mine.shared_with() == {user: "write"}
    assert mine.unshare(user).shared_with() == {}
    refused(written.get, 404, "not_found")
    mine.share(user)
    assert bob.tensor(theirs).unshare().access == "none" and mine.shared_with() == {}
    ada.put(array, "shared")
    return ada.tensor("shared").share(user, "write")


def names(s):
    tensor = s.create(3, name="old")
    refused(lambda: s.create(4, name="old"), 409, "exists")
    handle = s.tensor("old")
    tensor.rename("new")
    refused(handle.get, 404, "not_found")
    assert "new" in [one.name for one in s.tensors()]
    assert tensor.keep(3600).time_to_live == 3600 and s.tensor("new").keep().time_to_live == 0
    tensor.delete()
    refused(tensor.get, 404, "not_found")
    # A name is a part of a path, and nothing more.
    refused(lambda: s.tensor("new?generation=1"), 404, "not_found")
    refused(lambda: s.tensor("a/../../jobs"), 404, "not_found")
    refused(lambda: s.put(np.zeros(2), "a/fill?x"), 400)


def clients(server, seconds, rest=0):
    """Clients at the same time, each against a model in numpy of its tensors; the server's memory stays what it is. They
    rest for up to so many seconds between their requests."""
    failures = []
    counts = []

    def run(number):
        mine = random.Random(seed + number)
        numpy_draw = np.random.default_rng(seed + number)
        count = 0
        try:
            with client.connect(server.file) as s:
                model = {}
                until = time.monotonic() + seconds
                while time.monotonic() < until:
                    time.sleep(mine.uniform(0, rest))
                    count += 1
                    name = f"c{number}-{mine.randrange(4)}"
                    what = mine.choice(["put", "get", "einsum", "add", "delete", "norm"])
                    if name not in model or what == "put":
                        array = numpy_draw.integers(-4, 5, (mine.randrange(1, 20),) * 2).astype(np.float64)
                        model[name] = (array, s.put(array, name))
                        continue
                    array, tensor = model[name]
                    if what == "get":
                        assert np.array_equal(tensor.get(), array)
                    elif what == "einsum":
                        model[name] = (array @ array, s.einsum("ij,jk->ik", tensor, tensor, name=name))
                        if np.abs(model[name][0]).max() > 2**40:
                            model.pop(name)[1].delete()
                    elif what == "add":
                        model[name] = (2 * array, s.map("add", tensor, tensor, name=name))
                    elif what == "norm":
                        assert np.isclose(tensor.norm(), np.linalg.norm(array))
                    else:
                        model.pop(name)[1].delete()
                for array, tensor in model.values():
                    assert np.array_equal(tensor.get(), array)
                    tensor.delete()
        except BaseException as problem:  # told by the main thread
            failures.append((number, repr(problem)))
        counts.append(count)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    most = []  # bytes of a rank, in each third of the time
    for _ in range(3):
        time.sleep(seconds / 3)
        most.append(server.most_memory())
    for one in threads:
        one.join()
    assert not failures, failures
    assert most[2] <= most[1] + (32 << 20) or server.is_sanitized(), most
    print(f"8 clients: {sum(counts)} operations in {seconds} s")
