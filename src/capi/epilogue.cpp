#include <memory>

#include "capi/convert.hpp"
#include "capi/handles.hpp"
#include "capi/run_calls.hpp"

using namespace tenfold::capi_impl;

namespace {

template <class T>
tenfold::matrix_view<const T> view_of(const tenfold_matrix &matrix, const void *x) {
    return {static_cast<const T *>(x), matrix.rows, matrix.columns, matrix.row_stride,
            matrix.column_stride};
}

/// Adds a step that combines D with a matrix: `take(steps, view)`.
template <class Take> tenfold_error combine(tenfold_epilogue *epilogue, tenfold_type type,
                                            const tenfold_matrix *matrix, const void *x,
                                            const Take &take) {
    return guarded([&] {
        require(epilogue, "epilogue");
        require(matrix, "matrix");
        with_element_type(type, [&]<class T>(T) { take(epilogue->steps, view_of<T>(*matrix, x)); });
    });
}

} // namespace

tenfold_error tenfold_epilogue_create(tenfold_epilogue **epilogue) {
    return guarded([&] {
        require(epilogue, "epilogue");
        *epilogue = nullptr;
        *epilogue = std::make_unique<tenfold_epilogue>().release();
    });
}

void tenfold_epilogue_destroy(tenfold_epilogue *epilogue) { delete epilogue; }

tenfold_error tenfold_epilogue_scale(tenfold_epilogue *epilogue, const tenfold_scalar *factor) {
    return guarded([&] {
        require(epilogue, "epilogue");
        require(factor, "factor");
        epilogue->steps.scale(scalar_or(factor, 1.0));
    });
}

tenfold_error tenfold_epilogue_add_along_columns(tenfold_epilogue *epilogue, tenfold_type type,
                                                 const void *bias, int64_t m, int64_t stride) {
    return guarded([&] {
        require(epilogue, "epilogue");
        with_element_type(type, [&]<class T>(T) {
            epilogue->steps.add_along_columns(static_cast<const T *>(bias), m, stride);
        });
    });
}

tenfold_error tenfold_epilogue_add_along_rows(tenfold_epilogue *epilogue, tenfold_type type,
                                              const void *bias, int64_t n, int64_t stride) {
    return guarded([&] {
        require(epilogue, "epilogue");
        with_element_type(type, [&]<class T>(T) {
            epilogue->steps.add_along_rows(static_cast<const T *>(bias), n, stride);
        });
    });
}

tenfold_error tenfold_epilogue_add(tenfold_epilogue *epilogue, tenfold_type type,
                                   const tenfold_matrix *matrix, const void *x,
                                   const tenfold_scalar *factor) {
    return combine(epilogue, type, matrix, x,
                   [&](auto &steps, const auto &view) { steps.add(view, scalar_or(factor, 1.0)); });
}

tenfold_error tenfold_epilogue_multiply(tenfold_epilogue *epilogue, tenfold_type type,
                                        const tenfold_matrix *matrix, const void *x,
                                        const tenfold_scalar *factor) {
    return combine(epilogue, type, matrix, x, [&](auto &steps, const auto &view) {
        steps.multiply(view, scalar_or(factor, 1.0));
    });
}

tenfold_error tenfold_epilogue_apply(tenfold_epilogue *epilogue, tenfold_elementwise function) {
    return guarded([&] {
        require(epilogue, "epilogue");
        epilogue->steps.apply(enumerator_of<tenfold::elementwise>(function, "function"));
    });
}

tenfold_error tenfold_epilogue_call(tenfold_epilogue *epilogue, tenfold_type type,
                                    tenfold_run_function function, void *user) {
    return guarded([&] {
        require(epilogue, "epilogue");
        epilogue->calls.add_to(epilogue->steps, type, {function, user});
    });
}
