#include <tenfold/dist_files.hpp>
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

template <class T> call_description describe(const char *operation, const std::string &file,
                                             const dist_tensor<T> &tensor,
                                             const file_options &options) {
    call_description description(operation);
    description.add("file", "'" + file + "'")
        .add("type", std::string(name(data_type_of<T>)))
        .add("tensor", tensor)
        .add("block", std::to_string(options.block.value));
    return description;
}

/// Opens an .npy file and reads its header; collective.
npy_header open_npy(communicator &comm, const std::string &operation, shared_input &input) {
    const std::string &file = input.file().name();
    const std::string bytes =
        input.open(comm, operation, tensor_impl::npy_prefix_size,
                   [&](const std::string &start, index_t file_size) {
                       return tensor_impl::npy_header_size(file, start, file_size);
                   });
    npy_header header{};
    collectively(comm, call_description(operation),
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
    communicator &comm = internals::of(tensor.owner());
    std::string header;
    std::optional<file_blocks> blocks;
    collectively(comm, describe("save_npy", file, tensor, options), [&] {
        check_block_size(options.block);
        // If both orders give the same layout, numpy writes fortran_order False.
        header =
            tensor_impl::npy_header_bytes(data_type_of<T>, tensor.extents(), tensor.order() > 1);
        blocks = blocks_of<T>(tensor.extents(), false, options);
    });
    const auto data = static_cast<index_t>(header.size());
    const index_t size = data + storage_bytes(layout(tensor.extents()), data_type_of<T>).value;
    shared_output output(file);
    output.create(comm, "save_npy (file)", size);
    base::run_watched(options.control, [&] {
        send_to_file<T>(tensor, *blocks, "save_npy (blocks)",
                        [&](index_t block, const T *elements, index_t count) {
                            output.write(data +
                                             blocks->begin(block) * static_cast<index_t>(sizeof(T)),
                                         elements, count * static_cast<index_t>(sizeof(T)));
                        });
        output.commit(comm, "save_npy (file)", header);
    });
}

template <class T>
void load_npy(const std::string &file, dist_tensor<T> &tensor, const file_options &options) {
    communicator &comm = internals::of(tensor.owner());
    collectively(comm, describe("load_npy", file, tensor, options),
                 [&] { check_block_size(options.block); });
    shared_input input(file);
    const npy_header header = open_npy(comm, "load_npy (file)", input);
    std::optional<file_blocks> blocks;
    collectively(comm, call_description("load_npy (header)"), [&] {
        check_alike(file, header, data_type_of<T>, tensor.extents());
        blocks = blocks_of<T>(tensor.extents(), !header.fortran_order, options);
    });
    base::run_watched(options.control, [&] {
        receive_from_file<T>(
            tensor, *blocks, "load_npy (blocks)", [&](index_t block, T *elements, index_t count) {
                tensor_impl::read_npy_elements(file, header, blocks->begin(block), count,
                                               data_type_of<T>, elements,
                                               [&](index_t offset, void *data, index_t size) {
                                                   input.file().read(offset, data, size);
                                               });
            });
    });
}

stored_tensor stored_npy(const world &world, const std::string &file) {
    communicator &comm = internals::of(world);
    call_description description("stored_npy");
    agree(comm, description.add("file", "'" + file + "'"));
    shared_input input(file);
    npy_header header = open_npy(comm, "stored_npy (file)", input);
    return {"", header.element.type(), std::move(header.shape)};
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void save_npy(const std::string &, const dist_tensor<T> &, const file_options &);     \
    template void load_npy(const std::string &, dist_tensor<T> &, const file_options &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
