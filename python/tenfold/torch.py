"""einsum() of torch tensors, with gradients. Import it as `import tenfold.torch`; it needs torch.

The gradient of a contraction is a contraction of the result's gradient with the other inputs, so that
Tenfold computes gradients, and gradients of gradients, too.
"""
import torch

from . import _core
from ._einsum import read, split_arguments


def einsum(*operands, optimize=True):
    """torch.einsum(), computed by Tenfold: the expressions of tenfold.einsum(), of tensors in the
    processor's memory. `optimize` may be a path of the contraction; gradients choose their own."""
    expression, tensors = split_arguments(operands)
    for number, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"operand {number} is no tensor, but {type(tensor).__name__}")
    what = read(expression, tensors)
    return _Einsum.apply(what.inputs, what.output, optimize, *tensors)


class _Einsum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, terms, output, optimize, *tensors):
        ctx.terms, ctx.output = terms, output
        ctx.save_for_backward(*tensors)
        arguments = [one for pair in zip((tensor.detach() for tensor in tensors), terms) for one in pair]
        return _core.einsum(*arguments, output, optimize=optimize)

    @staticmethod
    def backward(ctx, gradient):
        tensors = ctx.saved_tensors
        extents = {}
        for tensor, term in zip(tensors, ctx.terms):
            for extent, label in zip(tensor.shape, term):
                if extents.get(label, 1) == 1:
                    extents[label] = extent
        return (None, None, None,
                *(_gradient_of(number, ctx, tensors, gradient, extents) if ctx.needs_input_grad[number + 3] else None
                  for number in range(len(tensors))))


def _gradient_of(number, ctx, tensors, gradient, extents):
    """The gradient of one input: of its labels first, each once; then along its modes."""
    tensor, term = tensors[number], ctx.terms[number]
    terms, operands = [ctx.output], [gradient]
    for other, labels in enumerate(ctx.terms):
        if other != number:
            terms.append(labels)
            operands.append(tensors[other].conj())
    known = {label for labels in terms for label in labels}
    own = dict(zip(term, tensor.shape))
    # A mode of extent 1 that was broadcast: its gradient is the sum over the label.
    labels = [label for label in own if own[label] == extents[label]]
    summed = [label for label in labels if label in known]
    result = _Einsum.apply(terms, summed, True, *operands)
    # Labels of this input alone were summed: each of their positions has the same gradient. So have
    # those along which the others were broadcast.
    places = iter(result.shape)
    result = result.reshape([next(places) if label in known else 1 for label in labels])
    result = result.expand([own[label] for label in labels])
    repeated = [label for label in labels if term.count(label) > 1]
    if repeated:  # an input's diagonal: elements beside it have no part in the result
        new, used, spread = max(extents) + 1, set(), []
        terms, operands = [labels], [result]
        for label in (label for label in term if label in labels):
            if label in used:
                terms.append([label, new])
                operands.append(torch.eye(own[label], dtype=result.dtype))
                label, new = new, new + 1
            used.add(label)
            spread.append(label)
        result = _Einsum.apply(terms, spread, True, *operands)
    result = result.reshape(tensor.shape)
    if result.is_complex() and not tensor.is_complex():
        result = result.real
    return result.to(tensor.dtype)
