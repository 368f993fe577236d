#include "apps/server/bulk_desk.hpp"

#include <algorithm>
#include <numeric>

#include <sodium.h>

#include <tenfold/transpose.hpp>

namespace tenfold::server {
namespace {

/// Copies a piece between the order of its frame and its place in memory, on this thread.
void copy_piece(data_type type, const layout &from, const void *elements, const layout &to,
                void *target) {
    std::vector<int> identity(from.extents().size());
    std::iota(identity.begin(), identity.end(), 0);
    transpose_options options;
    options.threads = 1;
    const transpose_plan plan(identity, type, from, type, to, false, options);
    // Cannot fail: the two share no elements.
    static_cast<void>(plan.execute(1.0, elements, 0.0, target));
}

} // namespace

piece_grid piece_grid::of(const extents_t &box, data_type type, memory_order order) {
    const auto pieces =
        chunks_of(box, order, std::max<index_t>(1, most_piece_bytes / size_of(type)));
    return {pieces.empty() ? extents_t(box.size(), 1) : pieces.front().extents, order};
}

index_t piece_grid::count(const extents_t &box) const noexcept {
    index_t result = 1;
    for (std::size_t mode = 0; mode < box.size(); ++mode)
        result *= (box[mode] + extents[mode] - 1) / extents[mode];
    return result;
}

slice piece_grid::at(const extents_t &box, index_t number) const {
    slice result{extents_t(box.size(), 0), extents_t(box.size(), 0)};
    for (std::size_t mode = 0; mode < box.size(); ++mode) {
        const index_t cells = (box[mode] + extents[mode] - 1) / extents[mode];
        result.offsets[mode] = number % cells * extents[mode];
        result.extents[mode] = std::min(extents[mode], box[mode] - result.offsets[mode]);
        number /= cells;
    }
    return result;
}

struct bulk_desk::entry {
    bulk_transfer what;
    index_t pieces;
    std::vector<bool> landed; ///< of an upload
    index_t missing;
    bool is_open = true;

    explicit entry(bulk_transfer transfer)
        : what(std::move(transfer)), pieces(what.is_empty ? 0 : what.pieces.count(what.box)),
          landed(what.is_upload ? static_cast<std::size_t>(pieces) : 0),
          missing(what.is_upload ? pieces : 0) {}

    bool has(std::uint64_t number) const noexcept {
        return number < static_cast<std::uint64_t>(pieces);
    }
    slice at(std::uint64_t number) const {
        return what.pieces.at(what.box, static_cast<index_t>(number));
    }
    char *memory_of(const slice &piece) const noexcept {
        index_t offset = 0;
        for (std::size_t mode = 0; mode < piece.offsets.size(); ++mode)
            offset += piece.offsets[mode] * what.strides[mode];
        return what.memory + offset * size_of(what.type);
    }
    bool has_size(const slice &piece, std::size_t bytes) const noexcept {
        return static_cast<std::size_t>(piece.size() * size_of(what.type)) == bytes;
    }
};

void bulk_desk::open(bulk_transfer what) {
    const std::uint64_t number = what.number;
    auto made = std::make_shared<entry>(std::move(what));
    const std::lock_guard lock(mutex_);
    open_.insert_or_assign(number, std::move(made));
}

void bulk_desk::close(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end())
        return;
    found->second->is_open = false;
    open_.erase(found);
}

std::optional<index_t> bulk_desk::missing(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end())
        return std::nullopt;
    return found->second->missing;
}

std::size_t bulk_desk::size() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
}

bulk_desk::ticket bulk_desk::admit(std::uint64_t number,
                                   std::span<const unsigned char, secret_bytes> secret) const {
    const token_hash hash = hash_of({reinterpret_cast<const char *>(secret.data()), secret.size()});
    ticket result;
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end() ||
        sodium_memcmp(found->second->what.secret.data(), hash.data(), hash.size()) != 0)
        return result;
    result.entry_ = found->second;
    if (!is_live(result))
        result.entry_ = nullptr;
    return result;
}

bool bulk_desk::is_live(const ticket &of) const {
    return of.entry_->is_open && std::chrono::steady_clock::now() < of.entry_->what.until;
}

bool bulk_desk::is_open(const ticket &of) const {
    const std::lock_guard lock(mutex_);
    return is_live(of);
}

bool bulk_desk::is_upload(const ticket &of) const { return of.entry_->what.is_upload; }

std::optional<index_t> bulk_desk::piece_bytes(const ticket &of, std::uint64_t number) const {
    if (!of.entry_->has(number))
        return std::nullopt;
    return of.entry_->at(number).size() * size_of(of.entry_->what.type);
}

template <class Move> bulk_status bulk_desk::move(const ticket &of, std::uint64_t number,
                                                  std::size_t bytes, const Move &move) const {
    const entry &here = *of.entry_;
    if (!here.has(number))
        return bulk_status::wrong_piece;
    const slice piece = here.at(number);
    if (!here.has_size(piece, bytes))
        return bulk_status::wrong_piece;
    const layout in_frame = dense(piece.extents, here.what.pieces.order);
    const std::lock_guard lock(mutex_);
    if (!is_live(of))
        return bulk_status::unauthorized;
    move(in_frame, layout(piece.extents, here.what.strides), here.memory_of(piece));
    return bulk_status::ok;
}

bulk_status bulk_desk::take(const ticket &of, std::uint64_t number,
                            std::span<const unsigned char> elements) {
    entry &here = *of.entry_;
    if (!here.what.is_upload)
        return bulk_status::wrong_piece;
    return move(of, number, elements.size(),
                [&](const layout &in_frame, const layout &in_memory, char *memory) {
                    copy_piece(here.what.type, in_frame, elements.data(), in_memory, memory);
                    auto landed = here.landed[static_cast<std::size_t>(number)];
                    if (!landed)
                        --here.missing;
                    landed = true;
                });
}

bulk_status bulk_desk::give(const ticket &of, std::uint64_t number,
                            std::span<unsigned char> elements) const {
    const bulk_transfer &what = of.entry_->what;
    if (what.is_upload)
        return bulk_status::wrong_piece;
    return move(of, number, elements.size(),
                [&](const layout &in_frame, const layout &in_memory, const char *memory) {
                    copy_piece(what.type, in_memory, memory, in_frame, elements.data());
                });
}

} // namespace tenfold::server
