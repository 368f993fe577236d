// From the distributed C interface's arguments to the C++ interface's.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_types.hpp>

#include "capi/convert.hpp"
#include "capi/structs.hpp"
#include "distributed/capi/handles.hpp"

namespace tenfold::capi_impl {

template <> inline constexpr std::size_t
    first_size<tenfold_dist_options> = offsetof(tenfold_dist_options, epilogue);
template <> inline constexpr std::size_t
    first_size<tenfold_distribution_parts> = offsetof(tenfold_distribution_parts, copies);
template <>
inline constexpr std::size_t first_size<tenfold_dist_part> = offsetof(tenfold_dist_part, number);
template <> inline constexpr std::size_t
    first_size<tenfold_shared_contractions> = offsetof(tenfold_shared_contractions, copies);
template <> inline constexpr std::size_t
    first_size<tenfold_layouts_summary> = offsetof(tenfold_layouts_summary, memory);
template <> inline constexpr std::size_t
    first_size<tenfold_dist_plan_summary> = offsetof(tenfold_dist_plan_summary, flops_at_once);
template <> inline constexpr std::size_t
    first_size<tenfold_dist_report> = offsetof(tenfold_dist_report, workspace_max);

/// `order` numbers from a caller's array. Throws errc::invalid_argument for a negative order, and
/// for NULL unless the order is 0.
extents_t extents_of(std::int32_t order, const std::int64_t *given, const char *what);

/// Refuses a negative number of items, and NULL for some: "the number of boxes is -1; it is 0 or
/// more", "boxes is NULL".
void require_count(std::int64_t count, const void *first, const char *what);

/// A limit of memory where 0 is none. Throws errc::invalid_argument for negative ones.
std::optional<byte_count> memory_limit_of(std::int64_t given);

/// "(3, 4)", for messages.
std::string position_text(std::span<const index_t> position);

/// The element type of a distributed tensor. Throws errc::invalid_argument for numbers of none.
data_type element_type_of(tenfold_type given);
/// One for whose tensors layouts are planned. Throws errc::invalid_argument for others.
data_type arithmetic_type_of(tenfold_type given);

/// Calls `work` with std::type_identity<T> for a type that element_type_of() has returned.
template <class Work> void with_distributed_type(data_type type, const Work &work) {
    switch (type) {
#define TENFOLD_CASE(T, name)                                                                      \
    case data_type::name:                                                                          \
        return work(std::type_identity<T>());
        TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_CASE)
#undef TENFOLD_CASE
    }
}

/// Calls `work` with the dist_tensor<T> of a handle.
template <class Work> decltype(auto) with_tensor(const tenfold_dist_tensor &handle, Work &&work) {
    return std::visit(std::forward<Work>(work), *handle.any);
}
template <class Work> decltype(auto) with_tensor(tenfold_dist_tensor &handle, Work &&work) {
    return std::visit(std::forward<Work>(work), *handle.any);
}

data_type type_of(const tenfold_dist_tensor &handle);
const world &world_of(const tenfold_dist_tensor &handle);

/// Throws errc::invalid_argument for NULL and errc::type_mismatch for another element type than
/// that of `other`; messages have the names.
void require_like(const tenfold_dist_tensor *given, const std::string &its_name,
                  const tenfold_dist_tensor &other, const std::string &other_name);

/// The dist_tensor<T> of a handle whose type is T.
template <class T> const dist_tensor<T> &tensor_of(const tenfold_dist_tensor &handle) {
    return std::get<dist_tensor<T>>(*handle.any);
}

/// Throws errc::type_mismatch for an imaginary part, and for a number that is none of a type of
/// integers. `of`: the tensor's type, for messages.
void check_real(const tenfold_scalar &given, const std::string &what, data_type of);
void check_integer(double given, data_type type, const std::string &what, data_type of);

/// A number of type T, rounded. Throws errc::type_mismatch where T has no such number: an imaginary
/// part of a real one, a fraction or too large an integer of an integer. `of`: the tensor's type,
/// if that is another one.
template <class T> T element_of(const tenfold_scalar &given, const std::string &what = "the value",
                                data_type of = data_type_of<T>) {
    if constexpr (is_complex(data_type_of<T>)) {
        using real = typename element_traits<T>::real;
        return T(static_cast<real>(given.re), static_cast<real>(given.im));
    } else {
        check_real(given, what, of);
        if constexpr (is_integer(data_type_of<T>))
            check_integer(given.re, data_type_of<T>, what, of);
        return dist_impl::converted<T>(given.re);
    }
}

/// A factor of a tensor of T.
template <class T>
typename dist_term<T>::factor_type factor_of(const tenfold_scalar &given, const std::string &what) {
    return element_of<typename dist_term<T>::factor_type>(given, what, data_type_of<T>);
}

/// Exact.
template <class T> tenfold_scalar scalar_from(T value) noexcept {
    if constexpr (is_complex(data_type_of<T>))
        return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
    else if constexpr (is_arithmetic(data_type_of<T>) || is_integer(data_type_of<T>))
        return {static_cast<double>(value), 0};
    else
        return {static_cast<double>(static_cast<float>(value)), 0};
}

/// Throws errc::invalid_argument for `conjugated`, which only plans of one contraction read.
void refuse_conjugated(const tenfold_dist_options &given);

/// The options of a distributed contraction. Their control is the caller's `control`.
dist_options dist_options_of(const tenfold_dist_options &given, const taken_control &control);
/// The context of options; null for that of the process.
std::shared_ptr<const context> context_of(const tenfold_dist_options &given);

} // namespace tenfold::capi_impl
