// Uploads and downloads: chunks of the body move between rank 0 and the ranks that own them.
#include <tenfold/dist_operations.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include "apps/server/execute.hpp"
#include "apps/server/planning.hpp"
#include "base/with_type.hpp"
#include "tensor/npy.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

template <class T> std::vector<slice> chunks_for(const extents_t &extents, memory_order order) {
    return chunks_of(extents, order, chunk_bytes / static_cast<index_t>(sizeof(T)));
}

/// Memory for any of the chunks: planning.cpp counts no more. A whole chunk's would be cleared for
/// complex numbers, which takes longer than most small requests.
template <class T> std::unique_ptr<T[]> buffer_for(const std::vector<slice> &chunks) {
    index_t most = 0;
    for (const slice &one : chunks)
        most = std::max(most, one.size());
    return std::unique_ptr<T[]>(new T[static_cast<std::size_t>(most)]);
}

/// A share of the work is done.
void report(const execution &now, std::size_t done, std::size_t all) {
    if (now.control.progress)
        now.control.progress(static_cast<double>(done) / static_cast<double>(all));
}

/// Collective. Writes the body into a tensor of its extents.
template <class T> void receive(const execution &now, dist_tensor<T> &tensor) {
    const memory_order order = now.order("fortran_order");
    const extents_t &extents = tensor.extents();
    std::vector<slice> chunks;
    std::unique_ptr<T[]> buffer;
    tensor_impl::npy_header header{};
    agree(now.where, [&] {
        chunks = chunks_for<T>(extents, order);
        if (!now.is_root())
            return;
        header = {*tensor_impl::npy_element::parse(now.work.at("element").get<std::string>()),
                  order == memory_order::fortran, extents, now.work.at("offset").get<index_t>()};
        buffer = buffer_for<T>(chunks);
    });
    const slice nothing{{}, {}, true};
    index_t first = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const slice &chunk = chunks[i];
        agree(now.where, [&] {
            if (now.control.stop.stop_requested())
                throw error(errc::stopped, "the job was cancelled");
            if (!now.is_root())
                return;
            // The body was measured when the upload was planned.
            const auto take = [&](index_t offset, void *data, index_t size) {
                std::memcpy(data, now.root.upload->data() + offset, static_cast<std::size_t>(size));
            };
            tensor_impl::read_npy_elements("the body", header, first, chunk.size(), data_type_of<T>,
                                           buffer.get(), take);
        });
        if (now.is_root())
            tensor.write(chunk, tensor_view<const T>(buffer.get(), dense(chunk.extents, order)));
        else
            tensor.write(nothing, tensor_view<const T>(nullptr, extents_t{0}));
        first += chunk.size();
        report(now, i + 1, chunks.size());
    }
}

template <class T> void upload(const execution &now) {
    dist_tensor<T> tensor(now.where, now.extents(), uninitialized);
    receive(now, tensor);
    now.store.keep(now.output(), std::move(tensor));
}

/// Collective. to[box] = part, in one step: it throws before anything is written.
template <class T>
void write_box(const dist_tensor<T> &part, dist_tensor<T> &to, const slice &box) {
    if (box.empty())
        return;
    if (box.extents.empty())
        return copy(part, to);
    std::string labels;
    for (std::size_t mode = 0; mode < box.extents.size(); ++mode)
        labels += (mode == 0 ? "x" : ",x") + std::to_string(mode);
    transpose("B[" + labels + "]=A[" + labels + "]", part,
              {extents_t(box.extents.size(), 0), box.extents}, to, box);
}

template <class T> void overwrite(const execution &now) {
    dist_tensor<T> part(now.where, now.box().extents, uninitialized);
    receive(now, part);
    write_part(now, part);
}

template <class T> void download(const execution &now) {
    const memory_order order = now.order("fortran_order");
    const dist_tensor<T> &tensor = now.store.get<T>(now.input(0));
    const slice box = now.box();
    const extents_t &extents = box.extents;
    std::vector<slice> chunks;
    std::unique_ptr<T[]> buffer;
    char *to = nullptr;
    agree(now.where, [&] {
        chunks = chunks_for<T>(extents, order);
        if (!now.is_root())
            return;
        std::string &body = *now.root.download;
        if (now.work.at("npy").get<bool>())
            body = tensor_impl::npy_header_bytes(data_type_of<T>, extents,
                                                 order == memory_order::fortran);
        const std::size_t header = body.size();
        body.resize(header + static_cast<std::size_t>(layout(extents).size()) * sizeof(T));
        to = body.data() + header;
        buffer = buffer_for<T>(chunks);
    });
    const slice nothing{{}, {}, true};
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        now.check_stop();
        slice chunk = chunks[i];
        for (std::size_t mode = 0; mode < chunk.offsets.size(); ++mode)
            chunk.offsets[mode] += box.offsets[mode];
        if (now.is_root()) {
            tensor.read_into(chunk, tensor_view<T>(buffer.get(), dense(chunk.extents, order)));
            const std::size_t size = static_cast<std::size_t>(chunk.size()) * sizeof(T);
            std::memcpy(to, buffer.get(), size);
            to += size;
        } else {
            tensor.read_into(nothing, tensor_view<T>(nullptr, extents_t{0}));
        }
        report(now, i + 1, chunks.size());
    }
}

} // namespace

template <class T> void write_part(const execution &now, const dist_tensor<T> &part) {
    const slice box = now.box();
    if (now.is_in_place())
        return write_box(part, now.store.edit<T>(now.input(0)), box);
    const dist_tensor<T> &former = now.store.get<T>(now.input(0));
    dist_tensor<T> tensor(now.where, former.extents(), uninitialized);
    copy(former, tensor);
    write_box(part, tensor, box);
    now.store.keep(now.output(), std::move(tensor));
}
#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void write_part(const execution &, const dist_tensor<T> &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

json execute_upload(const execution &now) {
    base::with_arithmetic_type(now.type("type"), [&]<class T>(T) { upload<T>(now); });
    return json::object();
}

json execute_overwrite(const execution &now) {
    base::with_arithmetic_type(now.type("type"), [&]<class T>(T) { overwrite<T>(now); });
    return json::object();
}

json execute_download(const execution &now) {
    base::with_arithmetic_type(now.type("input_type"), [&]<class T>(T) { download<T>(now); });
    return json::object();
}

} // namespace tenfold::server
