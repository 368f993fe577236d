// Elements of distributed tensors by lists of positions.
#include <limits>
#include <span>
#include <string>

#include <tenfold/dist_operations.hpp>

#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_tensor;

/// A rank's list in the memory of the caller's.
template <class T> struct element_list {
    std::span<const tenfold::index_t> positions;
    std::span<T> values;
};

template <class T, class Values> element_list<T>
list_of(int order, std::int64_t count, const std::int64_t *positions, Values *values) {
    require_count(count, values, "values");
    if (count > 0 && order > 0) {
        require(positions, "positions");
        if (count > std::numeric_limits<std::int64_t>::max() / order)
            throw tenfold::error(tenfold::errc::overflow,
                                 std::to_string(count) + " positions of " + std::to_string(order) +
                                     " indices have more than 2^63 - 1 indices");
    }
    const auto items = static_cast<std::size_t>(count);
    return {{positions, items * static_cast<std::size_t>(order)},
            {static_cast<T *>(values), items}};
}

/// Makes a collective call with this rank's list: work(dist_tensor<T>, list).
template <class Handle, class Values, class Work>
tenfold_error on_elements(Handle *tensor, std::int64_t count, const std::int64_t *positions,
                          Values *values, const Work &work) noexcept {
    return collective_on(
        tensor, "tensor",
        [&](auto &own) {
            using element = std::remove_cvref_t<decltype(*own.data())>;
            using value = std::conditional_t<std::is_const_v<Values>, const element, element>;
            return list_of<value>(own.order(), count, positions, values);
        },
        [&](auto &own, const auto &list) { work(own, list.positions, list.values); });
}

} // namespace

tenfold_error tenfold_dist_read_elements(const tenfold_dist_tensor *tensor, int64_t count,
                                         const int64_t *positions, void *values) {
    return on_elements(tensor, count, positions, values,
                       [](const auto &own, const auto &at, const auto &to) {
                           tenfold::read_elements(own, at, to);
                       });
}

tenfold_error tenfold_dist_write_elements(tenfold_dist_tensor *tensor, int64_t count,
                                          const int64_t *positions, const void *values) {
    return on_elements(tensor, count, positions, values,
                       [](auto &own, const auto &at, const auto &from) {
                           tenfold::write_elements(own, at, from);
                       });
}

tenfold_error tenfold_dist_add_elements(tenfold_dist_tensor *tensor, int64_t count,
                                        const int64_t *positions, const void *values) {
    return on_elements(
        tensor, count, positions, values,
        [](auto &own, const auto &at, const auto &from) { tenfold::add_elements(own, at, from); });
}
