// Sums over all elements of distributed tensors, norms, and extreme elements.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_element;
using tenfold::dist_tensor;

/// Makes a collective call: *to = compute(dist_tensor<T>).
template <class Number, class Compute> tenfold_error reduce(const tenfold_dist_tensor *tensor,
                                                            Number *to, const char *name_of_to,
                                                            const Compute &compute) noexcept {
    return collective_on(
        tensor, "tensor",
        [&](auto &) {
            require(to, name_of_to);
            return to;
        },
        [&](auto &own, Number *found) { *found = compute(own); });
}

/// Makes a collective call that finds an element of a real tensor: find(dist_tensor<T>).
template <class Find> tenfold_error find_extreme(const tenfold_dist_tensor *tensor, double *value,
                                                 int64_t *position, const Find &find) noexcept {
    const auto prepare = [&](auto &) {
        require(value, "value");
        if (is_complex(type_of(*tensor)))
            throw tenfold::error(tenfold::errc::type_mismatch,
                                 "the tensor is " + std::string(name(type_of(*tensor))) +
                                     "; complex numbers have no order",
                                 {.first = {.name = "tensor", .type = type_of(*tensor)}});
        return value;
    };
    return collective_on(
        tensor, "tensor", prepare, [&]<class T>(const dist_tensor<T> &own, double *to) {
            if constexpr (!tenfold::is_complex(tenfold::data_type_of<T>)) {
                const dist_element<T> found = find(own);
                *to = scalar_from(found.value).re;
                if (position != nullptr)
                    std::copy(found.position.begin(), found.position.end(), position);
            }
        });
}

/// The function of a caller's filter; none without a filter. Throws errc::invalid_argument.
std::function<bool(tenfold::position_view)> counts_of(const tenfold_position_filter *filter) {
    if (filter == nullptr)
        return nullptr;
    if (filter->function == nullptr)
        refuse("the filter's function is NULL");
    return [given = *filter](tenfold::position_view position) {
        return given.function(position.data(), given.user) != 0;
    };
}

} // namespace

tenfold_error tenfold_dist_norm(const tenfold_dist_tensor *tensor, double *norm) {
    return reduce(tensor, norm, "norm", [](const auto &own) { return own.norm(); });
}

tenfold_error tenfold_dist_norm1(const tenfold_dist_tensor *tensor, double *norm) {
    return reduce(tensor, norm, "norm", [](const auto &own) { return tenfold::norm1(own); });
}

tenfold_error tenfold_dist_norm_max(const tenfold_dist_tensor *tensor, double *norm) {
    return reduce(tensor, norm, "norm", [](const auto &own) { return tenfold::norm_max(own); });
}

tenfold_error tenfold_dist_sum(const tenfold_dist_tensor *tensor, tenfold_scalar *sum) {
    return reduce(tensor, sum, "sum",
                  [](const auto &own) { return scalar_from(tenfold::sum(own)); });
}

tenfold_error tenfold_dist_scalar(const tenfold_dist_tensor *tensor, tenfold_scalar *value) {
    return reduce(tensor, value, "value",
                  [](const auto &own) { return scalar_from(tenfold::scalar_of(own)); });
}

tenfold_error tenfold_dist_dot(const tenfold_dist_tensor *a, const tenfold_dist_tensor *b,
                               tenfold_scalar *dot) {
    return collective_on(
        a, "a",
        [&](auto &) {
            require(b, "b");
            require(dot, "dot");
            require_like(a, "a", *b, "b");
            return dot;
        },
        [&]<class T>(const dist_tensor<T> &own, tenfold_scalar *to) {
            *to = scalar_from(tenfold::dot(own, tensor_of<T>(*b)));
        });
}

tenfold_error tenfold_dist_minimum(const tenfold_dist_tensor *tensor, double *value,
                                   int64_t *position) {
    return find_extreme(tensor, value, position,
                        [](const auto &own) { return tenfold::minimum(own); });
}

tenfold_error tenfold_dist_maximum(const tenfold_dist_tensor *tensor, double *value,
                                   int64_t *position) {
    return find_extreme(tensor, value, position,
                        [](const auto &own) { return tenfold::maximum(own); });
}

tenfold_error tenfold_dist_largest(const tenfold_dist_tensor *tensor, int64_t most,
                                   const tenfold_position_filter *filter, int64_t *positions,
                                   void *values, int64_t *found) {
    const auto prepare = [&](auto &own) {
        require(found, "found");
        if (most > 0)
            require(values, "values");
        if (most > 0 && own.order() > 0)
            require(positions, "positions");
        return counts_of(filter);
    };
    return collective_on(
        tensor, "tensor", prepare, [&]<class T>(const dist_tensor<T> &own, const auto &counts) {
            int64_t *position = positions;
            T *value = static_cast<T *>(values);
            const std::vector<dist_element<T>> all = tenfold::largest(own, most, counts);
            for (const dist_element<T> &one : all) {
                position = std::copy(one.position.begin(), one.position.end(), position);
                *value++ = one.value;
            }
            *found = static_cast<std::int64_t>(all.size());
        });
}
