// The elements of distributed tensors: values, slices, whole arrays.
#include <string>

#include <tenfold/dist_gather.hpp>

#include "distributed/capi/arrays.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_tensor;
using tenfold::extents_t;
using tenfold::slice;
using tenfold::tensor_view;

/// Makes a collective call with views of the callers' arrays: work(dist_tensor<T>, slice, view).
template <class Handle, class Data, class Prepare, class Work>
tenfold_error transfer_slice(Handle *tensor, const Prepare &prepare, const Work &work) noexcept {
    return collective_on(
        tensor, "tensor", [&](auto &) { return prepare(); },
        [&](auto &own, const transfer<Data> &prepared) {
            using element = std::remove_cvref_t<decltype(*own.data())>;
            using value = std::conditional_t<std::is_const_v<Data>, const element, element>;
            work(own, prepared.where,
                 tensor_view<value>(static_cast<value *>(prepared.data), prepared.shape));
        });
}

} // namespace

tenfold_error tenfold_dist_fill(tenfold_dist_tensor *tensor, const tenfold_scalar *value) {
    return collective_on(
        tensor, "tensor",
        [&]<class T>(dist_tensor<T> &) {
            require(value, "value");
            return element_of<T>(*value);
        },
        []<class T>(dist_tensor<T> &own, T element) { own.fill(element); });
}

tenfold_error tenfold_dist_fill_by(tenfold_dist_tensor *tensor, tenfold_element_function function,
                                   void *user) {
    return collective_on(
        tensor, "tensor",
        [&](auto &) {
            if (function == nullptr)
                refuse("function is NULL");
            return function;
        },
        [&]<class T>(dist_tensor<T> &own, tenfold_element_function of_position) {
            own.fill([&](const extents_t &offsets, tensor_view<T> block) {
                fill_block(offsets, block, of_position, user);
            });
        });
}

tenfold_error tenfold_dist_read(const tenfold_dist_tensor *tensor, const int64_t *offsets,
                                const tenfold_tensor *to, void *data) {
    return transfer_slice<const tenfold_dist_tensor, void>(
        tensor, [&] { return transfer_of(*tensor, offsets, to, data); },
        [](const auto &own, const slice &where, const auto &view) { own.read_into(where, view); });
}

tenfold_error tenfold_dist_gather_slice(const tenfold_dist_tensor *tensor, const int64_t *offsets,
                                        const tenfold_tensor *to, void *data) {
    return transfer_slice<const tenfold_dist_tensor, void>(
        tensor,
        [&] {
            require(to, "to");
            return transfer_of(*tensor, offsets, to, data);
        },
        [](const auto &own, const slice &where, const auto &view) {
            tenfold::gather_slice(own, where, view);
        });
}

tenfold_error tenfold_dist_write(tenfold_dist_tensor *tensor, const int64_t *offsets,
                                 const tenfold_tensor *from, const void *data) {
    return transfer_slice<tenfold_dist_tensor, const void>(
        tensor, [&] { return transfer_of(*tensor, offsets, from, data); },
        [](auto &own, const slice &where, const auto &view) { own.write(where, view); });
}

tenfold_error tenfold_dist_gather(const tenfold_dist_tensor *tensor, int32_t root,
                                  const tenfold_tensor *to, void *data) {
    return transfer_slice<const tenfold_dist_tensor, void>(
        tensor,
        [&] {
            if (world_of(*tensor).rank() != root)
                return transfer<void>();
            require(to, "to");
            return transfer_of(*tensor, nullptr, to, data);
        },
        [&](const auto &own, const slice &, const auto &view) { own.gather_into(view, root); });
}

tenfold_error tenfold_dist_scatter(tenfold_dist_tensor *tensor, int32_t root,
                                   const tenfold_tensor *from, const void *data) {
    return transfer_slice<tenfold_dist_tensor, const void>(
        tensor,
        [&] {
            if (world_of(*tensor).rank() != root)
                return transfer<const void>();
            require(from, "from");
            return transfer_of(*tensor, nullptr, from, data);
        },
        [&](auto &own, const slice &, const auto &view) { own.scatter(view, root); });
}
