#include <cstdint>
#include <span>

#include <tenfold/gemm_batch.hpp>
#include <tenfold/gemm_mixed.hpp>

#include "capi/convert.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::gemm_options;
using tenfold::matrix_batch;
using tenfold::matrix_view;

template <class T> matrix_view<const T> view(const tenfold_matrix &shape, const void *data) {
    return {static_cast<const T *>(data), shape.rows, shape.columns, shape.row_stride,
            shape.column_stride};
}
template <class T> matrix_view<T> view(const tenfold_matrix &shape, void *data) {
    return {static_cast<T *>(data), shape.rows, shape.columns, shape.row_stride,
            shape.column_stride};
}

/// T is const for batches that are read. Arrays of addresses are read as they are: a void * lies
/// like a T *.
template <class T, class Batch>
matrix_batch<T> batch_of(const tenfold_matrix &shape, const Batch &given) {
    const auto first = view<std::remove_const_t<T>>(shape, given.data);
    const auto count = static_cast<std::size_t>(given.count);
    if (given.addresses != nullptr)
        return matrix_batch<T>::at_addresses(
            first, {reinterpret_cast<T *const *>(given.addresses), count});
    if (given.offsets != nullptr)
        return matrix_batch<T>::at_offsets(first, {given.offsets, count});
    return matrix_batch<T>::strided(first, given.count, given.stride);
}

/// The options of a call, and what they refer to.
struct chosen_options {
    tenfold_gemm_options own;
    taken_control control;
    gemm_options options;

    chosen_options(const tenfold_context &context, const tenfold_gemm_options *given)
        : own(taken(given, "gemm options")),
          control(own.control), options{.alpha = scalar_or(own.alpha, 1.0),
                                        .beta = scalar_or(own.beta, 0.0),
                                        .conj_a = own.conj_a != 0,
                                        .conj_b = own.conj_b != 0,
                                        .threads = own.threads,
                                        .backend =
                                            choice_of<tenfold::backend>(own.backend, "backend"),
                                        .ctx = context.shared.get(),
                                        .epilogue = own.epilogue != nullptr ? &own.epilogue->steps
                                                                            : nullptr,
                                        .control = control.get()} {}
};

/// Calls use(T()) for an arithmetic type T.
template <class Use> void with_arithmetic_type(tenfold_type type, const Use &use) {
#define TENFOLD_CASE(T, name)                                                                      \
    if (type == static_cast<tenfold_type>(tenfold::data_type::name))                               \
        return use(T());
    TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_CASE)
#undef TENFOLD_CASE
    refuse("product: there are no such products of type " + std::string(tenfold_type_name(type)) +
           " (" + std::to_string(type) + ")");
}

/// Calls use(InA(), InB(), Out()) for the types of a product of any type, and for bf16 with how
/// such products are summed behind them.
template <class Use>
void with_types(tenfold_type type, const tenfold_gemm_options &options, const Use &use) {
    switch (type) {
    case TENFOLD_BF16:
        return use(tenfold::bf16(), tenfold::bf16(), float(),
                   enumerator_of<tenfold::bf16_sums>(options.bf16_sums, "bf16_sums"));
    case TENFOLD_F16:
        return use(tenfold::f16(), tenfold::f16(), float());
    case TENFOLD_I8:
        return use(std::int8_t(), std::int8_t(), std::int32_t());
    case TENFOLD_U8:
        return use(std::uint8_t(), std::int8_t(), std::int32_t());
    default:
        with_arithmetic_type(type, [&]<class T>(T) { use(T(), T(), T()); });
    }
}

} // namespace

tenfold_error tenfold_gemm(const tenfold_context *context, const tenfold_product *product,
                           const void *a, const void *b, void *c,
                           const tenfold_gemm_options *options) {
    return guarded([&] {
        require(context, "context");
        require(product, "product");
        const chosen_options chosen(*context, options);
        const auto multiply = [&]<class InA, class InB, class Out>(InA, InB, Out,
                                                                   const auto &...sums) {
            tenfold::gemm(view<InA>(product->a, a), view<InB>(product->b, b),
                          view<Out>(product->c, c), chosen.options, sums...);
        };
        with_types(product->type, chosen.own, multiply);
    });
}

tenfold_error tenfold_gemm_batch(const tenfold_context *context, const tenfold_product *product,
                                 const tenfold_batch *a, const tenfold_batch *b,
                                 const tenfold_output_batch *c,
                                 const tenfold_gemm_options *options) {
    return guarded([&] {
        require(context, "context");
        require(product, "product");
        require(a, "a");
        require(b, "b");
        require(c, "c");
        const chosen_options chosen(*context, options);
        with_arithmetic_type(product->type, [&]<class T>(T) {
            tenfold::gemm_batch<T>(batch_of<const T>(product->a, *a),
                                   batch_of<const T>(product->b, *b), batch_of<T>(product->c, *c),
                                   chosen.options);
        });
    });
}

tenfold_error tenfold_gemm_batch_reduce(const tenfold_context *context,
                                        const tenfold_product *product, const tenfold_batch *a,
                                        const tenfold_batch *b, void *c,
                                        const tenfold_gemm_options *options) {
    return guarded([&] {
        require(context, "context");
        require(product, "product");
        require(a, "a");
        require(b, "b");
        const chosen_options chosen(*context, options);
        const auto add_up = [&]<class InA, class InB, class Out>(InA, InB, Out,
                                                                 const auto &...sums) {
            tenfold::gemm_batch_reduce(batch_of<const InA>(product->a, *a),
                                       batch_of<const InB>(product->b, *b),
                                       view<Out>(product->c, c), chosen.options, sums...);
        };
        with_types(product->type, chosen.own, add_up);
    });
}
