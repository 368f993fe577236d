"""Contractions of distributed tensors, their plans, and layouts for several of them."""
import html
import json
import typing

import numpy

from .. import _trees
from .._epilogues import steps_for
from ._arguments import check_operand, type_of_sums
from ._contexts import engine_context
from ._extension import Distribution, engine
from ._futures import Future
from ._reports import Report
from ._tensors import Tensor, new_tensor


class Conjugated:
    """A tensor that is conjugated as it is read."""

    def __init__(self, tensor):
        self.tensor = tensor


def conj(tensor):
    """A tensor that contract() conjugates as it reads it, without a copy."""
    if isinstance(tensor, Conjugated):
        return tensor.tensor
    return Conjugated(tensor)


def options_of(options, epilogue=None, dtype=None):
    return engine.Options(options, steps_for(epilogue, dtype), engine_context())


def contract(expression, *tensors, out=None, alpha=1.0, beta=None, epilogue=None, distribution=None, report=None,
             **options):
    """Collective. Computes out = alpha times the product of tensors + beta out, and returns it.

        r = tenfold.dist.contract("abij=abef*efij", v, t)
        tenfold.dist.contract("abij+=acik*cbkj", t, w, out=r, alpha=0.5)

    Expressions are those of tenfold.contract(), of any number of tensors of one world, each of which may be
    conj(tensor). Modes of extent 1 are not broadcast. Tensors of several types are contracted where no number of an
    input is rounded: in the type of `out`, or in float32 where that is float16 or bfloat16; int8 and uint8 in int32.

    out           a tensor other than the operands; a new one, of the type of sums, if it is not given: float32 for
                  float16 and bfloat16, int32 for integers
    distribution  of the new one; Distribution.block() if it is not given
    epilogue      a tenfold.Epilogue, whose arrays are whole and the same on every rank
    report        a Report, which is filled with what the contraction took; on all ranks or on none

    Options are algorithm, tuning, backend, workspace_limit, memory_per_rank (bytes), grid (parts of batch, m, n, k),
    step (the most positions of batch, m, n, k at a time), threads, reproducible, diagonal_output and ranks_per_node (if
    rank r is on node r // ranks_per_node; as World.ranks_per_node says if it is not given).
    """
    inputs, out, used = prepared("contract", expression, tensors, out, alpha, beta, epilogue, distribution, report, options)
    done = engine.contract(expression, inputs, out._engine, used, report is not None)
    if report is not None:
        report._fill(done, Plan(done["plan"]))
    return out


def contract_async(expression, *tensors, out=None, alpha=1.0, beta=None, epilogue=None, distribution=None, report=None,
                   **options):
    """Collective. Begins what contract() does with one or two tensors, and returns a Future: plans, finds the memory and
    sends the tensors to where they are multiplied. wait() multiplies, and returns the output; it is collective, too. The
    report is filled by it, without steps and plan, and with the seconds of wait()."""
    inputs, out, used = prepared("contract_async", expression, tensors, out, alpha, beta, epilogue, distribution, report,
                                 options, most=2)
    begun = engine.contract_async(expression, inputs, out._engine, used, (tensors, out, used))

    def finish(fields):
        if report is not None:
            report._fill_step(fields)
        return out
    return Future(begun, finish)


def prepared(function, expression, tensors, out, alpha, beta, epilogue, distribution, report, options, most=None):
    """Collective. What the arguments of contract() come to: the engine's inputs, the output, and the engine's options."""
    plain = [one.tensor if isinstance(one, Conjugated) else one for one in tensors]
    known = [one for one in (*plain, out) if isinstance(one, Tensor)]
    if not known:
        raise TypeError(f"{function}() takes distributed tensors; tenfold.contract() takes arrays")
    world = known[0].world
    with world._preparing():
        if not isinstance(expression, str):
            raise TypeError(f"the expression is a text, not {type(expression).__name__}")
        if not plain:
            raise TypeError(f"{function}() takes a tensor or more, and the output as out=")
        if most is not None and len(plain) > most:
            raise ValueError(f"{function}() takes at most {most} tensors, not {len(plain)}")
        for number, one in enumerate(plain):
            check_operand(one, f"operand {number}", world)
        if out is not None:
            check_operand(out, "out", world)
            if distribution is not None:
                raise TypeError("distribution= is that of a new output, and out= is given")
        elif beta not in (None, 0):
            raise ValueError("beta without out: there is nothing that it multiplies")
        if not isinstance(report, (Report, type(None))):
            raise TypeError(f"report= takes a Report, not {type(report).__name__}")
        dtype = type_of_sums([one.dtype for one in plain]) if out is None else out.dtype
        used = options_of({"alpha": alpha, "beta": beta, **options}, epilogue, dtype)
        inputs = [(one._engine, isinstance(given, Conjugated)) for one, given in zip(plain, tensors)]
        if out is None:
            shape = engine.output_shape(expression, [one.shape for one in plain], True)
    if out is None:
        out = new_tensor(world, shape, dtype, distribution)
    return inputs, out, used


def dot(a, b):
    """Collective. The sum of conj(a) b over all elements, with the same bits on any number of ranks."""
    known = [one for one in (a, b) if isinstance(one, Tensor)]
    if not known:
        raise TypeError("dot() takes distributed tensors")
    world = known[0].world
    with world._preparing():
        check_operand(a, "a", world)
        check_operand(b, "b", world, a, "a")
    return engine.dot(a._engine, b._engine)


class Plan:
    """How a contraction of distributed tensors will run, on any number of ranks: plans need none of them."""

    def __init__(self, handle):
        self._engine = handle

    @property
    def summary(self):
        """The plan in numbers, as a dict: the fields of `tenfold explain --ranks --json` that are about ranks, flops,
        and the bytes of intermediate results per rank."""
        return {"expression": self.expression, "flops": self._engine.flops,
                "intermediate_bytes_per_rank": self._engine.intermediate_bytes, **json.loads(self._engine.json())}

    @property
    def expression(self):
        return self._engine.expression

    def explain(self, as_json=False):
        """Grid, bytes, their bound, steps and memory, as text; or the summary as JSON."""
        return json.dumps(self.summary) if as_json else self._engine.explain()

    def distribution_of(self, operand, step=None):
        """The Distribution of an operand, from 0, the output last, that needs no redistribution; for an operand with a
        label twice, of its diagonal. A plan of several steps takes the number of one, whose operands these are."""
        return self._engine.distribution_of(operand, step)

    def _repr_html_(self):
        """For notebooks: the order of many inputs as a tree, with what each step receives per rank, and explain()."""
        def received(step):
            return f"{step['bytes_received_per_rank'] + step['redistribution_bytes_per_rank']:.3g} B/rank"
        tree = _trees.svg_of(self.summary["distributed_steps"], received)
        return f"{tree}<pre>{html.escape(self.explain())}</pre>"

    def __repr__(self):
        facts = self.summary
        return (f"<tenfold.dist.Plan {self.expression} on {facts['ranks']} ranks: "
                f"{facts['bytes_received_per_rank'] + facts['redistribution_bytes_per_rank']} bytes received, "
                f"{facts['peak_bytes_per_rank']} bytes of memory per rank>")


def plan(expression, *operands, out=None, ranks=None, dtype=None, **options):
    """A Plan of contract()'s expressions. Not collective: it needs neither ranks nor MPI_Init.

    operands: Tensors, or conj() of them; Distributions; or shapes, which lie as Distribution.block() says
    out: likewise; its shape follows from the expression if it is not given
    ranks: the number of ranks, where no operand says it
    dtype: of all inputs; if it is not given, that of each tensor, and of others that of the first one, or float64

    Options are those of contract(); without ranks_per_node, all ranks are on one node.
    """
    if not isinstance(expression, str):
        raise TypeError(f"the expression is a text, not {type(expression).__name__}")
    if not operands:
        raise TypeError("plan() takes an operand or more")
    is_conjugated = [isinstance(one, Conjugated) for one in operands]
    given = [one.tensor if isinstance(one, Conjugated) else one for one in operands]
    if out is not None:
        given.append(out)
    for one in given:
        if ranks is None and isinstance(one, (Tensor, Distribution)):
            ranks = (one.distribution if isinstance(one, Tensor) else one).ranks
    if ranks is None:
        raise TypeError("plan() of shapes takes the number of ranks")
    lying = [distribution_of(one, ranks) for one in given]
    if out is None:
        shape = engine.output_shape(expression, [one.shape for one in lying], False)
        lying.append(Distribution.block(shape, ranks))
    types = types_of(given, dtype)
    if out is None:
        types.append(type_of_sums(types))
    return Plan(engine.Plan(expression, types, lying, is_conjugated, options_of(options)))


def types_of(operands, dtype):
    """The types of a plan's operands."""
    known = [one.dtype for one in operands if isinstance(one, Tensor)]
    if dtype is not None:
        return [numpy.dtype(dtype)] * len(operands)
    return [one.dtype if isinstance(one, Tensor) else known[0] if known else numpy.dtype(numpy.float64)
            for one in operands]


def distribution_of(operand, ranks):
    if isinstance(operand, Tensor):
        return operand.distribution
    if isinstance(operand, Distribution):
        return operand
    return Distribution.block(getattr(operand, "shape", operand), ranks)


def explain(expression, *operands, as_json=False, **options):
    """The text of a plan, or its summary as JSON. Arguments are those of plan()."""
    return plan(expression, *operands, **options).explain(as_json)


class PlannedLayouts(typing.NamedTuple):
    """What plan_layouts() finds; seconds are predicted, received bytes those of the busiest ranks, memory the bytes
    of the largest blocks on one rank."""

    distributions: dict
    seconds: float
    default_seconds: float
    received: int
    default_received: int
    memory: int
    default_memory: int


def plan_layouts(expressions, shapes, ranks, dtype=numpy.float64, copies=False, copies_memory=None, **options):
    """Distributions of tensors that several contractions share, for the least predicted time of all together:

        found = plan_layouts(["R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]", "R[a,b,i,j] += W[k,l,i,j] * T[a,b,k,l]"],
                             {"V": (60, 60, 60, 60), "W": (12, 12, 12, 12), "T": (60, 60, 12, 12),
                              "R": (60, 60, 12, 12)}, ranks=16)
        t = world.zeros((60, 60, 12, 12), distribution=found.distributions["T"])

    Expressions have one or two inputs, and names; one that is evaluated several times is a pair with how often,
    ("R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]", 20), or is given as often. Not collective.

    copies: whether tensors may be kept in several copies
    copies_memory: with copies, the most bytes of all tensors' blocks on one rank
    """
    weighted = [(one, 1) if isinstance(one, str) else tuple(one) for one in expressions]
    return PlannedLayouts(**engine.plan_layouts(weighted, dict(shapes), numpy.dtype(dtype), ranks,
                                                options_of(options), copies, copies_memory))
