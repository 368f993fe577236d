// Distributed tensors in files.
#include <memory>
#include <string>
#include <vector>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

struct prepared_file {
    std::string name;
    std::shared_ptr<const taken_control> control;
    tenfold::file_options options;
};

prepared_file file_of(const char *file, const tenfold_file_options *options) {
    require(file, "file");
    const tenfold_file_options given = taken(options, "options");
    prepared_file own;
    own.name = file;
    own.control = std::make_shared<const taken_control>(given.control);
    own.options.control = own.control->get();
    if (given.block_bytes != 0)
        own.options.block = tenfold::bytes(given.block_bytes);
    return own;
}

/// A file and the tensors that are saved in it or loaded from it: Listed is tensor_to_save or
/// tensor_to_load.
template <class Listed> struct prepared_tensors {
    prepared_file file;
    std::vector<Listed> tensors;
};

template <class Listed>
prepared_tensors<Listed> tensors_of(const char *file, const tenfold_named_tensor *tensors,
                                    std::int32_t count, const tenfold_file_options *options) {
    prepared_tensors<Listed> own{file_of(file, options), {}};
    if (count < 0)
        refuse("count is " + std::to_string(count) + "; it is 0 or more");
    if (count > 0)
        require(tensors, "tensors");
    for (std::int32_t i = 0; i < count; ++i) {
        require(tensors[i].name, ("the name of tensor " + std::to_string(i)).c_str());
        require(tensors[i].tensor, ("tensor " + std::to_string(i)).c_str());
        with_tensor(*tensors[i].tensor,
                    [&](auto &tensor) { own.tensors.emplace_back(tensors[i].name, tensor); });
    }
    return own;
}

/// Prepares a list of tensors, then works on it with all ranks.
template <class Listed, class Prepare, class Work> tenfold_error
on_list(const tenfold_world *world, const Prepare &prepare, const Work &work) noexcept {
    return guarded([&] {
        require(world, "world");
        collective(world->shared, prepare, [&](const prepared_tensors<Listed> &own) {
            work(world->shared, own.file, own.tensors);
        });
    });
}

/// Prepares a file for one tensor, then works on both with all ranks.
template <class Handle, class Work> tenfold_error on_one(Handle *tensor, const char *file,
                                                         const tenfold_file_options *options,
                                                         const Work &work) noexcept {
    return guarded([&] {
        require(tensor, "tensor");
        collective(
            world_of(*tensor), [&] { return file_of(file, options); },
            [&](const prepared_file &own) {
                with_tensor(*tensor, [&](auto &which) { work(own, which); });
            });
    });
}

} // namespace

tenfold_error tenfold_dist_save(const tenfold_world *world, const char *file,
                                const tenfold_named_tensor *tensors, int32_t count,
                                const tenfold_file_options *options) {
    using listed = tenfold::tensor_to_save;
    return on_list<listed>(
        world, [&] { return tensors_of<listed>(file, tensors, count, options); },
        [](const tenfold::world &where, const prepared_file &own, const std::vector<listed> &list) {
            tenfold::save(where, own.name, list, own.options);
        });
}

tenfold_error tenfold_dist_load(const tenfold_world *world, const char *file,
                                const tenfold_named_tensor *tensors, int32_t count,
                                const tenfold_file_options *options) {
    using listed = tenfold::tensor_to_load;
    return on_list<listed>(
        world, [&] { return tensors_of<listed>(file, tensors, count, options); },
        [](const tenfold::world &where, const prepared_file &own, const std::vector<listed> &list) {
            tenfold::load(where, own.name, list, own.options.control);
        });
}

tenfold_error tenfold_dist_save_npy(const char *file, const tenfold_dist_tensor *tensor,
                                    const tenfold_file_options *options) {
    return on_one(tensor, file, options, [](const prepared_file &own, const auto &which) {
        tenfold::save_npy(own.name, which, own.options);
    });
}

tenfold_error tenfold_dist_load_npy(const char *file, tenfold_dist_tensor *tensor,
                                    const tenfold_file_options *options) {
    return on_one(tensor, file, options, [](const prepared_file &own, auto &which) {
        tenfold::load_npy(own.name, which, own.options);
    });
}

tenfold_error tenfold_dist_save_hdf5(const tenfold_world *world, const char *file,
                                     const tenfold_named_tensor *tensors, int32_t count,
                                     const tenfold_file_options *options) {
    using listed = tenfold::tensor_to_save;
    return on_list<listed>(
        world, [&] { return tensors_of<listed>(file, tensors, count, options); },
        [](const tenfold::world &where, const prepared_file &own, const std::vector<listed> &list) {
            tenfold::save_hdf5(where, own.name, list, own.options);
        });
}

tenfold_error tenfold_dist_load_hdf5(const tenfold_world *world, const char *file,
                                     const tenfold_named_tensor *tensors, int32_t count,
                                     const tenfold_file_options *options) {
    using listed = tenfold::tensor_to_load;
    return on_list<listed>(
        world, [&] { return tensors_of<listed>(file, tensors, count, options); },
        [](const tenfold::world &where, const prepared_file &own, const std::vector<listed> &list) {
            tenfold::load_hdf5(where, own.name, list, own.options);
        });
}
