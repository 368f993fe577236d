#include "transpose/execute.hpp"

#include "base/parallel.hpp"
#include "base/streaming.hpp"
#include "transpose/walk.hpp"

namespace tenfold::transpose_impl {
namespace {

using term = operation::term;

/// Bytes of the buffer in which runs are joined; it shares the L1 cache with the data that is read.
constexpr index_t join_bytes = 16 << 10;

/// Returns true if runs that follow each other in B are joined in a buffer before they are written:
/// if they share cache lines that would be written past the cache, or are shorter than a register
/// and need arithmetic.
bool joins_runs(const schedule &plan, const operation &op, const char *b) noexcept {
    if (!plan.joins || (plan.lines_of_b && phase_of(b) == 0))
        return false;
    return op.store == store_kind::streamed || (!op.copies && plan.run_extent < plan.width);
}

/// The operation that moves elements into a buffer.
constexpr operation as_it_is{term::straight, term::absent, true, store_kind::plain, {}, {}, {}, {}};

/// Bytes of the buffer in which the tiles of a block are joined: a small part of any L2 cache.
constexpr index_t block_bytes = most_carried * line;
/// Rows of B that are prefetched while a block is written.
constexpr index_t block_ahead = 4;

/// The work of one thread.
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
        else if (plan_.block > 0 && op_.store != store_kind::carried)
            move_blocks(now, list);
        else
            move(now, list);
    }

private:
    /// Computes B = beta B.
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
        s.far = plan_.prefetch_level == 2;
        s.carry = carry_.data();
        index_t at = now.begin;
        if (op_.store == store_kind::carried && at > 0)
            prime(s, list, now);

        index_t first = plan_.strip;
        if (op_.store == store_kind::streamed) // the second strip and all later ones begin at a
                                               // line
            if (const index_t phase = phase_of(s.dst); phase != 0)
                first = (line - phase) / plan_.size_b;
        const bool one_tile = plan_.rows.size() == 1 && plan_.row_extent <= plan_.width;
        run_cursor cursor(plan_, now.a, at);
        std::array<strip_columns, 2> columns;
        columns[0].take(cursor, next_strip(now.end - at, first), plan_.run.front().stride_a);
        for (int turn = 0; at < now.end; turn ^= 1) {
            strip_columns &here = columns[static_cast<std::size_t>(turn)];
            strip_columns &next = columns[static_cast<std::size_t>(turn ^ 1)];
            next.take(cursor, next_strip(now.end - at - here.n, plan_.strip),
                      plan_.run.front().stride_a);
            next.pad(here);
            s.columns = here.address.data();
            s.next = next.address.data();
            s.n = here.n;
            s.joined = plan_.joins && here.n == plan_.run_extent;
            s.dense = one_tile && here.step == plan_.row_extent * plan_.size_a;
            s.edges = {at == 0, at + here.n == plan_.run_extent, false};
            strip_(s, list, op_);
            at += here.n;
            s.dst += here.n * step_b;
        }
    }

    /// Returns how many of the `left` columns the next strip takes. The last strip also takes a
    /// remainder that is too small for a strip of its own.
    static index_t next_strip(index_t left, index_t wanted) noexcept {
        return left < wanted + wanted / 2 && left <= most_columns ? left : std::min(left, wanted);
    }

    /// Loads the first part of a line if that part belongs to the unit before this one.
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

    /// Moves tiles through a buffer in the L2 cache: so many at a time that A's columns are read,
    /// and B's rows written, in runs of several lines.
    void move_blocks(const unit &now, const tile_list &list) noexcept {
        index_t first = plan_.strip;
        if (const index_t phase = phase_of(now.b + now.begin * plan_.size_b);
            plan_.lines_of_b && phase != 0) {
            const index_t rest = (line - phase) / plan_.size_b;
            first = first + rest <= most_columns ? first + rest : rest;
        }
        run_cursor cursor(plan_, now.a, now.begin);
        std::array<strip_columns, 2> columns;
        const index_t stride_a = plan_.run.front().stride_a;
        columns[0].take(cursor, next_strip(now.end - now.begin, first), stride_a);
        int turn = 0;
        for (index_t at = now.begin; at < now.end; turn ^= 1) {
            strip_columns &here = columns[static_cast<std::size_t>(turn)];
            strip_columns &next = columns[static_cast<std::size_t>(turn ^ 1)];
            next.take(cursor, next_strip(now.end - at - here.n, plan_.strip), stride_a);
            next.pad(here);
            // Rows an odd number of lines apart spread over all sets of the L1 cache.
            const index_t pitch = ((here.n * plan_.size_a + line - 1) / line | 1) * line;
            const index_t rows = std::min(block_bytes / pitch, most_tiles);
            const index_t count = std::clamp<index_t>(rows / plan_.width, 1, plan_.block);
            for (index_t row = 0; row < plan_.width; ++row)
                buffered_at_[static_cast<std::size_t>(row)] = row * pitch;
            for (index_t t = 0; t < list.count; t += count)
                move_block(now.b + at * plan_.size_b, list, here, next,
                           {t, std::min(count, list.count - t), pitch});
            at += here.n;
        }
    }

    struct block_place {
        index_t first; ///< first tile
        index_t count;
        index_t pitch; ///< bytes from row to row in the buffer
    };

    void move_block(char *dst, const tile_list &list, const strip_columns &here,
                    const strip_columns &next, const block_place &block) noexcept {
        index_t rows = 0;
        for (index_t t = 0; t < block.count; ++t) {
            const tile &from = list.tiles[block.first + t];
            const index_t begin = t * plan_.width * block.pitch;
            moved_[static_cast<std::size_t>(t)] = {from.src, begin, from.rows, buffered_at_.data()};
            for (index_t row = 0; row < from.rows; ++row)
                joined_[static_cast<std::size_t>(rows++)] = {
                    begin + row * block.pitch, from.dst + from.row_at[row], 1, nullptr};
        }

        // Move a few columns at a time, from the first tile to the last, while the columns that
        // follow are prefetched; at the end these are the first columns of the next block.
        const index_t group = std::max<index_t>(plan_.width, 8);
        const bool last_block = block.first + block.count == list.count;
        const index_t onward = list.tiles[last_block ? 0 : block.first + block.count].src -
                               list.tiles[block.first].src;
        std::array<const char *, most_width> after;
        for (std::size_t k = 0; k < after.size(); ++k)
            after[k] = (last_block ? next : here).address[k] + onward;
        strip s{};
        s.dst_step = plan_.size_a;
        s.ahead = plan_.ahead > 0 ? block.count : 0;
        s.buffered = true;
        for (index_t j = 0; j < here.n; j += group) {
            const bool last = j + group >= here.n;
            s.columns = here.address.data() + j;
            s.next = last ? after.data() : s.columns + group;
            s.n = std::min(group, here.n - j);
            s.dst = carry_.data() + j * plan_.size_a;
            if (last && s.ahead > 0 && op_.store == store_kind::plain)
                for (index_t row = 0; row < std::min(rows, block_ahead); ++row)
                    for (index_t byte = 0; byte < here.n * plan_.size_b; byte += line)
                        __builtin_prefetch(dst + joined_[static_cast<std::size_t>(row)].dst + byte,
                                           1);
            move_(s, {moved_.data(), block.count, plan_.size_a}, as_it_is);
        }

        const piece whole{carry_.data(), here.n * plan_.size_a};
        const copy_strip written{&whole,
                                 1,
                                 nullptr,
                                 0,
                                 0,
                                 here.n * plan_.size_b,
                                 dst,
                                 s.ahead > 0 ? block_ahead : 0,
                                 {true, true, false},
                                 true,
                                 false};
        copy_(written, {joined_.data(), rows, plan_.size_a}, op_);
    }

    /// Moves elements through a buffer in the L1 cache: copies as many places of the panel as fit,
    /// unchanged, then writes each place's rows as one run.
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
            // If places are cut, a group does not extend beyond its place.
            const index_t left = whole_places ? list.count - first : per_place - first % per_place;
            const index_t count = std::min(group, left);
            join_group(now, list, columns, first, count, whole_places ? per_place : count);
            first += count;
        }
    }

    /// Joins tiles from `first` on; `per_run` of them form one run.
    void join_group(const unit &now, const tile_list &list, const strip_columns &columns,
                    index_t first, index_t count, index_t per_run) noexcept {
        const index_t run_bytes = plan_.run_extent * plan_.size_a;
        index_t runs = 0;
        index_t filled = 0;
        const char *end = nullptr; // of the last run; places may be contiguous in B too
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

        // While this group moves, prefetch the next one: the same columns, further on.
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
        s.dense = list.tiles[first].rows == plan_.row_extent &&
                  columns.step == plan_.row_extent * plan_.size_a;
        move_(s, {moved_.data(), count, plan_.size_a}, as_it_is);

        const index_t joined_bytes = filled / runs;
        const piece whole{carry_.data(), joined_bytes};
        const copy_strip written{&whole, 1,    nullptr,
                                 0,      0,    joined_bytes / plan_.size_a * plan_.size_b,
                                 now.b,  1,    {true, true, false},
                                 false,  false};
        copy_(written, {joined_.data(), runs, plan_.size_a}, op_);
    }

    void copy(const unit &now, const tile_list &list) noexcept {
        copy_strip s{};
        s.ahead = plan_.ahead;
        s.in_order = plan_.reads_in_order;
        s.far = plan_.prefetch_level == 2;
        s.dst = now.b + now.begin * plan_.size_b;
        std::array<strip_pieces, 2> pieces;
        index_t end = std::min(now.end, now.begin + plan_.strip);
        pieces[0].take(plan_, now.a, now.begin, end);
        index_t at = now.begin;
        for (int turn = 0; at < now.end; turn ^= 1) {
            const strip_pieces &here = pieces[static_cast<std::size_t>(turn)];
            strip_pieces &next = pieces[static_cast<std::size_t>(turn ^ 1)];
            const index_t next_end = std::min(now.end, end + plan_.strip);
            next.take(plan_, now.a, end, next_end);
            s.pieces = here.list.data();
            s.count = here.count;
            s.next = next.list.data();
            s.next_count = next.count;
            s.lead = here.lead * plan_.size_b;
            s.size = (end - at) * plan_.size_b;
            s.edges = {at == 0, end == plan_.run_extent, false};
            copy_(s, list, op_);
            s.dst += s.size;
            at = end;
            end = next_end;
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
    std::array<index_t, most_width> buffered_at_; ///< offsets of a tile's rows in the buffer
    std::array<tile, most_tiles> moved_;
    std::array<tile, most_tiles> joined_;
    alignas(64) std::array<char, most_carried * line> carry_;
};

} // namespace

void run(const schedule &plan, const kernel_choice &kernels, const operation &op, const char *a,
         char *b) noexcept {
    // If A is not read, use B's address instead, because addresses are computed in any case.
    const char *first_a = (op.x == term::absent ? b : a) + plan.first_a;
    char *first_b = b + plan.first_b;
    base::run_parallel(plan.threads, [&](base::team_member member) {
        const base::range mine = base::split(plan.units(), member.size(), member.id());
        if (mine.empty())
            return;
        const bool joins = kernels.shape.buffers ? plan.joins : joins_runs(plan, op, first_b);
        unit_runner run_unit(plan, kernels, op, joins);
        base::in_watched_parts(mine, plan.units(), [&](base::range part) {
            unit_cursor cursor(plan, first_a, first_b, part.begin);
            for (index_t number = part.begin; number < part.end; ++number) {
                run_unit(cursor.current());
                cursor.advance();
            }
        });
        if (op.store != store_kind::plain)
            base::finish_streaming();
    });
}

} // namespace tenfold::transpose_impl
