"""contract(), plans of contractions, and what they say about themselves."""
import json

import numpy

from . import _core, _engine
from ._einsum import lies_as_numpys, path_of, read, refuse_others, split_arguments
from ._epilogues import steps_for
from ._errors import InvalidError
from ._operands import (FLOAT32, INT32, Operand, checked_number, converted, dtype_of, has_integers, integer_operands,
                        operand_of, output_of, result_kind, shape_of, usable)


def computing_type(operands, out=None):
    """The type in which operands are contracted: theirs if they have one, else numpy's common one.

    Integers are contracted as float64, but for contractions of are_integers(). Half precision gives float32, as the
    library's C++ interface.
    """
    refuse_others(operands)
    types = {one.type for one in operands if isinstance(one, Operand)}
    if len(types) == 1 and all(isinstance(one, Operand) for one in operands):
        kind = types.pop()
        if kind in ("bfloat16", "float16"):
            return None, FLOAT32
        return numpy.dtype(kind), numpy.dtype(kind)
    dtype = _engine.common_type(operands, out)
    if dtype.kind in "biu":
        dtype = _engine.FLOAT64
    if dtype == _engine.HALF:
        dtype = FLOAT32
    if dtype not in (FLOAT32, _engine.FLOAT64, "c8", "c16"):
        raise TypeError(f"Tenfold has no arithmetic for {dtype}")
    return dtype, dtype


def are_integers(operands, out):
    """Whether the contraction is one of integers, whose result is int32."""
    arrays = [*operands, *(() if out is None else (out,))]
    return bool(operands) and all(not isinstance(one, Operand) and has_integers(one) for one in arrays) \
        and (out is None or out.dtype == INT32)


def addend_of(c, dtype):
    """c, which is read, as an operand of the output's type."""
    one = operand_of(c)
    own = dtype_of(one)
    if not numpy.can_cast(own, dtype, "same_kind"):
        raise TypeError(f"c of {own} does not become {dtype}")
    return converted(one, dtype)


class Call:
    """The arguments of contract() and plan(), as operands."""

    def __init__(self, expression, values, out, c, optimize):
        self.to_kind = result_kind(values)
        operands = [operand_of(value) for value in values]
        given = [_engine.array_below(one) for one in operands]
        self.target = None if out is None else output_of(out)
        if are_integers(operands, self.target):
            operands, self.dtype = integer_operands(operands), INT32
        else:
            inputs_type, self.dtype = computing_type(operands, self.target)
            if inputs_type is not None:
                operands = [converted(one, inputs_type) for one in operands]
        self.operands = operands
        self.c = None if c is None else addend_of(c, self.dtype)
        self.read = read_any(expression, operands)
        if self.target is None and self.read.reads_output:
            raise InvalidError(f"{expression!r} adds to its output: give out")
        if self.target is None and self.read.has_diagonal_output:
            raise InvalidError(f"{expression!r} writes a diagonal only: give out")
        self.out = self.target
        if self.out is None:
            order = "K" if c is not None or lies_as_numpys(optimize) else "cheapest"
            self.out = _core.new_output(self.read, operands, given, self.dtype, order)


def read_any(expression, operands):
    """Reads all notations, and lists of labels."""
    orders = [len(shape_of(one)) for one in operands]
    if isinstance(expression, str):
        return _core.read(expression, orders)
    return read(expression, operands)


def finish(call, out):
    """What a call returns: `out` as it was given, or a new array in the kind of the operands."""
    if out is not None:
        return out
    result = call.out if call.out.ndim else call.out[()]
    return result if call.to_kind is None else call.to_kind(result)


def contract(*operands, out=None, c=None, alpha=1.0, beta=None, optimize=True, epilogue=None, **options):
    """The general form of tenfold.contract()."""
    expression, values = split_arguments(operands)
    call = Call(expression, values, out, c, optimize)
    if beta not in (None, 0) and out is None and c is None:
        raise InvalidError("beta without c or out: there is nothing that it multiplies")
    options.update(alpha=alpha, beta=beta)
    path, _ = path_of(optimize)
    if path is not None:
        options["path"] = path
    _core.contract_operands(call.read, call.operands, call.c, Operand(call.out), steps_for(epilogue, call.dtype),
                            options)
    return finish(call, out)


def planned(value):
    """An argument of a plan, of the type that it has."""
    one = operand_of(value)
    return Operand(usable(one)) if not isinstance(one, Operand) and has_integers(one) else one


def checked_workspace(workspace):
    try:
        memory = memoryview(workspace)
    except TypeError:
        raise TypeError(f"workspace is a writable buffer, as bytearray, not {type(workspace).__name__}") from None
    if not memory.contiguous:  # bytes between its elements, or before the first one, are not its own
        raise BufferError("workspace is a buffer without gaps, from its first byte on")
    return memory


class Plan:
    """A contraction that is decided once, for arrays of these types, shapes and strides.

        p = tenfold.plan("ij,jk->ik", a, b)
        d = p(a, b)

    Immutable; any number of threads may call it at once.
    """

    def __init__(self, *operands, out=None, c=None, optimize=True, epilogue=None, **options):
        expression, values = split_arguments(operands)
        call = Call(expression, values, out, c, optimize)
        path, _ = path_of(optimize)
        if path is not None:
            options["path"] = path
        self._plan = _core.Plan(call.read, call.operands, call.c, Operand(call.out),
                                steps_for(epilogue, call.dtype), options)
        self._dtype = call.dtype
        self._inputs = [(one.type, one.array.shape) for one in call.operands]

    def __call__(self, *arrays, out=None, c=None, alpha=1.0, beta=0.0, epilogue=None, workspace=None):
        """Contracts arrays like those that the plan was made for: alpha op(A) op(B) .. + beta op(C), where C is D
        if c is not given.

        epilogue: the plan's steps with other arrays; the plan's own if it is not given.
        workspace: a writable buffer of workspace_size bytes, used instead of memory of the context.
        """
        if c is None and epilogue is None and workspace is None:
            result = _core.execute_plan(self._plan, arrays, out, alpha, beta)
            if result is not NotImplemented:
                return result
        to_kind = result_kind(arrays)
        operands = [planned(array) for array in arrays]
        for number, one in enumerate(operands):
            if not isinstance(one, Operand):
                raise TypeError(f"operand {number} has elements of {one.dtype}, which plans do not convert")
        alpha, beta = checked_number(alpha, "alpha"), checked_number(beta, "beta")
        if beta != 0 and out is None and c is None:
            raise InvalidError("beta without c or out: there is nothing that it multiplies")
        if workspace is not None:
            workspace = checked_workspace(workspace)
        result = self._plan.new_output() if out is None else output_of(out)
        self._plan.execute(operands, None if c is None else planned(c), Operand(result), alpha, beta,
                           None if epilogue is None else steps_for(epilogue, self._dtype), workspace)
        if out is not None:
            return out
        result = result if result.ndim else result[()]
        return result if to_kind is None else to_kind(result)

    @property
    def workspace_size(self):
        """Bytes that a call needs beside the arrays."""
        return self._plan.workspace_size

    @property
    def summary(self):
        """The plan in numbers: the fields of `tenfold explain --json`, as a dict."""
        return json.loads(self._plan.summary_json())

    @property
    def path(self):
        """The order of a product of many arrays, as einsum(optimize=) takes it."""
        return self._plan.path

    def explain(self):
        """What the plan will do, what that should cost, and what was rejected."""
        return self._plan.explain()

    def _repr_html_(self):
        """For notebooks: the order of many inputs as a tree, and explain()."""
        import html  # here, so that `import tenfold` loads no more than numpy has loaded
        from . import _trees
        tree = _trees.svg_of(self.summary["steps"], lambda step: f"{step['flops']:.3g} flop")
        return f"{tree}<pre>{html.escape(self.explain())}</pre>"

    def __repr__(self):
        inputs = ", ".join(f"{kind}{list(shape)}" for kind, shape in self._inputs)
        return (f"<tenfold.Plan {self._plan.expression} of {inputs}: {self._plan.algorithm}, "
                f"{self._plan.seconds:.3g} s predicted, {self.workspace_size} bytes of workspace>")


def plan(*operands, out=None, c=None, optimize=True, epilogue=None, **options):
    """A Plan of contract()'s and einsum()'s expressions for arrays like these; no data is read.

    Options are contract()'s, without alpha and beta, which calls of the plan take. Calls apply the
    epilogue with the arrays that it has when the plan is made. tuning="measure"
    takes up to a second, and "patient" ten, to try candidates.
    """
    return Plan(*operands, out=out, c=c, optimize=optimize, epilogue=epilogue, **options)


def explain(*operands, **options):
    """The text of a plan: sizes, algorithm, order, predicted seconds, and what was rejected."""
    return plan(*operands, **options).explain()
