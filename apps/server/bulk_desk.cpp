#include "apps/server/bulk_desk.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include <sodium.h>
#include <sys/mman.h>

#include <tenfold/transpose.hpp>

namespace tenfold::server {
namespace {

/// Of a piece, one after the other in memory: four cache lines, which are written past the caches.
/// Longer runs gain less than the client loses that has to gather its pieces.
constexpr index_t memory_run_bytes = 256;
/// Of an upload on a rank, that is written past the caches.
constexpr index_t streamed_bytes = index_t{8} << 20;

index_t bytes_of(const bulk_transfer &what) {
    return what.is_empty ? 0 : layout(what.box).size() * size_of(what.type);
}
bool is_large_upload(const bulk_transfer &what) {
    return what.is_upload && bytes_of(what) >= streamed_bytes;
}

index_t untouched_bytes(const bulk_transfer &what) {
    return is_large_upload(what) ? bytes_of(what) : 0;
}

/// Copies pieces of these extents from their frame to their place in memory, or back, on this
/// thread.
transpose_plan plan_of_copy(const bulk_transfer &what, const extents_t &extents) {
    std::vector<int> identity(extents.size());
    std::iota(identity.begin(), identity.end(), 0);
    transpose_options options;
    options.threads = 1;
    options.bypass_caches = is_large_upload(what); // whose elements nobody reads at once
    const layout in_frame = dense(extents, what.pieces.order), in_memory(extents, what.strides);
    return what.is_upload
               ? transpose_plan(identity, what.type, in_frame, what.type, in_memory, false, options)
               : transpose_plan(identity, what.type, in_memory, what.type, in_frame, false,
                                options);
}

} // namespace

/// Memory that was never written has no pages yet. Pieces of rows reach into all of it, so that
/// each thread would meet the others at each huge page, which each of them would clear, and all but
/// one in vain. This divides the pages among the threads.
class untouched_pages {
public:
    untouched_pages(char *memory, index_t size) : memory_(memory), size_(size) {}

    /// Returns when all pages are there, or other threads are at them.
    void touch() noexcept {
#ifdef MADV_POPULATE_WRITE // changes no element; Linux before 5.14 refuses it
        for (index_t at = 0; (at = next_.fetch_add(grain)) < size_;) {
            const auto begin = reinterpret_cast<std::uintptr_t>(memory_ + at) / page * page;
            const auto end =
                reinterpret_cast<std::uintptr_t>(memory_ + std::min(at + grain, size_));
            if (madvise(reinterpret_cast<void *>(begin), end - begin, MADV_POPULATE_WRITE) != 0)
                next_ = size_;
        }
#endif
    }

private:
    static constexpr index_t grain = index_t{2} << 20;
    static constexpr std::uintptr_t page = 4096;

    char *memory_ = nullptr;
    index_t size_ = 0;
    std::atomic<index_t> next_{0};
};

piece_grid piece_grid::of(const extents_t &box, data_type type, memory_order order) {
    if (layout(box).empty())
        return {extents_t(box.size(), 1), order};
    const auto elements_in = [&](index_t bytes) {
        return std::max<index_t>(1, bytes / size_of(type));
    };
    const index_t most = elements_in(most_piece_bytes);
    piece_grid result{largest_chunk(box, order, most), order};
    // In memory mode 0 is the fastest: some rows of a wide array scatter over all its columns.
    const extents_t run = largest_chunk(box, memory_order::fortran, elements_in(memory_run_bytes));
    const auto is_shorter = [&](const extents_t &piece) {
        for (std::size_t mode = 0; mode < piece.size(); ++mode)
            if (piece[mode] < run[mode])
                return true;
        return false;
    };
    if (is_shorter(result.extents)) {
        result.extents = largest_chunk(box, order, std::max<index_t>(1, most / layout(run).size()));
        for (std::size_t mode = 0; mode < run.size(); ++mode)
            result.extents[mode] = std::max(result.extents[mode], run[mode]);
    }
    return result;
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
    std::vector<std::uint64_t> moving = {}; ///< the pieces whose elements are being moved
    std::optional<transpose_plan> usual;    ///< for pieces that are as large as the first one
    untouched_pages untouched;              ///< of a large upload, which has memory of its own

    explicit entry(bulk_transfer transfer)
        : what(std::move(transfer)), pieces(what.is_empty ? 0 : what.pieces.count(what.box)),
          landed(what.is_upload ? static_cast<std::size_t>(pieces) : 0),
          missing(what.is_upload ? pieces : 0), untouched(what.memory, untouched_bytes(what)) {
        if (pieces > 1)
            usual = plan_of_copy(what, at(0).extents);
    }

    bool has(std::uint64_t number) const noexcept {
        return number < static_cast<std::uint64_t>(pieces);
    }
    bool is_live() const noexcept {
        return is_open && std::chrono::steady_clock::now() < what.until;
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
    std::size_t bytes_of(const slice &piece) const noexcept {
        return static_cast<std::size_t>(piece.size() * size_of(what.type));
    }
    /// From the frame to memory, or back. Cannot fail once it begins: the two share no elements.
    void copy(const slice &piece, const void *from, void *to) const {
        const bool is_usual = usual && piece.extents == at(0).extents;
        const transpose_plan plan = is_usual ? *usual : plan_of_copy(what, piece.extents);
        static_cast<void>(plan.execute(1.0, from, 0.0, to));
    }
    /// Whether the elements of a piece lie in memory as in a frame.
    bool is_as_in_frame(const slice &piece) const {
        const layout in_frame = dense(piece.extents, what.pieces.order);
        for (std::size_t mode = 0; mode < piece.extents.size(); ++mode)
            if (piece.extents[mode] > 1 && in_frame.strides()[mode] != what.strides[mode])
                return false;
        return true;
    }
};

/// A piece of a transfer that is open, while its elements are moved. close() waits for it, so that
/// afterwards nothing touches the memory.
class bulk_desk::hold {
public:
    hold(const bulk_desk &desk, entry &of, std::uint64_t number)
        : desk_(desk), of_(of), number_(number) {
        const std::lock_guard lock(desk_.mutex_);
        const auto same = std::count(of_.moving.begin(), of_.moving.end(), number_);
        if (!of_.is_live())
            status_ = bulk_status::unauthorized;
        else if (of_.what.is_upload && same > 0)
            status_ = bulk_status::wrong_piece; // two connections would write the same elements
        else
            of_.moving.push_back(number_);
    }
    ~hold() {
        if (status_ != bulk_status::ok)
            return;
        const std::lock_guard lock(desk_.mutex_);
        of_.moving.erase(std::find(of_.moving.begin(), of_.moving.end(), number_));
        if (has_landed_ && !of_.landed[static_cast<std::size_t>(number_)]) {
            of_.landed[static_cast<std::size_t>(number_)] = true;
            --of_.missing;
        }
        if (of_.moving.empty())
            desk_.moved_.notify_all();
    }
    hold(const hold &) = delete;
    hold &operator=(const hold &) = delete;

    bulk_status status() const noexcept { return status_; }
    void has_landed() noexcept { has_landed_ = true; }

private:
    const bulk_desk &desk_;
    entry &of_;
    std::uint64_t number_;
    bulk_status status_ = bulk_status::ok;
    bool has_landed_ = false;
};

void bulk_desk::open(bulk_transfer what) {
    const std::uint64_t number = what.number;
    auto made = std::make_shared<entry>(std::move(what));
    const std::lock_guard lock(mutex_);
    open_.insert_or_assign(number, std::move(made));
}

void bulk_desk::close(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end())
        return;
    const std::shared_ptr<entry> last = std::move(found->second);
    open_.erase(found);
    last->is_open = false;
    moved_.wait(lock, [&] { return last->moving.empty(); });
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
    if (found != open_.end() && found->second->is_live() &&
        sodium_memcmp(found->second->what.secret.data(), hash.data(), hash.size()) == 0)
        result.entry_ = found->second;
    return result;
}

bool bulk_desk::is_open(const ticket &of) const {
    const std::lock_guard lock(mutex_);
    return of.entry_->is_live();
}

bool bulk_desk::is_upload(const ticket &of) const { return of.entry_->what.is_upload; }

std::optional<index_t> bulk_desk::piece_bytes(const ticket &of, std::uint64_t number) const {
    if (!of.entry_->has(number))
        return std::nullopt;
    return of.entry_->at(number).size() * size_of(of.entry_->what.type);
}

template <class Move> bulk_status bulk_desk::move(const ticket &of, std::uint64_t number,
                                                  std::size_t bytes, const Move &move) const {
    entry &here = *of.entry_;
    if (!here.has(number))
        return bulk_status::wrong_piece;
    const slice piece = here.at(number);
    if (here.bytes_of(piece) != bytes)
        return bulk_status::wrong_piece;
    hold held(*this, here, number);
    if (held.status() == bulk_status::ok)
        move(held, piece, here.memory_of(piece));
    return held.status();
}

bulk_status bulk_desk::take(const ticket &of, std::uint64_t number,
                            std::span<const unsigned char> elements) {
    if (!of.entry_->what.is_upload)
        return bulk_status::wrong_piece;
    return move(of, number, elements.size(), [&](hold &held, const slice &piece, char *memory) {
        of.entry_->untouched.touch();
        of.entry_->copy(piece, elements.data(), memory);
        held.has_landed();
    });
}

bulk_status bulk_desk::give(const ticket &of, std::uint64_t number,
                            std::span<unsigned char> elements) const {
    if (of.entry_->what.is_upload)
        return bulk_status::wrong_piece;
    return move(of, number, elements.size(), [&](hold &, const slice &piece, const char *memory) {
        of.entry_->copy(piece, memory, elements.data());
    });
}

bool bulk_desk::can_show(const ticket &of, std::uint64_t number) const {
    const entry &here = *of.entry_;
    return !here.what.is_upload && here.has(number) && here.is_as_in_frame(here.at(number));
}

bulk_status bulk_desk::show(const ticket &of, std::uint64_t number,
                            const std::function<void(std::span<const unsigned char>)> &look) const {
    if (!can_show(of, number))
        return bulk_status::wrong_piece;
    const std::size_t bytes = of.entry_->bytes_of(of.entry_->at(number));
    return move(of, number, bytes, [&](hold &, const slice &, const char *memory) {
        look({reinterpret_cast<const unsigned char *>(memory), bytes});
    });
}

} // namespace tenfold::server
