// What ranks need of all of them: slices of tensors, and lists of any lengths. Link tenfold::dist.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <tenfold/dist_operations.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Collective. Every rank reads the same slice into memory of its own, `to`, which has the slice's
/// extents and any strides:
///     gather_slice(T, {{0, 0, first}, {40, 40, 8}}, mine);
/// The same as dist_tensor::read_into() with one agreement instead of three. A rank receives what
/// it lacks of the slice, and needs memory for that, at most for 64 MiB at a time; what lies in one
/// piece where it is sent from, such as a whole block, is sent from there. Throws
/// errc::order_mismatch and errc::extent_mismatch for a slice that does not fit the tensor or its
/// memory, errc::null_pointer, and errc::overlap if `to` overlaps itself.
template <class T>
[[gnu::visibility("default")]] void gather_slice(const dist_tensor<T> &from, const slice &wanted,
                                                 tensor_view<std::type_identity_t<T>> to);

namespace dist_impl {

/// Items in a row.
struct item_list {
    const void *data;
    std::size_t count;
};
/// Without a root, every rank gets the lists.
void gather_lists(const world &where, const item_list &mine, const resizable &all,
                  std::optional<int> root);
void scatter_lists(const world &where, const item_list &values, std::span<const index_t> counts,
                   const resizable &mine, int root);

template <class V> resizable resized(std::vector<V> &values) {
    return {[&values](std::size_t count) { values.resize(count); },
            [&values] { return static_cast<void *>(values.data()); }, values.size(), sizeof(V)};
}

} // namespace dist_impl

/// Collective. Gives `root` the values of all ranks, each of which has any number of them: those of
/// rank 0, then those of rank 1, and so on. `all` gets as many values on the root, and none on the
/// other ranks; it is not where `mine` is. The root needs memory for as many once more. Throws
/// errc::invalid_argument for a root that is no rank, errc::null_pointer, errc::out_of_memory.
template <dist_impl::plain_value V>
requires(!std::is_same_v<V, bool>) void gather_lists(const world &where,
                                                     std::span<const std::type_identity_t<V>> mine,
                                                     std::vector<V> &all, int root) {
    dist_impl::gather_lists(where, {mine.data(), mine.size()}, dist_impl::resized(all), root);
}

/// Collective. The same for every rank.
template <dist_impl::plain_value V>
requires(!std::is_same_v<V, bool>) void all_gather_lists(
    const world &where, std::span<const std::type_identity_t<V>> mine, std::vector<V> &all) {
    dist_impl::gather_lists(where, {mine.data(), mine.size()}, dist_impl::resized(all),
                            std::nullopt);
}

/// Collective. The reverse of gather_lists(): the root's first counts[0] values go to rank 0, the
/// next counts[1] to rank 1, and so on. `mine` gets as many values; other ranks' `values` and
/// `counts` are ignored. Throws errc::invalid_argument for a root that is no rank and negative
/// counts, errc::extent_mismatch unless there is a count for each rank and they add up to the
/// number of values, errc::null_pointer, errc::out_of_memory.
template <dist_impl::plain_value V>
requires(!std::is_same_v<V, bool>) void scatter_lists(
    const world &where, std::span<const std::type_identity_t<V>> values,
    std::span<const index_t> counts, std::vector<V> &mine, int root) {
    dist_impl::scatter_lists(where, {values.data(), values.size()}, counts,
                             dist_impl::resized(mine), root);
}

} // namespace tenfold
