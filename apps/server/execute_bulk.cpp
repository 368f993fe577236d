// Bulk data: transfers are opened on all ranks, and an upload that is complete is committed.
#include <tenfold/dist_operations.hpp>

#include <stdexcept>

#include "apps/server/bulk_desk.hpp"
#include "apps/server/execute.hpp"
#include "base/with_type.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

/// Opens the transfer on this rank, for its elements of the box.
template <class T> void open_here(const execution &now, const dist_tensor<T> &tensor) {
    const slice block = tensor.local_slice();
    const slice part = overlap_of(block, now.box());
    bulk_transfer what;
    what.number = now.work.at("transfer");
    what.secret = hash_from_hex(now.work.at("secret").get<std::string>()).value();
    what.is_upload = now.work.at("upload");
    what.until = std::chrono::steady_clock::now() +
                 std::chrono::seconds(now.work.at("seconds").get<std::int64_t>());
    what.type = data_type_of<T>;
    what.box = part.extents;
    what.is_empty = part.empty();
    what.pieces = piece_grid::of(part.extents, what.type, now.order("fortran_order"));
    const layout memory(block.extents);
    what.strides = memory.strides();
    index_t offset = 0;
    for (std::size_t mode = 0; mode < part.offsets.size() && !what.is_empty; ++mode)
        offset += (part.offsets[mode] - block.offsets[mode]) * memory.strides()[mode];
    // Downloads do not write to it: bulk_desk::give().
    what.memory = reinterpret_cast<char *>(const_cast<T *>(tensor.data() + offset));
    now.root.desk->open(std::move(what));
}

/// If one rank cannot, execute() closes it on all.
template <class T> void open_everywhere(const execution &now, const dist_tensor<T> &tensor) {
    agree(now.where, [&] { open_here(now, tensor); });
}

} // namespace

json execute_open(const execution &now) {
    now.check_stop();
    if (!now.work.at("upload").get<bool>()) {
        base::with_arithmetic_type(now.type("input_type"), [&]<class T>(T) {
            open_everywhere(now, now.store.get<T>(now.input(0)));
        });
        return json::object();
    }
    base::with_arithmetic_type(now.type("type"), [&]<class T>(T) {
        // No client sees what the memory holds: what is committed has all of its pieces.
        dist_tensor<T> staging(now.where, now.extents(), uninitialized);
        // To be kept does not move the elements, but may fail: the transfer is opened after it.
        agree(now.where, [&] { now.store.keep(now.output(), std::move(staging)); });
        open_everywhere(now, now.store.get<T>(now.output()));
    });
    return json::object();
}

json execute_commit(const execution &now) {
    bulk_desk &desk = *now.root.desk;
    const std::uint64_t number = now.work.at("transfer");
    agree(now.where, [&] {
        const auto missing = desk.missing(number);
        desk.close(number); // whatever comes of it: the transfer has ended
        if (!missing)
            throw std::logic_error("a command commits what is not open");
        if (*missing > 0)
            throw error(errc::invalid_argument, "the upload is not complete: rank " +
                                                    std::to_string(now.where.rank()) + " lacks " +
                                                    std::to_string(*missing) + " pieces");
    });
    if (!now.work.contains("box"))
        return json::object(); // the elements are where they stay
    base::with_arithmetic_type(
        now.type("type"), [&]<class T>(T) { write_part(now, now.store.get<T>(now.input(1))); });
    return json::object();
}

} // namespace tenfold::server
