// Iterates over a schedule: its units, the tiles of their panels, the columns of their strips.
#pragma once

#include <algorithm>
#include <array>

#include "transpose/kernels/kernel_abi.hpp"
#include "transpose/plan/panel.hpp"

namespace tenfold::transpose_impl {

inline index_t phase_of(const char *p) noexcept {
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(p) %
                                static_cast<std::uintptr_t>(line));
}

/// A panel and the piece of its runs that is to be written.
struct unit {
    const char *a; ///< the panel's origin
    char *b;
    index_t rows;  ///< of the schedule's row mode
    index_t last;  ///< of the panel's last mode
    index_t begin; ///< in elements of the run
    index_t end;
};

/// The units in the order of the schedule's loops.
class unit_cursor {
public:
    unit_cursor(const schedule &plan, const char *a, char *b, index_t number) noexcept
        : plan_(plan), a_(a), b_(b), phase_(plan.lines_of_b ? phase_of(b) / plan.size_b : 0) {
        for (std::size_t k = plan.loops.size(); k-- > 0;) {
            index_[k] = 0;
            set(k, number % plan.loops[k].count);
            number /= plan.loops[k].count;
        }
    }

    void advance() noexcept {
        for (std::size_t k = plan_.loops.size(); k-- > 0;) {
            if (index_[k] + 1 < plan_.loops[k].count) {
                set(k, index_[k] + 1);
                return;
            }
            set(k, 0);
        }
    }

    unit current() const noexcept {
        unit now{a_ + offset_a_,
                 b_ + offset_b_,
                 std::min(plan_.row_piece, plan_.row_extent - row_ * plan_.row_piece),
                 plan_.panel.empty() ? 1
                                     : std::min(plan_.panel_piece, plan_.panel.back().extent -
                                                                       panel_ * plan_.panel_piece),
                 0,
                 plan_.run_extent};
        if (plan_.run_piece < plan_.run_extent) {
            now.begin = std::max<index_t>(0, run_ * plan_.run_piece - phase_);
            now.end = std::min(plan_.run_extent, (run_ + 1) * plan_.run_piece - phase_);
        }
        return now;
    }

private:
    void set(std::size_t k, index_t value) noexcept {
        const panel_loop &loop = plan_.loops[k];
        offset_a_ += (value - index_[k]) * loop.mode.stride_a;
        offset_b_ += (value - index_[k]) * loop.mode.stride_b;
        index_[k] = value;
        switch (loop.what) {
        case panel_loop::over::rows:
            row_ = value;
            break;
        case panel_loop::over::panel:
            panel_ = value;
            break;
        case panel_loop::over::run:
            run_ = value;
            break;
        case panel_loop::over::mode:
            break;
        }
    }

    /// Each remaining mode has an extent of at least 2 and their product fits 63 bits; loops over
    /// pieces come in addition.
    static constexpr std::size_t most_loops = 66;

    const schedule &plan_;
    const char *a_;
    char *b_;
    index_t phase_; ///< elements of B's first line before B
    std::array<index_t, most_loops> index_; ///< of the plan's loops; to clear all would take longer
                                            ///< than small transpositions
    index_t row_ = 0, panel_ = 0, run_ = 0;
    index_t offset_a_ = 0, offset_b_ = 0;
};

/// Steps through modes, fastest first, and keeps the offsets.
class odometer {
public:
    odometer(const std::vector<walked_mode> &modes, index_t last) noexcept
        : modes_(modes), last_(last) {
        for (std::size_t k = 0; k < modes.size(); ++k)
            index_[k] = 0;
    }

    index_t a() const noexcept { return a_; }
    index_t b() const noexcept { return b_; }
    /// Returns false after the last step, when everything is as at the beginning.
    bool advance() noexcept {
        for (std::size_t k = 0; k < modes_.size(); ++k) {
            const walked_mode &one = modes_[k];
            const index_t extent = k + 1 == modes_.size() ? last_ : one.extent;
            a_ += one.stride_a;
            b_ += one.stride_b;
            if (++index_[k] < extent)
                return true;
            a_ -= extent * one.stride_a;
            b_ -= extent * one.stride_b;
            index_[k] = 0;
        }
        return false;
    }

private:
    const std::vector<walked_mode> &modes_;
    index_t last_; ///< extent of the last mode
    std::array<index_t, 64> index_; ///< of the modes, as above
    index_t a_ = 0, b_ = 0;
};

/// A panel's tiles. They are rebuilt only if a panel at an edge is smaller.
class panel_tiles {
public:
    explicit panel_tiles(const schedule &plan) noexcept : plan_(plan) {
        if (plan.rows.size() == 1) {
            const index_t tabled = std::min(plan.width, plan.row_piece);
            for (index_t k = 0; k < tabled; ++k)
                row_at_[static_cast<std::size_t>(k)] = k * plan.rows.front().stride_b;
            return;
        }
        odometer row(plan.rows, plan.rows.back().extent);
        for (index_t k = 0; k < plan.row_extent; ++k, row.advance())
            row_at_[static_cast<std::size_t>(k)] = row.b();
    }

    tile_list for_panel(index_t rows, index_t last) noexcept {
        if (rows != rows_ || last != last_)
            build(rows, last);
        return {tiles_.data(), count_, plan_.rows.front().stride_a};
    }

private:
    void build(index_t rows, index_t last) noexcept {
        rows_ = rows;
        last_ = last;
        count_ = 0;
        const bool fused = plan_.rows.size() > 1;
        odometer place(plan_.panel, last);
        do {
            for (index_t row = 0; row < rows; row += plan_.width)
                tiles_[static_cast<std::size_t>(count_++)] = {
                    place.a() + row * plan_.rows.front().stride_a,
                    place.b() + (fused ? 0 : row * plan_.rows.front().stride_b),
                    std::min(plan_.width, rows - row), row_at_.data() + (fused ? row : 0)};
        } while (place.advance());
    }

    const schedule &plan_;
    index_t rows_ = 0, last_ = 0;
    index_t count_ = 0;
    std::array<index_t, most_fused> row_at_;
    std::array<tile, most_tiles> tiles_;
};

/// Iterates over the addresses of a run's elements in A.
class run_cursor {
public:
    run_cursor(const schedule &plan, const char *a, index_t element) noexcept
        : run_(plan.run), a_(a) {
        for (std::size_t k = 0; k < run_.size(); ++k) {
            index_[k] = element % run_[k].extent;
            element /= run_[k].extent;
            a_ += index_[k] * run_[k].stride_a;
        }
    }

    const char *address() const noexcept { return a_; }
    /// Returns the number of elements from here on that are one step of the fastest mode apart.
    index_t in_step() const noexcept { return run_.front().extent - index_[0]; }
    /// Returns the number of whole turns of the fastest mode that are one step of the second mode
    /// apart.
    index_t rows_in_step() const noexcept {
        return run_.size() > 1 ? run_[1].extent - index_[1] : 1;
    }
    index_t row_stride() const noexcept { return run_.size() > 1 ? run_[1].stride_a : 0; }
    /// Advances by less than rows_in_step() turns.
    void advance_rows(index_t by) noexcept {
        a_ += by * row_stride();
        index_[1] += by;
    }
    /// Advances by at most in_step() elements.
    void advance(index_t by) noexcept {
        a_ += by * run_[0].stride_a;
        index_[0] += by;
        for (std::size_t k = 0; index_[k] == run_[k].extent; ++k) {
            a_ -= run_[k].extent * run_[k].stride_a;
            index_[k] = 0;
            if (k + 1 == run_.size())
                return; // past the run's end
            a_ += run_[k + 1].stride_a;
            ++index_[k + 1];
        }
    }

private:
    const std::vector<walked_mode> &run_;
    const char *a_;
    std::array<index_t, 64> index_; ///< of the run's modes, as above
};

/// The columns of one strip.
struct strip_columns {
    std::array<const char *, most_columns + most_width> address;
    index_t n = 0;
    index_t step = 0; ///< bytes from each column to the next; 0: not the same for all

    void take(run_cursor &from, index_t wanted, index_t stride_a) noexcept {
        step = stride_a;
        for (n = 0; n < wanted;) {
            const index_t together = std::min(wanted - n, from.in_step());
            const char *first = from.address();
            if (n > 0 && first != address[static_cast<std::size_t>(n - 1)] + step)
                step = 0;
            const char **to = address.data() + n;
            index_t k = 0;
            for (; k + 4 <= together; k += 4, first += 4 * stride_a) {
                to[k] = first;
                to[k + 1] = first + stride_a;
                to[k + 2] = first + 2 * stride_a;
                to[k + 3] = first + 3 * stride_a;
            }
            for (; k < together; ++k, first += stride_a)
                to[k] = first;
            n += together;
            from.advance(together);
        }
        fill(n, n > 0 ? address[static_cast<std::size_t>(n - 1)] : nullptr);
    }
    /// Pads to as many addresses as `other` has, for prefetching.
    void pad(const strip_columns &other) noexcept {
        for (index_t k = n; k < other.n; ++k)
            address[static_cast<std::size_t>(k)] = other.address[static_cast<std::size_t>(k)];
        if (n < other.n)
            fill(other.n, other.address[static_cast<std::size_t>(other.n - 1)]);
    }

private:
    /// Kernels prefetch whole registers of columns.
    void fill(index_t from, const char *with) noexcept {
        std::fill_n(address.begin() + from, most_width, with);
    }
};

/// The pieces of one strip that is copied, in a run of a panel.
struct strip_pieces {
    std::array<piece, most_columns + 2 * line> list;
    index_t count = 0;
    index_t lead = 0; ///< elements of the run before the strip, with which the pieces begin

    /// Takes the elements of the run from `begin` to `end`; none if these are equal.
    void take(const schedule &plan, const char *a, index_t begin, index_t end) noexcept {
        count = 0;
        lead = std::min(begin, line / plan.size_b);
        if (begin == end)
            return;
        run_cursor cursor(plan, a, begin - lead);
        for (index_t left = end - begin + lead; left > 0;) {
            const index_t together = std::min(left, cursor.in_step());
            const index_t rows = together == plan.run.front().extent
                                     ? std::min(left / together, cursor.rows_in_step())
                                     : 1;
            for (index_t row = 0; row < rows; ++row)
                list[static_cast<std::size_t>(count++)] = {
                    cursor.address() + row * cursor.row_stride(), together * plan.size_a};
            cursor.advance_rows(rows - 1);
            cursor.advance(together);
            left -= rows * together;
        }
    }
};

} // namespace tenfold::transpose_impl
