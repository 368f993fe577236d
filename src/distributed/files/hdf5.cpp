// Rank 0 lays out the datasets with the HDF5 library. Elements of contiguous datasets are then
// plain bytes of the file, which all ranks write at the same time, so parallel HDF5 is not needed.
// To read, every rank uses the library, so any layout of a dataset can be read.
#include <algorithm>
#include <optional>

#include <fcntl.h>

#include "distributed/files/file_stream.hpp"
#include "distributed/files/named_tensors.hpp"
#include "distributed/files/shared_file.hpp"
#include "hdf5/hdf5_file.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;
using hdf5_impl::dataset_description;
using hdf5_impl::dataset_reader;

template <class T> file_blocks blocks_of(const extents_t &extents, const file_options &options) {
    return {extents, /*row_major=*/true, options.block.value / static_cast<index_t>(sizeof(T))};
}

template <class Named>
void check(const world &world, const std::vector<Named> &tensors, const file_options &options) {
    hdf5_impl::require_hdf5();
    if (options.block.value < 16)
        throw error(errc::invalid_argument,
                    "blocks of " + std::to_string(options.block.value) + " bytes; 16 is the least");
    for (const Named &one : tensors)
        std::visit([&](auto *tensor) { check_world(world, one.name, tensor->owner()); },
                   one.tensor);
}

std::vector<dataset_description> datasets_of(const std::vector<tensor_to_save> &tensors) {
    std::vector<dataset_description> datasets;
    for (const tensor_to_save &one : tensors) {
        const std::string path = hdf5_impl::dataset_path(one.name);
        if (std::any_of(datasets.begin(), datasets.end(),
                        [&](const dataset_description &other) { return other.path == path; }))
            throw error(errc::invalid_argument, "two tensors of a file are named '" + path + "'");
        std::visit(
            [&](auto *tensor) {
                datasets.push_back(
                    {path, data_type_of<element_of<decltype(tensor)>>, tensor->extents()});
            },
            one.tensor);
    }
    return datasets;
}

/// Returns a path to the file that this process has open, even if its name now leads to another
/// file.
std::string open_path(const file_handle &file) {
    return "/proc/self/fd/" + std::to_string(file.descriptor());
}

/// Opens an HDF5 file on all ranks; collective.
void open_hdf5(communicator &comm, const char *operation, shared_input &input) {
    // The superblock of a file without a user block; it suffices to see whether ranks opened the
    // same file.
    constexpr index_t start = 96;
    static_cast<void>(input.open(comm, operation, start, [&](const std::string &, index_t size) {
        return std::min(start, size);
    }));
}

} // namespace

void save_hdf5(const world &world, const std::string &file,
               const std::vector<tensor_to_save> &tensors, const file_options &options) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    const auto describe_save = [&](call_description &call) {
        describe(call, file, tensors);
        call.add("block", options.block.value);
    };
    std::vector<index_t> places;
    std::optional<hdf5_impl::file_with_datasets> whole; // the whole file except for elements
    std::optional<shared_output> output;
    collectively(comm, "save_hdf5", describe_save, [&] {
        check(world, tensors, options);
        std::vector<dataset_description> datasets = datasets_of(tensors);
        places.resize(tensors.size());
        comm.prepare_control(static_cast<index_t>(places.size() * sizeof(index_t)));
        output.emplace(file);
        if (comm.rank() != 0)
            return;
        whole.emplace(file, file, std::move(datasets));
        places = whole->places();
    });
    output->create(comm, "save_hdf5 (file)", whole ? whole->size() : 0);
    collectively(comm, "save_hdf5 (datasets)", [&] {
        if (whole)
            whole->write([&](index_t offset, const void *data, index_t size) {
                output->write(offset, data, size);
            });
        whole.reset();
    });
    comm.broadcast(places.data(), static_cast<index_t>(places.size() * sizeof(index_t)), 0);
    base::run_watched(options.control, [&] {
        for_each_watched(tensors, [&](const auto &tensor, std::size_t i) {
            using T = element_of<decltype(&tensor)>;
            constexpr auto item = static_cast<index_t>(sizeof(T));
            std::optional<file_blocks> blocks;
            collectively(comm, "save_hdf5 (blocks)",
                         [&] { blocks = blocks_of<T>(tensor.extents(), options); });
            send_to_file<T>(tensor, *blocks, "save_hdf5 (blocks)",
                            [&](index_t block, const T *elements, index_t count) {
                                output->write(places[i] + blocks->begin(block) * item, elements,
                                              count * item);
                            });
        });
        output->commit(comm, "save_hdf5 (file)", [] { return std::string(); });
    });
}

void load_hdf5(const world &world, const std::string &file,
               const std::vector<tensor_to_load> &tensors, const file_options &options) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    const auto describe_load = [&](call_description &call) {
        describe(call, file, tensors);
        call.add("block", options.block.value);
    };
    std::optional<shared_input> input;
    collectively(comm, "load_hdf5", describe_load, [&] {
        check(world, tensors, options);
        input.emplace(file);
    });
    open_hdf5(comm, "load_hdf5 (file)", *input);
    std::vector<dataset_reader> readers;
    collectively(comm, "load_hdf5 (datasets)", [&] {
        for (const tensor_to_load &one : tensors) {
            readers.emplace_back(file, open_path(input->file()), one.name);
            const dataset_description &found = readers.back().description();
            std::visit(
                [&](auto *tensor) {
                    check_alike(file, {found.path, found.type, found.extents},
                                data_type_of<element_of<decltype(tensor)>>, tensor->extents());
                },
                one.tensor);
        }
    });
    base::run_watched(options.control, [&] {
        for_each_watched(tensors, [&](auto &tensor, std::size_t i) {
            using T = element_of<decltype(&tensor)>;
            std::optional<file_blocks> blocks;
            collectively(comm, "load_hdf5 (blocks)",
                         [&] { blocks = blocks_of<T>(tensor.extents(), options); });
            receive_from_file<T>(tensor, *blocks, "load_hdf5 (blocks)",
                                 [&](index_t block, T *elements, index_t) {
                                     const slice box = blocks->box(block);
                                     readers[i].read(box.offsets, box.extents, elements);
                                 });
        });
    });
}

stored_tensor stored_hdf5(const world &world, const std::string &file, const std::string &dataset) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    const auto describe_dataset = [&](call_description &call) {
        call.add_quoted("file", file).add_quoted("dataset", dataset);
    };
    std::optional<shared_input> input;
    collectively(comm, "stored_hdf5", describe_dataset, [&] {
        hdf5_impl::require_hdf5();
        input.emplace(file);
    });
    open_hdf5(comm, "stored_hdf5 (file)", *input);
    stored_tensor result{};
    collectively(comm, "stored_hdf5 (dataset)", [&] {
        const dataset_reader reader(file, open_path(input->file()), dataset);
        const dataset_description &found = reader.description();
        result = {found.path, found.type, found.extents};
    });
    return result;
}

} // namespace tenfold
