#include "contract/epilogues/epilogue_pass.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/footprint.hpp"
#include "base/parallel.hpp"

namespace tenfold::contract_impl {
namespace {

using mode = epilogue_pass::mode;

/// Elements of a block: enough to outweigh the start of one, few enough for a second-level cache.
constexpr index_t block_elements = 1 << 15;

constexpr mode single_position{1, 0, {}};

mode pick_rows(std::vector<mode> &rest) {
    if (rest.empty())
        return single_position;
    const mode fastest = rest.back();
    rest.pop_back();
    return fastest;
}

/// The steps with strides for matrices of these rows and columns.
std::vector<epilogue_step> steps_for(std::span<const epilogue_step> steps, const mode &rows,
                                     const mode &columns) {
    std::vector<epilogue_step> own(steps.begin(), steps.end());
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].row_stride = rows.other[i];
        own[i].column_stride = columns.other[i];
    }
    return own;
}

/// From a mode to that of its blocks.
mode in_blocks(mode along, index_t each, std::size_t steps) noexcept {
    along.extent = base::divide_up(along.extent, each);
    along.stride *= each;
    for (std::size_t i = 0; i < steps; ++i)
        along.other[i] *= each;
    return along;
}

} // namespace

/// The mode along which a large tensor of a step lies, so that whole lines of it are used; else D's
/// next mode, unless blocks of it would be tiny.
mode epilogue_pass::pick_columns(std::vector<mode> &rest, const mode &rows, std::size_t steps) {
    if (rest.empty())
        return single_position;
    constexpr index_t tiny = 1024;
    auto chosen = rest.end() - 1;
    if (rows.extent * chosen->extent < tiny)
        chosen = std::max_element(rest.begin(), rest.end(), [](const mode &one, const mode &other) {
            return one.extent < other.extent;
        });
    for (std::size_t i = 0; i < steps; ++i) {
        if (rows.other[i] == 0 || std::abs(rows.other[i]) == 1)
            continue;
        const auto lies = std::find_if(
            rest.begin(), rest.end(), [i](const mode &one) { return std::abs(one.other[i]) == 1; });
        if (lies != rest.end())
            chosen = lies;
    }
    const mode columns = *chosen;
    rest.erase(chosen);
    return columns;
}

epilogue_pass::epilogue_pass(std::span<const epilogue_step> steps, std::span<const mode> modes,
                             data_type type, isa instruction_set)
    : steps_(steps.size()), element_(size_of(type)), rows_(single_position),
      columns_(single_position), matrix_({}, type, instruction_set, {}) {
    std::transform(steps.begin(), steps.end(), elements_of_.begin(),
                   [](const epilogue_step &one) { return size_of(one.type); });
    std::vector<mode> rest(modes.begin(), modes.end());
    rows_ = pick_rows(rest);
    columns_ = pick_columns(rest, rows_, steps_);
    rows_each_ = std::min(rows_.extent, block_elements);
    columns_each_ = std::clamp<index_t>(block_elements / rows_each_, 1, columns_.extent);
    matrix_ =
        gemm_impl::fused_epilogue(steps_for(steps, rows_, columns_), type, instruction_set, {});
    for (const mode &one : rest)
        loops_.push_back({one, part::position});
    loops_.push_back({in_blocks(rows_, rows_each_, steps_), part::rows});
    loops_.push_back({in_blocks(columns_, columns_each_, steps_), part::columns});
    std::erase_if(loops_, [](const loop &one) { return one.along.extent == 1; });
    std::stable_sort(loops_.begin(), loops_.end(), [](const loop &one, const loop &other) {
        return one.along.stride < other.along.stride;
    });
    for (const loop &one : loops_)
        blocks_ *= one.along.extent;
}

/// Begins at the block with a given number and steps to the next, the first loop fastest.
struct epilogue_pass::block_walker {
    std::span<const loop> loops;
    std::array<index_t, gemm_impl::tensor_places::most_modes + 2> counter;
    index_t d = 0; ///< offset in elements
    std::array<index_t, epilogue::most_steps> other{};
    index_t row_block = 0, column_block = 0;

    block_walker(std::span<const loop> all, index_t first) noexcept : loops(all) {
        for (std::size_t k = 0; k < loops.size(); ++k) {
            counter[k] = first % loops[k].along.extent;
            first /= loops[k].along.extent;
            move(k, counter[k]);
        }
    }
    void step() noexcept {
        for (std::size_t k = 0; k < loops.size(); ++k) {
            if (++counter[k] < loops[k].along.extent)
                return move(k, 1);
            move(k, 1 - loops[k].along.extent);
            counter[k] = 0;
        }
    }
    /// Rows and columns are counted by the matrix; the offsets are those of its first element.
    void move(std::size_t k, index_t by) noexcept {
        const loop &one = loops[k];
        if (one.of == part::rows) {
            row_block += by;
        } else if (one.of == part::columns) {
            column_block += by;
        } else {
            d += by * one.along.stride;
            for (std::size_t i = 0; i < other.size(); ++i)
                other[i] += by * one.along.other[i];
        }
    }
};

void epilogue_pass::run(std::span<const void *const> others, void *lowest,
                        int threads) const noexcept {
    const auto block_of = [](index_t number, index_t each, index_t extent) {
        return base::range{number * each, std::min(extent, (number + 1) * each)};
    };
    const int team = static_cast<int>(std::clamp<index_t>(blocks_, 1, threads));
    base::run_parallel(team, [&](base::team_member me) {
        gemm_impl::fused_epilogue own = matrix_;
        const auto set = [&](const block_walker &at) {
            for (std::size_t i = 0; i < others.size(); ++i)
                own.set_data(i, at.other[i] == 0 ? others[i]
                                                 : static_cast<const std::byte *>(others[i]) +
                                                       at.other[i] * elements_of_[i]);
        };
        const base::range mine = base::split(blocks_, me.size(), me.id());
        if (mine.empty())
            return;
        base::in_watched_parts(mine, blocks_, [&](const base::range &some) {
            block_walker at(loops_, some.begin);
            for (index_t block = some.begin; block < some.end; ++block, at.step()) {
                set(at);
                own.apply(block_of(at.row_block, rows_each_, rows_.extent),
                          block_of(at.column_block, columns_each_, columns_.extent),
                          static_cast<std::byte *>(lowest) + at.d * element_, rows_.stride,
                          columns_.stride);
            }
        });
    });
}

std::size_t epilogue_pass::footprint() const noexcept { return base::allocated_by(loops_); }

} // namespace tenfold::contract_impl
