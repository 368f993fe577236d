// Creation of distributed tensors, their parts, redistribution.
#include <memory>
#include <string>
#include <utility>

#include "capi/structs.hpp"
#include "capi/type_numbers.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_tensor;
using handle = std::unique_ptr<tenfold_dist_tensor>;

/// Memory for a handle, before the collective call that makes its tensor.
handle handle_for(tenfold_dist_tensor **place, const char *what) {
    require(place, what);
    *place = nullptr;
    return std::make_unique<tenfold_dist_tensor>();
}

/// Fills the caller's part. `data` is that of `own`.
template <class T> void give_part(const dist_tensor<T> &own, T *data, tenfold_dist_part *part) {
    const tenfold::slice &mine = own.local_slice();
    give({.size = 0,
          .type = number_of(tenfold::data_type_of<T>),
          .order = own.order(),
          .tensor_extents = own.extents().data(),
          .offsets = mine.offsets.data(),
          .extents = mine.extents.data(),
          .elements = mine.size(),
          .data = data,
          .number = own.number()},
         part, "part");
}

struct creation {
    handle made;
    tenfold::data_type type;
    tenfold::extents_t extents;
};

} // namespace

tenfold_error tenfold_dist_create(const tenfold_world *world, tenfold_type type, int32_t order,
                                  const int64_t *extents, const tenfold_distribution *distribution,
                                  tenfold_dist_tensor **tensor) {
    return guarded([&] {
        require(world, "world");
        collective(
            world->shared,
            [&] {
                return creation{handle_for(tensor, "tensor"), element_type_of(type),
                                extents_of(order, extents, "extents")};
            },
            [&](creation &create) {
                with_distributed_type(create.type, [&]<class T>(std::type_identity<T>) {
                    create.made->any.emplace(
                        distribution == nullptr
                            ? dist_tensor<T>(world->shared, create.extents)
                            : dist_tensor<T>(world->shared, create.extents, distribution->spread));
                });
                *tensor = create.made.release();
            });
    });
}

void tenfold_dist_destroy(tenfold_dist_tensor *tensor) { delete tensor; }

tenfold_error tenfold_dist_local(const tenfold_dist_tensor *tensor, tenfold_dist_part *part) {
    return guarded([&] {
        require(tensor, "tensor");
        with_tensor(*tensor, [&]<class T>(const dist_tensor<T> &own) {
            give_part(own, const_cast<T *>(own.data()), part);
        });
    });
}

tenfold_error tenfold_dist_local_to_write(tenfold_dist_tensor *tensor, tenfold_dist_part *part) {
    return guarded([&] {
        require(tensor, "tensor");
        with_tensor(*tensor, [&]<class T>(dist_tensor<T> &own) {
            require(part, "part"); // before the copies count as different
            require_size(*part, "part");
            give_part(own, own.data(), part);
        });
    });
}

tenfold_error tenfold_dist_refresh(tenfold_dist_tensor *tensor) {
    return collective_on(tensor, "tensor", [](auto &own) { own.refresh(); });
}

tenfold_error tenfold_dist_world(const tenfold_dist_tensor *tensor, tenfold_world **world) {
    return guarded([&] {
        require(world, "world");
        *world = nullptr;
        require(tensor, "tensor");
        *world = new tenfold_world{world_of(*tensor)};
    });
}

tenfold_error tenfold_dist_distribution(const tenfold_dist_tensor *tensor,
                                        tenfold_distribution **distribution) {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        require(tensor, "tensor");
        *distribution = new tenfold_distribution{
            with_tensor(*tensor, [](const auto &own) { return own.distribution(); })};
    });
}

tenfold_error tenfold_dist_redistribute(const tenfold_dist_tensor *tensor,
                                        const tenfold_distribution *distribution,
                                        tenfold_dist_tensor **made) {
    return guarded([&] {
        require(tensor, "tensor");
        collective(
            world_of(*tensor),
            [&] {
                handle result = handle_for(made, "made");
                require(distribution, "distribution");
                return std::pair(std::move(result), distribution->spread);
            },
            [&](std::pair<handle, tenfold::distribution> &prepared) {
                with_tensor(*tensor, [&](const auto &own) {
                    prepared.first->any.emplace(own.redistribute(std::move(prepared.second)));
                });
                *made = prepared.first.release();
            });
    });
}
