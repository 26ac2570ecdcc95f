"""Ask the processor for a row of an array before it is needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from graphol.jit import kernel


def _written(context: Any, array: Any, i: Any) -> Any:
    """llvm.prefetch of the first entry of row i, to be written soon."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        made = context.make_array(kind)(context, builder, arguments[0])
        zero = ir.Constant(arguments[1].type, 0)
        place = [arguments[1], *[zero] * (kind.ndim - 1)]
        at = cgutils.get_item_pointer(context, builder, kind, made, place)
        at = builder.bitcast(at, ir.IntType(8).as_pointer())
        whole = ir.IntType(32)
        type_ = ir.FunctionType(ir.VoidType(), [at.type, whole, whole, whole])
        function = builder.module.declare_intrinsic("llvm.prefetch", [at.type], type_)
        builder.call(function, [at, whole(1), whole(3), whole(1)])
        return context.get_dummy_value()

    return types.none(array, types.intp), code


_ask: Any = intrinsic(_written)


@kernel
def prefetch(array, i):
    """Row i of the array is going to be changed."""
    _ask(array, i)
