#include "transpose/execute.hpp"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/parallel.hpp"

namespace tenfold::transpose_impl {
namespace {

using term = operation::term;

constexpr index_t line = 64;

index_t phase_of(const char *p) noexcept {
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(p) %
                                static_cast<std::uintptr_t>(line));
}

/// A panel and the piece of its runs that is to be written.
struct unit {
    const char *a; ///< the panel's origin
    char *b;
    index_t rows;  ///< of the schedule's row mode
    index_t last;  ///< of the panel's last mode
    index_t begin; ///< elements of the run
    index_t end;
};

/// Of the buffer in which runs are joined; it shares the L1 cache with what is read.
constexpr index_t join_bytes = 16 << 10;

/// The units in the order of the schedule's loops.
class unit_cursor {
public:
    unit_cursor(const schedule &plan, const char *a, char *b, index_t number) noexcept
        : plan_(plan), a_(a), b_(b), phase_(plan.lines_of_b ? phase_of(b) / plan.size_b : 0) {
        for (std::size_t k = plan.loops.size(); k-- > 0;) {
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

    /// Each mode that is left has an extent of 2 or more and their product fits 63 bits; pieces
    /// come on top.
    static constexpr std::size_t most_loops = 66;

    const schedule &plan_;
    const char *a_;
    char *b_;
    index_t phase_; ///< elements of B's first line that lie before B
    std::array<index_t, most_loops> index_{};
    index_t row_ = 0, panel_ = 0, run_ = 0;
    index_t offset_a_ = 0, offset_b_ = 0;
};

/// Steps through modes, fastest first, and knows the offsets.
class odometer {
public:
    odometer(const std::vector<walked_mode> &modes, index_t last) noexcept
        : modes_(modes), last_(last) {}

    index_t a() const noexcept { return a_; }
    index_t b() const noexcept { return b_; }
    /// False after the last step, when all is as at the beginning.
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
    std::array<index_t, 64> index_{};
    index_t a_ = 0, b_ = 0;
};

/// A panel's tiles; built anew only where a panel at an edge is smaller.
class panel_tiles {
public:
    explicit panel_tiles(const schedule &plan) noexcept : plan_(plan) {
        odometer row(plan.rows, plan.rows.back().extent);
        const index_t tabled =
            plan.rows.size() == 1 ? std::min(plan.width, plan.row_piece) : plan.row_extent;
        for (index_t k = 0; k < tabled; ++k, row.advance())
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

/// Where the elements of a run lie in A.
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
    /// Elements from here on that are as far apart as the fastest mode says.
    index_t in_step() const noexcept { return run_.front().extent - index_[0]; }
    /// Whole turns of the fastest mode that are as far apart as the second says.
    index_t rows_in_step() const noexcept {
        return run_.size() > 1 ? run_[1].extent - index_[1] : 1;
    }
    index_t row_stride() const noexcept { return run_.size() > 1 ? run_[1].stride_a : 0; }
    /// By less than rows_in_step() turns.
    void advance_rows(index_t by) noexcept {
        a_ += by * row_stride();
        index_[1] += by;
    }
    /// By at most in_step() elements.
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
    std::array<index_t, 64> index_{};
};

/// The columns of one strip.
struct strip_columns {
    std::array<const char *, most_columns + most_width> address;
    index_t n = 0;

    void take(run_cursor &from, index_t wanted, index_t stride_a) noexcept {
        for (n = 0; n < wanted;) {
            const index_t together = std::min(wanted - n, from.in_step());
            const char *first = from.address();
            for (index_t k = 0; k < together; ++k)
                address[static_cast<std::size_t>(n + k)] = first + k * stride_a;
            n += together;
            from.advance(together);
        }
        fill(n, n > 0 ? address[static_cast<std::size_t>(n - 1)] : nullptr);
    }
    /// As many addresses as `other` has, for prefetching.
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

/// Whether runs that follow each other in B are put together before they are written: where they
/// share cache lines that would be written past the cache, or are shorter than a register of what
/// is to be computed.
bool joins_runs(const schedule &plan, const operation &op, const char *b) noexcept {
    if (!plan.joins || (plan.lines_of_b && phase_of(b) == 0))
        return false;
    return op.store == store_kind::streamed || (!op.copies && plan.run_extent < plan.width);
}

/// One thread's work.
class unit_runner {
public:
    unit_runner(const schedule &plan, const kernel_choice &kernels, const operation &op,
                bool joins) noexcept
        : plan_(plan), op_(op), joins_(joins), move_(kernels.move),
          strip_(op.copies ? kernels.copy_strip : kernels.strip),
          copy_(op.copies ? kernels.copy_rows : kernels.rows), scale_(kernels.scale), tiles_(plan) {
        for (std::size_t k = 0; k < buffered_at_.size(); ++k)
            buffered_at_[k] = static_cast<index_t>(k) * plan.run_extent * plan.size_a;
    }

    void operator()(const unit &now) noexcept {
        if (now.begin >= now.end)
            return;
        const tile_list list = tiles_.for_panel(now.rows, now.last);
        if (op_.x == term::absent && plan_.how != method::elements)
            scale(now, list);
        else if (plan_.how == method::rows)
            copy(now, list);
        else if (joins_)
            join(now, list);
        else
            move(now, list);
    }

private:
    /// B = beta B.
    void scale(const unit &now, const tile_list &list) const noexcept {
        const index_t bytes = (now.end - now.begin) * plan_.size_b;
        for (index_t t = 0; t < list.count; ++t)
            for (index_t row = 0; row < list.tiles[t].rows; ++row)
                scale_(now.b + now.begin * plan_.size_b + list.tiles[t].dst +
                           list.tiles[t].row_at[row],
                       bytes, op_);
    }

    void move(const unit &now, const tile_list &list) noexcept {
        const index_t step_b = plan_.run.front().stride_b;
        strip s{};
        s.dst = now.b + now.begin * step_b;
        s.dst_step = step_b;
        s.ahead = plan_.ahead;
        s.skew = plan_.skew;
        s.carry = carry_.data();
        index_t at = now.begin;
        if (op_.store == store_kind::carried && at > 0)
            prime(s, list, now);

        index_t first = plan_.strip;
        if (op_.store == store_kind::streamed) // strips begin at lines from the second on
            if (const index_t phase = phase_of(s.dst); phase != 0)
                first = (line - phase) / plan_.size_b;
        run_cursor cursor(plan_, now.a, at);
        std::array<strip_columns, 2> columns;
        columns[0].take(cursor, std::min(first, now.end - at), plan_.run.front().stride_a);
        for (int turn = 0; at < now.end; turn ^= 1) {
            strip_columns &here = columns[static_cast<std::size_t>(turn)];
            strip_columns &next = columns[static_cast<std::size_t>(turn ^ 1)];
            next.take(cursor, std::min(plan_.strip, now.end - at - here.n),
                      plan_.run.front().stride_a);
            next.pad(here);
            s.columns = here.address.data();
            s.next = next.address.data();
            s.n = here.n;
            s.joined = plan_.joins && here.n == plan_.run_extent;
            s.edges = {at == 0, at + here.n == plan_.run_extent, false};
            strip_(s, list, op_);
            at += here.n;
            s.dst += here.n * step_b;
        }
    }

    /// What a line's first part holds where it belongs to the unit before this one.
    void prime(strip s, const tile_list &list, const unit &now) const noexcept {
        const index_t per_line = line / plan_.size_b;
        run_cursor cursor(plan_, now.a, now.begin - per_line);
        strip_columns columns;
        columns.take(cursor, per_line, plan_.run.front().stride_a);
        s.columns = s.next = columns.address.data();
        s.n = per_line;
        s.dst -= line;
        s.ahead = s.skew = 0;
        s.edges = {false, false, true};
        strip_(s, list, op_);
    }

    /// Through a buffer in the L1 cache: as many places of the panel as it holds are moved there as
    /// they are, then written as runs of all of a place's rows.
    void join(const unit &now, const tile_list &list) noexcept {
        strip_columns columns;
        run_cursor cursor(plan_, now.a, now.begin);
        columns.take(cursor, now.end - now.begin, plan_.run.front().stride_a);

        const index_t run_bytes = plan_.run_extent * plan_.size_a;
        const index_t per_place = (now.rows + plan_.width - 1) / plan_.width;
        const bool whole_places = now.rows * run_bytes <= join_bytes;
        const index_t group = whole_places
                                  ? join_bytes / (now.rows * run_bytes) * per_place
                                  : std::max<index_t>(1, join_bytes / (plan_.width * run_bytes));
        for (index_t first = 0; first < list.count;) {
            // A group does not go beyond its place where places are cut.
            const index_t left = whole_places ? list.count - first : per_place - first % per_place;
            const index_t count = std::min(group, left);
            join_group(now, list, columns, first, count, whole_places ? per_place : count);
            first += count;
        }
    }

    /// Tiles from `first` on; each `per_run` of them are one run.
    void join_group(const unit &now, const tile_list &list, const strip_columns &columns,
                    index_t first, index_t count, index_t per_run) noexcept {
        const index_t run_bytes = plan_.run_extent * plan_.size_a;
        index_t runs = 0;
        index_t filled = 0;
        const char *end = nullptr; // of the last run; places may follow each other in B too
        bool contiguous = true;
        for (index_t t = 0; t < count; ++t) {
            const tile &from = list.tiles[first + t];
            if (t % per_run == 0) {
                contiguous = contiguous && (end == nullptr || end == now.b + from.dst);
                joined_[static_cast<std::size_t>(runs++)] = {filled, from.dst, 1, nullptr};
            }
            moved_[static_cast<std::size_t>(t)] = {from.src, filled, from.rows,
                                                   buffered_at_.data()};
            filled += from.rows * run_bytes;
            end = now.b + from.dst + from.rows * plan_.run_extent * plan_.size_b;
        }
        if (contiguous)
            runs = 1;

        const operation as_it_is{operation::term::straight,
                                 operation::term::absent,
                                 true,
                                 store_kind::plain,
                                 {},
                                 {},
                                 {},
                                 {}};
        // While this group moves, the next one is fetched: the same columns, further on.
        strip_columns next = columns;
        if (first + count < list.count)
            for (index_t k = 0; k < columns.n + most_width; ++k)
                next.address[static_cast<std::size_t>(k)] +=
                    list.tiles[first + count].src - list.tiles[first].src;
        strip s{};
        s.columns = columns.address.data();
        s.next = next.address.data();
        s.n = columns.n;
        s.dst = carry_.data();
        s.dst_step = plan_.size_a;
        s.ahead = plan_.ahead > 0 ? count : 0;
        s.joined = true;
        move_(s, {moved_.data(), count, plan_.size_a}, as_it_is);

        const index_t joined_bytes = filled / runs;
        const piece whole{carry_.data(), joined_bytes};
        const copy_strip written{&whole,
                                 1,
                                 0,
                                 joined_bytes / plan_.size_a * plan_.size_b,
                                 now.b,
                                 1,
                                 {true, true, false}};
        copy_(written, {joined_.data(), runs, plan_.size_a}, op_);
    }

    void copy(const unit &now, const tile_list &list) noexcept {
        std::array<piece, most_columns + 2 * line> pieces;
        copy_strip s{};
        s.pieces = pieces.data();
        s.ahead = plan_.ahead;
        s.dst = now.b + now.begin * plan_.size_b;
        for (index_t at = now.begin; at < now.end; at += plan_.strip) {
            const index_t n = std::min(plan_.strip, now.end - at);
            const index_t lead = std::min(at, line / plan_.size_b);
            run_cursor cursor(plan_, now.a, at - lead);
            s.count = 0;
            for (index_t left = n + lead; left > 0;) {
                const index_t together = std::min(left, cursor.in_step());
                const index_t rows = together == plan_.run.front().extent
                                         ? std::min(left / together, cursor.rows_in_step())
                                         : 1;
                for (index_t row = 0; row < rows; ++row)
                    pieces[static_cast<std::size_t>(s.count++)] = {
                        cursor.address() + row * cursor.row_stride(), together * plan_.size_a};
                cursor.advance_rows(rows - 1);
                cursor.advance(together);
                left -= rows * together;
            }
            s.lead = lead * plan_.size_b;
            s.size = n * plan_.size_b;
            s.edges = {at == 0, at + n == plan_.run_extent, false};
            copy_(s, list, op_);
            s.dst += s.size;
        }
    }

    const schedule &plan_;
    const operation &op_;
    bool joins_;
    strip_kernel move_;
    strip_kernel strip_;
    copy_kernel copy_;
    scale_kernel scale_;
    panel_tiles tiles_;
    std::array<index_t, most_width> buffered_at_; ///< rows of a tile in the buffer
    std::array<tile, most_tiles> moved_;
    std::array<tile, most_tiles> joined_;
    alignas(64) std::array<char, most_carried * line> carry_;
};

/// Streamed lines are not ordered with other stores; whoever reads B next must see them.
void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace

void run(const schedule &plan, const kernel_choice &kernels, const operation &op, const char *a,
         char *b) noexcept {
    // Where A is not read, its place is taken by B's: addresses are computed all the same.
    const char *first_a = (op.x == term::absent ? b : a) + plan.first_a;
    char *first_b = b + plan.first_b;
    base::run_parallel(plan.threads, [&](base::team_member member) {
        const base::range mine = base::split(plan.units(), member.size(), member.id());
        if (mine.empty())
            return;
        unit_runner run_unit(plan, kernels, op, joins_runs(plan, op, first_b));
        unit_cursor cursor(plan, first_a, first_b, mine.begin);
        for (index_t number = mine.begin; number < mine.end; ++number) {
            run_unit(cursor.current());
            cursor.advance();
        }
        if (op.store != store_kind::plain)
            finish_streaming();
    });
}

} // namespace tenfold::transpose_impl
