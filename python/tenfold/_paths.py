"""einsum_path(): orders of contractions in numpy's form."""
from . import _plans
from ._einsum import path_of, split_arguments, read
from ._operands import operand_of


def einsum_path(*operands, optimize="greedy", **settings):
    """The order in which einsum() contracts operands, as numpy.einsum_path() gives it.

    Returns a list, ['einsum_path', (0, 1), ..], which einsum(optimize=) and numpy.einsum() take, and a
    text about its cost. The order is the cheapest that Tenfold finds; with optimize=False all operands
    are taken at once, and a path is returned as it is.
    """
    if settings:
        raise TypeError(f"einsum_path() has no argument {', '.join(settings)}")
    expression, values = split_arguments(operands)
    path, elements = path_of(optimize)
    named = [operand_of(value) for value in values]
    what = read(expression, named)
    options = {}
    if elements is not None:
        options["workspace_limit"] = elements * 8
    if optimize is False:
        path = [list(range(len(values)))]
    made = _plans.Plan(*operands, optimize=True if path is None else path, **options)
    steps = made.path if path is None else [tuple(step) for step in path]
    return ["einsum_path", *steps], describe(what, made)


def describe(what, made):
    plan = made._plan
    once, flops = plan.flops_at_once, plan.flops
    lines = [
        f"  Complete contraction:  {what}",
        f"     Naive FLOP count:  {once:.3e}",
        f" Optimized FLOP count:  {flops:.3e}",
        f"  Theoretical speedup:  {once / flops if flops else 1.0:.3f}",
        f" Largest intermediate:  {plan.largest_intermediate} bytes",
        f"    Predicted seconds:  {plan.seconds:.3e}",
    ]
    if plan.steps:
        lines.append("-" * 60)
        lines.append("        FLOPs  step")
        lines += [f"    {flops:9.3e}  {step}" for step, flops in plan.steps]
    return "\n".join(lines)
