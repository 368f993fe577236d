#include <optional>

#include <tenfold/dist_files.hpp>
#include <tenfold/dist_types.hpp>
#include <tenfold/error.hpp>

#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/files/file_stream.hpp"
#include "distributed/files/shared_file.hpp"
#include "tensor/npy.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;
using tensor_impl::npy_header;

void check_block_size(byte_count block) {
    if (block.value < 16)
        throw error(errc::invalid_argument,
                    "blocks of " + std::to_string(block.value) + " bytes; 16 is the least");
}

template <class T>
file_blocks blocks_of(const extents_t &extents, bool row_major, const file_options &options) {
    return {extents, row_major, options.block.value / static_cast<index_t>(sizeof(T))};
}

template <class T>
auto describe(const std::string &file, const dist_tensor<T> &tensor, const file_options &options) {
    return [&](call_description &call) {
        call.add_quoted("file", file);
        on_tensor(tensor)(call);
        call.add("block", options.block.value);
    };
}

/// Opens an .npy file and reads its header; collective.
npy_header open_npy(communicator &comm, const char *operation, shared_input &input) {
    const std::string &file = input.file().name();
    const std::string bytes =
        input.open(comm, operation, tensor_impl::npy_prefix_size,
                   [&](const std::string &start, index_t file_size) {
                       return tensor_impl::npy_header_size(file, start, file_size);
                   });
    npy_header header{};
    collectively(comm, operation,
                 [&] { header = tensor_impl::parse_npy_header(file, bytes, input.size()); });
    return header;
}

void check_alike(const std::string &file, const npy_header &header, data_type type,
                 const extents_t &extents) {
    const auto reject = [&](errc code, const std::string &there, const std::string &here) {
        throw error(code, "'" + file + "': the array has " + there + ", the tensor " + here);
    };
    if (!header.element.becomes(type))
        reject(errc::type_mismatch, "type " + std::string(name(header.element.type())),
               std::string(name(type)));
    if (header.shape.size() != extents.size())
        reject(errc::order_mismatch, "order " + std::to_string(header.shape.size()),
               std::to_string(extents.size()));
    if (header.shape != extents)
        reject(errc::extent_mismatch, "shape " + list(header.shape), list(extents));
}

} // namespace

template <class T>
void save_npy(const std::string &file, const dist_tensor<T> &tensor, const file_options &options) {
    communicator &comm = communicator_of(tensor.owner());
    const inside_library here(comm);
    std::string header;
    index_t size = 0;
    std::optional<file_blocks> blocks;
    std::optional<shared_output> output;
    collectively(comm, "save_npy", describe(file, tensor, options), [&] {
        check_block_size(options.block);
        // If both orders give the same layout, numpy writes fortran_order False.
        header =
            tensor_impl::npy_header_bytes(data_type_of<T>, tensor.extents(), tensor.order() > 1);
        size = static_cast<index_t>(header.size()) +
               storage_bytes(layout(tensor.extents()), data_type_of<T>).value;
        blocks = blocks_of<T>(tensor.extents(), false, options);
        output.emplace(file);
    });
    const auto data = static_cast<index_t>(header.size());
    output->create(comm, "save_npy (file)", size);
    base::run_watched(options.control, [&] {
        send_to_file<T>(tensor, *blocks, "save_npy (blocks)",
                        [&](index_t block, const T *elements, index_t count) {
                            output->write(data + blocks->begin(block) *
                                                     static_cast<index_t>(sizeof(T)),
                                          elements, count * static_cast<index_t>(sizeof(T)));
                        });
        output->commit(comm, "save_npy (file)", [&] { return header; });
    });
}

template <class T>
void load_npy(const std::string &file, dist_tensor<T> &tensor, const file_options &options) {
    communicator &comm = communicator_of(tensor.owner());
    const inside_library here(comm);
    std::optional<shared_input> input;
    collectively(comm, "load_npy", describe(file, tensor, options), [&] {
        check_block_size(options.block);
        input.emplace(file);
    });
    const npy_header header = open_npy(comm, "load_npy (file)", *input);
    std::optional<file_blocks> blocks;
    collectively(comm, "load_npy (header)", [&] {
        check_alike(file, header, data_type_of<T>, tensor.extents());
        blocks = blocks_of<T>(tensor.extents(), !header.fortran_order, options);
    });
    base::run_watched(options.control, [&] {
        receive_from_file<T>(
            tensor, *blocks, "load_npy (blocks)", [&](index_t block, T *elements, index_t count) {
                tensor_impl::read_npy_elements(file, header, blocks->begin(block), count,
                                               data_type_of<T>, elements,
                                               [&](index_t offset, void *data, index_t size) {
                                                   input->file().read(offset, data, size);
                                               });
            });
    });
}

stored_tensor stored_npy(const world &world, const std::string &file) {
    communicator &comm = communicator_of(world);
    const inside_library here(comm);
    std::optional<shared_input> input;
    const auto describe_file = [&](call_description &call) { call.add_quoted("file", file); };
    collectively(comm, "stored_npy", describe_file, [&] { input.emplace(file); });
    npy_header header = open_npy(comm, "stored_npy (file)", *input);
    return {"", header.element.type(), std::move(header.shape)};
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void save_npy(const std::string &, const dist_tensor<T> &, const file_options &);     \
    template void load_npy(const std::string &, dist_tensor<T> &, const file_options &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
