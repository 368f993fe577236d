#include <tenfold/dist_files.hpp>
#include <tenfold/error.hpp>

#include "distributed/comm/agreement.hpp"
#include "distributed/files/checkpoint_format.hpp"
#include "distributed/files/file_stream.hpp"
#include "distributed/files/named_tensors.hpp"
#include "distributed/files/shared_file.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// The checksums of one rank's blocks, which are contiguous in the file.
class block_checksums {
public:
    block_checksums(const communicator &comm, const checkpoint_layout::entry &entry,
                    const file_blocks &blocks)
        : range_(blocks.count(), comm.rank(), comm.size()),
          offset_(entry.checksum_offset + range_.begin * item),
          values_(static_cast<std::size_t>(range_.size())) {}

    std::uint32_t &of(index_t block) {
        return values_[static_cast<std::size_t>(block - range_.begin)];
    }
    void read(const file_handle &file) { file.read(offset_, values_.data(), range_.size() * item); }
    void write(const shared_output &file) const {
        file.write(offset_, values_.data(), range_.size() * item);
    }

private:
    static constexpr index_t item = sizeof(std::uint32_t);
    block_range range_;
    index_t offset_;
    std::vector<std::uint32_t> values_;
};

/// One tensor's blocks and buffers in one rank's memory.
struct streamed {
    file_blocks blocks;
    block_checksums checksums;

    streamed(const communicator &comm, const checkpoint_layout::entry &entry, byte_count block_size)
        : blocks(entry.blocks(block_size)), checksums(comm, entry, blocks) {}
};

template <class T> void save_one(const shared_output &file, const dist_tensor<T> &tensor,
                                 const checkpoint_layout::entry &entry, byte_count block_size) {
    communicator &comm = internals::of(tensor.owner());
    std::optional<streamed> its;
    collectively(comm, "save (checksums)", [&] { its.emplace(comm, entry, block_size); });
    send_to_file<T>(tensor, its->blocks, "save (blocks)",
                    [&](index_t block, const T *elements, index_t count) {
                        const index_t size = count * static_cast<index_t>(sizeof(T));
                        its->checksums.of(block) = checksum(elements, size);
                        file.write(entry.data_offset +
                                       its->blocks.begin(block) * static_cast<index_t>(sizeof(T)),
                                   elements, size);
                    });
    collectively(comm, "save (checksums)", [&] { its->checksums.write(file); });
}

template <class T> void load_one(const file_handle &file, dist_tensor<T> &tensor,
                                 const checkpoint_layout::entry &entry, byte_count block_size) {
    communicator &comm = internals::of(tensor.owner());
    std::optional<streamed> its;
    collectively(comm, "load (checksums)", [&] {
        its.emplace(comm, entry, block_size);
        its->checksums.read(file);
    });
    receive_from_file<T>(
        tensor, its->blocks, "load (blocks)", [&](index_t block, T *elements, index_t count) {
            const index_t size = count * static_cast<index_t>(sizeof(T));
            const index_t offset =
                entry.data_offset + its->blocks.begin(block) * static_cast<index_t>(sizeof(T));
            file.read(offset, elements, size);
            check_block(file.name(), entry.tensor.name, offset, elements, size,
                        its->checksums.of(block));
        });
}

/// Opens a checkpoint and reads its header; collective.
checkpoint_layout open_checkpoint(communicator &comm, const char *operation, shared_input &input) {
    const std::string &file = input.file().name();
    const std::string header = input.open(comm, operation, checkpoint_prefix_size,
                                          [&](const std::string &start, index_t file_size) {
                                              return checkpoint_header_size(file, start, file_size);
                                          });
    checkpoint_layout layout;
    collectively(comm, operation,
                 [&] { layout = parse_checkpoint_header(file, header, input.size()); });
    return layout;
}

const checkpoint_layout::entry &entry_of(const std::string &file, const checkpoint_layout &layout,
                                         const std::string &name) {
    if (const checkpoint_layout::entry *found = layout.find(name))
        return *found;
    constexpr std::size_t most = 8;
    std::string there;
    for (std::size_t i = 0; i < std::min(most, layout.entries.size()); ++i)
        there += (i == 0 ? "'" : ", '") + layout.entries[i].tensor.name + "'";
    if (layout.entries.size() > most)
        there += " and others";
    throw error(errc::invalid_argument, "'" + file + "' has no " + quoted(name) + "; there " +
                                            (there.empty() ? "is none" : "is " + there));
}

} // namespace

void save(const world &world, const std::string &file, const std::vector<tensor_to_save> &tensors,
          const file_options &options) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    const auto describe_save = [&](call_description &call) {
        describe(call, file, tensors);
        call.add("block", options.block.value);
    };
    checkpoint_layout layout;
    std::optional<shared_output> output;
    collectively(comm, "save", describe_save, [&] {
        std::vector<stored_tensor> stored;
        for (const tensor_to_save &one : tensors)
            std::visit(
                [&](auto *tensor) {
                    check_world(world, one.name, tensor->owner());
                    stored.push_back(
                        {one.name, data_type_of<element_of<decltype(tensor)>>, tensor->extents()});
                },
                one.tensor);
        layout = lay_out_checkpoint(std::move(stored), options.block);
        output.emplace(file);
    });
    output->create(comm, "save (file)", layout.file_size);
    base::run_watched(options.control, [&] {
        for_each_watched(tensors, [&](const auto &tensor, std::size_t i) {
            save_one(*output, tensor, layout.entries[i], layout.block_size);
        });
        output->commit(comm, "save (file)",
                       [&] { return checkpoint_header(layout, output->id()); });
    });
}

void load(const world &world, const std::string &file, const std::vector<tensor_to_load> &tensors,
          const execution_control *control) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    std::optional<shared_input> input;
    const auto describe_load = [&](call_description &call) { describe(call, file, tensors); };
    collectively(comm, "load", describe_load, [&] {
        for (const tensor_to_load &one : tensors)
            std::visit([&](auto *tensor) { check_world(world, one.name, tensor->owner()); },
                       one.tensor);
        input.emplace(file);
    });
    const checkpoint_layout layout = open_checkpoint(comm, "load (file)", *input);
    std::vector<const checkpoint_layout::entry *> entries;
    collectively(comm, "load (header)", [&] {
        for (const tensor_to_load &one : tensors) {
            entries.push_back(&entry_of(file, layout, one.name));
            std::visit(
                [&](auto *tensor) {
                    check_alike(file, entries.back()->tensor,
                                data_type_of<element_of<decltype(tensor)>>, tensor->extents());
                },
                one.tensor);
        }
    });
    base::run_watched(control, [&] {
        for_each_watched(tensors, [&](auto &tensor, std::size_t i) {
            load_one(input->file(), tensor, *entries[i], layout.block_size);
        });
    });
}

std::vector<stored_tensor> stored_tensors(const world &world, const std::string &file) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    std::optional<shared_input> input;
    const auto describe_file = [&](call_description &call) { call.add_quoted("file", file); };
    collectively(comm, "stored_tensors", describe_file, [&] { input.emplace(file); });
    checkpoint_layout layout = open_checkpoint(comm, "stored_tensors (file)", *input);
    std::vector<stored_tensor> result;
    collectively(comm, "stored_tensors (result)", [&] {
        for (auto &entry : layout.entries)
            result.push_back(std::move(entry.tensor));
    });
    return result;
}

} // namespace tenfold
