#include <memory>

#include "capi/convert.hpp"
#include "capi/handles.hpp"
#include "capi/run_calls.hpp"

using namespace tenfold::capi_impl;

namespace {

using step_kind = tenfold::epilogue_step::what;

/// Adds a step that combines D with a tensor.
tenfold_error combine(tenfold_contraction_epilogue *epilogue, step_kind kind, const char *labels,
                      const tenfold_tensor *tensor, const void *x, const tenfold_scalar *factor) {
    return guarded([&] {
        require(epilogue, "epilogue");
        require(labels, "labels");
        require(tensor, "tensor");
        const tenfold::input operand = input_of(*tensor, x, {"the epilogue's tensor"});
        if (kind == step_kind::add)
            epilogue->steps.add(labels, operand, scalar_or(factor, 1.0));
        else
            epilogue->steps.multiply(labels, operand, scalar_or(factor, 1.0));
    });
}

} // namespace

tenfold_error tenfold_contraction_epilogue_create(tenfold_contraction_epilogue **epilogue) {
    return guarded([&] {
        require(epilogue, "epilogue");
        *epilogue = nullptr;
        *epilogue = std::make_unique<tenfold_contraction_epilogue>().release();
    });
}

void tenfold_contraction_epilogue_destroy(tenfold_contraction_epilogue *epilogue) {
    delete epilogue;
}

tenfold_error tenfold_contraction_epilogue_scale(tenfold_contraction_epilogue *epilogue,
                                                 const tenfold_scalar *factor) {
    return guarded([&] {
        require(epilogue, "epilogue");
        require(factor, "factor");
        epilogue->steps.scale(scalar_or(factor, 1.0));
    });
}

tenfold_error tenfold_contraction_epilogue_add(tenfold_contraction_epilogue *epilogue,
                                               const char *labels, const tenfold_tensor *tensor,
                                               const void *x, const tenfold_scalar *factor) {
    return combine(epilogue, step_kind::add, labels, tensor, x, factor);
}

tenfold_error tenfold_contraction_epilogue_multiply(tenfold_contraction_epilogue *epilogue,
                                                    const char *labels,
                                                    const tenfold_tensor *tensor, const void *x,
                                                    const tenfold_scalar *factor) {
    return combine(epilogue, step_kind::multiply, labels, tensor, x, factor);
}

tenfold_error tenfold_contraction_epilogue_apply(tenfold_contraction_epilogue *epilogue,
                                                 tenfold_elementwise function) {
    return guarded([&] {
        require(epilogue, "epilogue");
        epilogue->steps.apply(enumerator_of<tenfold::elementwise>(function, "function"));
    });
}

tenfold_error tenfold_contraction_epilogue_call(tenfold_contraction_epilogue *epilogue,
                                                tenfold_type type, tenfold_run_function function,
                                                void *user) {
    return guarded([&] {
        require(epilogue, "epilogue");
        epilogue->calls.add_to(epilogue->steps, type, {function, user});
    });
}
