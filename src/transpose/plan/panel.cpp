#include "transpose/plan/panel.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tenfold::transpose_impl {
namespace {

/// Numbers from docs/adr/0003.
constexpr index_t wanted_reads = 16 << 10;  ///< bytes of A per column and panel
constexpr index_t copied_reads = 4 << 20;   ///< the same if rows are copied
constexpr index_t added_reads = 128 << 10;  ///< the same if short rows are added to rows
constexpr index_t enough_reads = 1 << 10;   ///< with fewer, reading jumps too often
constexpr index_t endless_reads = 64 << 10; ///< from here on a panel of its own pays
constexpr index_t most_rows = 4096;         ///< of a panel

/// Returns the pages of B that a panel may have, so that the second-level TLB holds them beside
/// those of A. Rounded up, because AMD reports the number in twelve bits.
index_t most_pages_of(const base::machine &machine) noexcept {
    return std::max<index_t>(1, ceiling_of(machine.tlb_pages, 8) * 7);
}

/// Returns the size of pieces, at most `most` (at least 1), that cut n evenly; a multiple of
/// `grain` if that is possible.
index_t even_piece(index_t n, index_t most, index_t grain) noexcept {
    if (n <= most)
        return n;
    const index_t piece = ceiling_of(n, ceiling_of(n, most));
    const index_t rounded = ceiling_of(piece, grain) * grain;
    return rounded <= most ? rounded : std::max<index_t>(1, most / grain * grain);
}

/// Returns the least divisor of n between these bounds, or n if there is none.
index_t least_divisor(index_t n, index_t least, index_t most) noexcept {
    for (index_t divisor = std::max<index_t>(1, least); divisor <= most; ++divisor)
        if (n % divisor == 0)
            return divisor;
    return n;
}

/// Counts the pages of B in which the places of a panel lie.
class page_count {
public:
    explicit page_count(index_t page) noexcept : page_(page) {}

    void add(index_t extent, index_t stride) noexcept {
        if (std::abs(stride) >= page_)
            apart_ *= extent;
        else
            span_ += (extent - 1) * std::abs(stride);
    }
    /// Returns how much of a mode of this stride can be added within `most` pages in all; at least
    /// 1.
    index_t room(index_t stride, index_t most) const noexcept {
        const index_t left = std::max<index_t>(1, most / (apart_ * pages(span_)));
        return std::abs(stride) >= page_ ? left
                                         : left * (page_ / std::max<index_t>(1, std::abs(stride)));
    }

private:
    index_t pages(index_t span) const noexcept { return 1 + span / page_; }

    index_t page_;
    index_t apart_ = 1;
    index_t span_ = 0;
};

index_t default_reads(const schedule &plan) noexcept {
    if (plan.how != method::rows)
        return wanted_reads;
    const bool long_rows = plan.run.front().extent * plan.size_b >= long_added_row;
    return plan.accumulates && !long_rows ? added_reads : copied_reads;
}

index_t default_rows(const schedule &plan) noexcept {
    constexpr index_t few_rows = 256;
    constexpr index_t block_rows = 1024; // the TLB holds their pages beside those of the columns
    if (plan.block > 0)
        return block_rows;
    return plan.accumulates && rows_apart_by(plan, bank) ? few_rows : most_rows;
}

/// Builds a schedule's panels and runs from the modes that are neither A's nor B's fastest.
class panel_builder {
public:
    panel_builder(schedule &plan, std::vector<walked_mode> rest, const base::machine &machine,
                  const schedule_options &options, bool carries)
        : plan_(plan), rest_(std::move(rest)), pages_(machine.page),
          most_pages_(most_pages_of(machine)), l2_(machine.l2), carries_(carries),
          reads_(options.panel_reads > 0 ? options.panel_reads : default_reads(plan)),
          rows_left_(options.panel_rows > 0 ? options.panel_rows : default_rows(plan)) {
        if (carries) {
            rows_left_ = std::min(rows_left_, most_carried);
            most_tiles_ = std::min(most_tiles_, most_carried / plan.width);
        }
        tiles_left_ = most_tiles_;
    }

    void build() {
        // Writing partial lines costs more than any loss in reading.
        while (run_bytes() < line && lengthen_run()) {
        }
        cut_rows();
        while (grow_panel()) {
        }
        while (lengthen_run()) {
        }
    }

    /// Returns the modes that are in no panel and no run.
    std::vector<walked_mode> take_rest() noexcept { return std::move(rest_); }

private:
    void cut_rows() {
        const index_t width = plan_.width;
        const index_t most =
            std::max<index_t>(1, std::min({rows_left_, tiles_left_ * width, reads_ / plan_.size_a,
                                           pages_.room(plan_.rows.front().stride_b, most_pages_)}));
        plan_.row_piece = plan_.how == method::rows ? 1 : even_piece(plan_.row_extent, most, width);
        read_ =
            (plan_.how == method::rows ? plan_.run.front().extent : plan_.row_piece) * plan_.size_a;
        account(plan_.row_piece, plan_.rows.front().stride_b, ceiling_of(plan_.row_piece, width));
        full_ = plan_.row_piece < plan_.row_extent;
        if (!full_)
            fuse_rows();
    }

    /// With few rows most of a register is idle, so the modes that continue them in A are added.
    void fuse_rows() {
        constexpr index_t enough_tiles = 4;
        // Short runs that follow each other are better joined if they are streamed or interleaved
        // in registers.
        const bool follow =
            plan_.rows.front().stride_b == run_bytes() && run_bytes() < longest_joined(plan_) &&
            (plan_.run_extent <= most_interleaved || (plan_.stream && run_bytes() >= line));
        while (plan_.how == method::tiles && plan_.row_extent < enough_tiles * plan_.width &&
               !follow) {
            const auto next = std::find_if(rest_.begin(), rest_.end(), [&](const walked_mode &one) {
                return one.stride_a == plan_.row_extent * plan_.size_a;
            });
            if (next == rest_.end() || wanted_by_run(*next))
                return;
            const index_t room = std::min({most_fused / plan_.row_extent,
                                           most_tiles_ * plan_.width / plan_.row_extent, rows_left_,
                                           pages_.room(next->stride_b, most_pages_)});
            const index_t wanted = ceiling_of(enough_tiles * plan_.width, plan_.row_extent);
            const index_t taken =
                next->extent <= room ? next->extent : least_divisor(next->extent, wanted, room);
            if (taken > room)
                return;
            rows_left_ /= taken;
            pages_.add(taken, next->stride_b);
            read_ *= taken;
            plan_.row_extent = plan_.row_piece = plan_.row_extent * taken;
            tiles_left_ = most_tiles_ / ceiling_of(plan_.row_extent, plan_.width);
            plan_.rows.push_back({taken, next->stride_a, next->stride_b, next->members});
            if (taken == next->extent)
                rest_.erase(next);
            else
                *next = {next->extent / taken, next->stride_a * taken, next->stride_b * taken,
                         next->members};
        }
    }

    /// Returns true if the run should get this mode, which continues it in B: whole lines need it,
    /// or the run is short, or rows are copied or short, and reading does not need the mode.
    bool wanted_by_run(const walked_mode &one) const noexcept {
        if (!continues_run(one))
            return false;
        if (carries_ && completes_lines(one) && reads_well_alone())
            return true;
        return run_bytes() < wanted_run &&
               (plan_.how == method::rows || read_ >= std::min(enough_reads, 2 * run_bytes()));
    }

    /// Returns true if this mode, and those that continue it in B, make whole lines of all runs, so
    /// that no line waits until it is complete.
    bool completes_lines(const walked_mode &one) const noexcept {
        index_t bytes = run_bytes();
        if (bytes % line == 0)
            return false;
        for (const walked_mode *next = &one; next != nullptr;) {
            bytes *= next->extent;
            next = nullptr;
            for (const walked_mode &other : rest_)
                if (other.stride_b == bytes && bytes % line != 0)
                    next = &other;
        }
        const auto lie_on_lines = [&](const std::vector<walked_mode> &modes) {
            return std::all_of(modes.begin(), modes.end(), [&](const walked_mode &other) {
                return std::abs(other.stride_b) < bytes || other.stride_b % line == 0;
            });
        };
        return bytes % line == 0 && lie_on_lines(plan_.rows) && lie_on_lines(plan_.panel) &&
               lie_on_lines(rest_);
    }

    /// Returns true if the columns of a run can be read in pieces as short as the panel's now: what
    /// hardware fetches beyond a piece stays in the L2 cache until the piece after it is read. Of
    /// short pieces it fetches more in vain (docs/adr/0003).
    bool reads_well_alone() const noexcept {
        constexpr index_t fetched_beyond = 4 * line;
        if (read_ >= enough_reads)
            return true;
        const index_t way = way_of(l2_);
        const index_t places = way / std::gcd(plan_.run.front().stride_a, way);
        const index_t spare =
            read_ < line ? 8 : 2; // the next piece is on the same line, or another
        return plan_.run_extent <= places * l2_.ways / spare &&
               plan_.run_extent * (read_ + fetched_beyond) <=
                   l2_.size / enough_reads * std::min(enough_reads, 2 * read_);
    }

    /// Adds the mode that is fastest in A to the panel; returns false if the panel is large enough.
    bool grow_panel() {
        if (full_ || read_ >= reads_)
            return false;
        auto next = rest_.end();
        for (auto one = rest_.begin(); one != rest_.end(); ++one)
            if (!wanted_by_run(*one) &&
                (next == rest_.end() || std::abs(one->stride_a) < std::abs(next->stride_a)))
                next = one;
        if (next == rest_.end())
            return false;
        // If there are enough columns that share lines, read them one after the other.
        const walked_mode &along = plan_.run.front();
        if (plan_.how == method::tiles && read_ < line &&
            std::abs(along.stride_a) < std::abs(next->stride_a) &&
            along.extent * std::abs(along.stride_a) >= endless_reads)
            return false;
        const index_t most = std::min({rows_left_, tiles_left_, ceiling_of(reads_, read_),
                                       pages_.room(next->stride_b, most_pages_)});
        const index_t piece = even_piece(next->extent, std::max<index_t>(1, most), 1);
        if (piece < 2)
            return false;
        full_ = piece < next->extent;
        plan_.panel_piece = piece;
        account(piece, next->stride_b, piece);
        read_ *= piece;
        plan_.panel.push_back(std::move(*next));
        rest_.erase(next);
        if (full_)
            return false;
        return true;
    }

    void account(index_t extent, index_t stride_b, index_t tiles) noexcept {
        rows_left_ /= extent;
        tiles_left_ /= tiles;
        pages_.add(extent, stride_b);
    }

    bool continues_run(const walked_mode &one) const noexcept {
        return plan_.how != method::elements && one.stride_b == run_bytes();
    }
    index_t run_bytes() const noexcept { return plan_.run_extent * plan_.size_b; }

    /// Adds the mode that continues the run in B; returns false if there is none.
    bool lengthen_run() {
        const auto next = std::find_if(rest_.begin(), rest_.end(),
                                       [&](const walked_mode &one) { return continues_run(one); });
        if (next == rest_.end())
            return false;
        plan_.run_extent *= next->extent;
        plan_.run.push_back(std::move(*next));
        rest_.erase(next);
        return true;
    }

    schedule &plan_;
    std::vector<walked_mode> rest_;
    page_count pages_;
    index_t most_pages_;
    base::cache l2_;
    bool carries_; ///< lines wait until they are complete, unless runs are whole lines
    index_t reads_;
    index_t rows_left_;
    index_t most_tiles_ = most_tiles;
    index_t tiles_left_ = 0;
    index_t read_ = 0; ///< bytes of A per column
    bool full_ = false;
};

} // namespace

std::vector<walked_mode> build_panel(schedule &plan, std::vector<walked_mode> rest,
                                     const base::machine &machine, const schedule_options &options,
                                     bool carries) {
    panel_builder builder(plan, std::move(rest), machine, options, carries);
    builder.build();
    return builder.take_rest();
}

} // namespace tenfold::transpose_impl
