"""tenfold.torch.einsum(): torch.einsum()'s results and gradients."""
import unittest

NEEDS = ("torch",)
try:
    import torch
    import tenfold.torch
except ImportError:
    pass  # skipped by run_tests

CASES = (
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk->ki", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 3, 2), (2, 2, 3)), ("ij->ji", (2, 3)),
    ("ij->i", (2, 3)), ("ij->", (2, 3)), ("ii->i", (3, 3)), ("ii->", (3, 3)), ("iij->j", (2, 2, 3)), ("iii->i", (2, 2, 2)),
    ("i,j->ij", (2,), (3,)), ("i,i->", (3,), (3,)), ("i,i->i", (3,), (3,)), ("ij,k->ik", (2, 3), (4,)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)), ("a,ab,b->", (2,), (2, 3), (3,)), ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
    ("...i,i->...", (2, 4, 3), (3,)), (",ij->ij", (), (2, 3)), ("ii,jj->ij", (2, 2), (3, 3)), ("iji,j->i", (2, 3, 2), (3,)))
BROADCAST = (("ij,ij->ij", (2, 1), (2, 3)), ("ij,ij->", (1, 3), (2, 1)), ("i,i->", (3,), (1,)), ("ii,i->i", (1, 1), (3,)))


class Gradients(unittest.TestCase):
    def tensors(self, shapes, dtype):
        torch.manual_seed(7)
        return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]

    def test_as_torch(self):
        for dtype in torch.float32, torch.float64, torch.complex64, torch.complex128:
            for expression, *shapes in CASES:
                with self.subTest(expression=expression, dtype=dtype):
                    ours, theirs = self.tensors(shapes, dtype), self.tensors(shapes, dtype)
                    found, wanted = tenfold.torch.einsum(expression, *ours), torch.einsum(expression, *theirs)
                    torch.testing.assert_close(found, wanted)
                    weights = torch.randn_like(wanted)
                    found.backward(weights)
                    wanted.backward(weights)
                    for one, other in zip(ours, theirs):
                        torch.testing.assert_close(one.grad, other.grad)

    def test_layouts(self):
        """Large outputs, whose layout the planner chooses."""
        for expression, *shapes in (("fab,cdfe->cadbe", (32, 16, 12), (3, 20, 32, 5)), ("kla,blk->bla", (40, 20, 40), (50, 20, 40))):
            for dtype in torch.float64, torch.complex64:
                with self.subTest(expression=expression, dtype=dtype):
                    ours, theirs = self.tensors(shapes, dtype), self.tensors(shapes, dtype)
                    found, wanted = tenfold.torch.einsum(expression, *ours), torch.einsum(expression, *theirs)
                    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
                    weights = torch.randn_like(wanted)
                    found.backward(weights)
                    wanted.backward(weights)
                    for one, other in zip(ours, theirs):
                        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-4)

    def test_checked_by_differences(self):
        for dtype in torch.float64, torch.complex128:
            for expression, *shapes in CASES[::3] + BROADCAST:
                with self.subTest(expression=expression, dtype=dtype):
                    tensors = self.tensors(shapes, dtype)
                    call = lambda *given: tenfold.torch.einsum(expression, *given)  # noqa: E731
                    self.assertTrue(torch.autograd.gradcheck(call, tensors))
                    self.assertTrue(torch.autograd.gradgradcheck(call, tensors))

    def test_lists_and_paths(self):
        a, b, c = self.tensors(((2, 3), (3, 4), (4, 2)), torch.float64)
        found = tenfold.torch.einsum(a, [0, 1], b, [1, 2], c, [2, 3], [0, 3], optimize=[(1, 2), (0, 1)])
        torch.testing.assert_close(found, a @ b @ c)
        found.sum().backward()
        self.assertEqual(a.grad.shape, a.shape)

    def test_some_need_none(self):
        a, b = self.tensors(((2, 3), (3, 4)), torch.float64)
        b = b.detach()
        tenfold.torch.einsum("ij,jk->ik", a, b).sum().backward()
        torch.testing.assert_close(a.grad, b.sum(1).expand(2, 3))
        self.assertFalse(tenfold.torch.einsum("ij->ji", b).requires_grad)

    def test_mixed_types(self):
        a = self.tensors(((2, 3),), torch.float64)[0]
        z = self.tensors(((3, 4),), torch.complex128)[0]
        tenfold.torch.einsum("ij,jk->ik", a, z).abs().sum().backward()
        self.assertEqual((a.grad.dtype, z.grad.dtype), (torch.float64, torch.complex128))

    def test_arrays_are_refused(self):
        with self.assertRaises(TypeError):
            tenfold.torch.einsum("ij->ji", [[1.0]])


if __name__ == "__main__":
    unittest.main()
