// What files of distributed tensors hold.
#include <memory>
#include <string>
#include <utility>

#include "capi/structs.hpp"
#include "capi/type_numbers.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/handles.hpp"

using namespace tenfold::capi_impl;

namespace {

/// `prepare` returns what `look` needs for a collective look into the file, which fills a list.
template <class Prepare, class Look>
tenfold_error list_file(const tenfold_world *world, tenfold_stored_list **list,
                        const Prepare &prepare, const Look &look) noexcept {
    return guarded([&] {
        require(world, "world");
        collective(
            world->shared,
            [&] {
                require(list, "list");
                *list = nullptr;
                auto made = std::make_unique<tenfold_stored_list>();
                made->tensors.reserve(1); // nothing may fail after the call
                return std::pair(std::move(made), prepare());
            },
            [&](auto &own) {
                look(own.second, own.first->tensors);
                *list = own.first.release();
            });
    });
}

std::string text_of(const char *given, const char *what) {
    require(given, what);
    return given;
}

} // namespace

tenfold_error tenfold_dist_stored(const tenfold_world *world, const char *file,
                                  tenfold_stored_list **list) {
    return list_file(
        world, list, [&] { return text_of(file, "file"); },
        [&](const std::string &own, auto &tensors) {
            tensors = tenfold::stored_tensors(world->shared, own);
        });
}

tenfold_error tenfold_dist_stored_npy(const tenfold_world *world, const char *file,
                                      tenfold_stored_list **list) {
    return list_file(
        world, list, [&] { return text_of(file, "file"); },
        [&](const std::string &own, auto &tensors) {
            tensors.push_back(tenfold::stored_npy(world->shared, own));
        });
}

tenfold_error tenfold_dist_stored_hdf5(const tenfold_world *world, const char *file,
                                       const char *dataset, tenfold_stored_list **list) {
    return list_file(
        world, list, [&] { return std::pair(text_of(file, "file"), text_of(dataset, "dataset")); },
        [&](const auto &own, auto &tensors) {
            tensors.push_back(tenfold::stored_hdf5(world->shared, own.first, own.second));
        });
}

tenfold_error tenfold_stored_count(const tenfold_stored_list *list, int32_t *count) {
    return guarded([&] {
        require(list, "list");
        require(count, "count");
        *count = static_cast<std::int32_t>(list->tensors.size());
    });
}

tenfold_error tenfold_stored_get(const tenfold_stored_list *list, int32_t index,
                                 tenfold_stored_tensor *stored) {
    return guarded([&] {
        require(list, "list");
        if (index < 0 || static_cast<std::size_t>(index) >= list->tensors.size())
            refuse("there is no tensor " + std::to_string(index) + "; the file has " +
                   std::to_string(list->tensors.size()));
        const tenfold::stored_tensor &own = list->tensors[static_cast<std::size_t>(index)];
        give({.size = 0,
              .name = own.name.c_str(),
              .type = number_of(own.type),
              .order = static_cast<std::int32_t>(own.extents.size()),
              .extents = own.extents.data()},
             stored, "stored");
    });
}

void tenfold_stored_destroy(tenfold_stored_list *list) { delete list; }
