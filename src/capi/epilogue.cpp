#include <memory>

#include "capi/convert.hpp"
#include "capi/handles.hpp"

using namespace tenfold::capi_impl;

namespace {

/// Calls use(T()) for any element type T.
template <class Use> void with_element_type(tenfold_type type, const Use &use) {
#define TENFOLD_CASE(T, name)                                                                      \
    if (type == static_cast<tenfold_type>(tenfold::data_type::name))                               \
        return use(T());
    TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_CASE)
#undef TENFOLD_CASE
    refuse("the element type of an epilogue's step is " + std::to_string(type) +
           ", which is no value of its enumeration");
}

/// Passes a run of elements on to a caller's function in C.
template <class T> void call_in_c(T *elements, tenfold::index_t count, void *context) {
    const auto &call = *static_cast<const run_call *>(context);
    call.function(elements, count, call.user);
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
    return guarded([&] {
        require(epilogue, "epilogue");
        require(matrix, "matrix");
        with_element_type(type, [&]<class T>(T) {
            epilogue->steps.add(tenfold::matrix_view<const T>(
                                    static_cast<const T *>(x), matrix->rows, matrix->columns,
                                    matrix->row_stride, matrix->column_stride),
                                scalar_or(factor, 1.0));
        });
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
        if (function == nullptr)
            refuse("function is NULL");
        const std::size_t step = epilogue->steps.steps().size();
        run_call *const call = step < epilogue->calls.size() ? &epilogue->calls[step] : nullptr;
        with_element_type(type, [&]<class T>(T) {
            epilogue->steps.call<T>(&call_in_c<T>, call); // refuses a step too many
        });
        *call = {function, user};
    });
}
