#include <algorithm>

#include <tenfold/dist_plan.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "distributed/plan/hash.hpp"
#include "distributed/plan/slice.hpp"
#include "distributed/plan/split_table.hpp"

namespace tenfold {
namespace {

/// Tables and loops run over ranks: planning for a quarter of this number took 11 seconds.
constexpr int most_ranks = 1 << 20;

void check_ranks(int ranks) {
    const std::string what = "a distribution over " + std::to_string(ranks) + " ranks; ";
    if (ranks < 1)
        throw error(errc::invalid_argument, what + "1 is the least");
    if (ranks > most_ranks)
        throw error(errc::invalid_argument, what + std::to_string(most_ranks) + " is the most");
}

void check_copies(int copies) {
    if (copies < 1)
        throw error(errc::invalid_argument,
                    "a tensor in " + std::to_string(copies) + " copies; 1 is the least");
}

} // namespace

distribution::distribution(extents_t extents, std::vector<int> grid, int ranks,
                           std::vector<int> rank_of_cell, int copies)
    : extents_(layout(std::move(extents)).extents()), grid_(std::move(grid)), ranks_(ranks),
      copies_(copies), rank_of_cell_(std::move(rank_of_cell)) {
    if (grid_.size() != extents_.size())
        throw error(errc::order_mismatch, "a grid of order " + std::to_string(grid_.size()) +
                                              " for a tensor of order " +
                                              std::to_string(extents_.size()));
    check_ranks(ranks);
    index_t cells = 1;
    for (std::size_t mode = 0; mode < grid_.size(); ++mode) {
        if (grid_[mode] < 1)
            throw error(errc::invalid_argument, "mode " + std::to_string(mode) + " is cut into " +
                                                    std::to_string(grid_[mode]) +
                                                    " parts; 1 is the least");
        cells = base::checked_multiply(cells, grid_[mode], "cells of a grid");
    }
    check_copies(copies);
    const std::string of_copies = copies == 1 ? "" : " in " + std::to_string(copies) + " copies";
    const index_t all = base::checked_multiply(cells, copies, "cells of a grid");
    if (all > ranks)
        throw error(errc::invalid_argument, "a grid of " + std::to_string(cells) + " cells" +
                                                of_copies + " needs " +
                                                (copies == 1 ? "as many" : std::to_string(all)) +
                                                " ranks, but there are " + std::to_string(ranks));
    if (rank_of_cell_.empty())
        for (int cell = 0; cell < all; ++cell)
            rank_of_cell_.push_back(cell);
    if (static_cast<index_t>(rank_of_cell_.size()) != all)
        throw error(errc::invalid_argument, "ranks for " + std::to_string(rank_of_cell_.size()) +
                                                " cells of a grid of " + std::to_string(cells) +
                                                of_copies);
    cell_of_rank_.assign(static_cast<std::size_t>(ranks), -1);
    for (int cell = 0; cell < all; ++cell) {
        const int rank = rank_of_cell_[static_cast<std::size_t>(cell)];
        if (rank < 0 || rank >= ranks || cell_of_rank_[static_cast<std::size_t>(rank)] >= 0)
            throw error(errc::invalid_argument,
                        "cell " + std::to_string(cell) + " belongs to rank " +
                            std::to_string(rank) + ", which is " +
                            (rank < 0 || rank >= ranks ? "not one of " + std::to_string(ranks)
                                                       : std::string("used before")));
        cell_of_rank_[static_cast<std::size_t>(rank)] = cell;
    }
}

distribution distribution::block(extents_t extents, int ranks) {
    check_ranks(ranks);
    const layout shape(extents); // throws on overflow, before the table multiplies extents
    const auto cut = [ranks](const extents_t &in_order) {
        return dist_impl::split_table(in_order,
                                      dist_impl::useful_splits(in_order, ranks).back().parts)
            .factors();
    };
    std::vector<int> grid = cut(extents);
    constexpr index_t long_columns = 128; // cutting leaves these long enough
    if (grid.size() > 2 && (grid.back() > 1 || extents.front() >= long_columns)) {
        // The table cuts the last modes most. Move the first mode next to the last, so that it is
        // cut early too.
        extents_t in_order = extents;
        std::rotate(in_order.begin(), in_order.begin() + 1, in_order.end() - 1);
        grid = cut(in_order);
        std::rotate(grid.begin(), grid.end() - 2, grid.end() - 1);
    }
    return {std::move(extents), std::move(grid), ranks};
}

distribution distribution::on_rank(extents_t extents, int ranks, int rank) {
    std::vector<int> grid(extents.size(), 1);
    return {std::move(extents), std::move(grid), ranks, {rank}};
}

distribution distribution::replicated(extents_t extents, int ranks, int copies) {
    check_ranks(ranks);
    check_copies(copies);
    if (copies > ranks)
        throw error(errc::invalid_argument, std::to_string(copies) + " copies on " +
                                                std::to_string(ranks) +
                                                " ranks; a rank holds one at most");
    const distribution one = block(std::move(extents), ranks / copies);
    return {one.extents(), one.grid(), ranks, {}, copies};
}

int distribution::cell_of(int rank) const noexcept {
    const int cell = cell_of_rank_[static_cast<std::size_t>(rank)];
    return cell < 0 ? cell : cell % cells();
}

int distribution::copy_of(int rank) const noexcept {
    const int cell = cell_of_rank_[static_cast<std::size_t>(rank)];
    return cell < 0 ? cell : cell / cells();
}

slice distribution::block_of(int rank) const {
    slice block{extents_t(extents_.size(), 0), extents_t(extents_.size(), 0), true};
    int cell = cell_of(rank);
    if (cell < 0)
        return block;
    block.none = false;
    for (std::size_t mode = 0; mode < extents_.size(); ++mode) {
        const int part = cell % grid_[mode];
        cell /= grid_[mode];
        block.offsets[mode] = dist_impl::cut(extents_[mode], part, grid_[mode]);
        block.extents[mode] =
            dist_impl::cut(extents_[mode], part + 1, grid_[mode]) - block.offsets[mode];
    }
    return block;
}

int distribution::owner(std::span<const index_t> position) const {
    int cell = 0;
    for (std::size_t mode = extents_.size(); mode-- > 0;) {
        // The part i with floor(i N / p) <= x < floor((i + 1) N / p) is i = ceil((x + 1) p / N) -
        // 1.
        __extension__ using wide = __int128;
        const wide parts = grid_[mode];
        const auto part =
            static_cast<int>(((position[mode] + wide{1}) * parts - 1) / extents_[mode]);
        cell = cell * grid_[mode] + part;
    }
    return rank_of_cell_[static_cast<std::size_t>(cell)];
}

index_t distribution::largest_block() const noexcept {
    index_t size = 1;
    for (std::size_t mode = 0; mode < extents_.size(); ++mode)
        if (extents_[mode] == 0)
            return 0;
    for (std::size_t mode = 0; mode < extents_.size(); ++mode)
        size *= base::divide_up(extents_[mode], grid_[mode]);
    return size;
}

std::string distribution::describe() const {
    std::string text = "extents " + dist_impl::list(extents_) + ", grid ";
    for (std::size_t mode = 0; mode < grid_.size(); ++mode)
        text.append(mode == 0 ? "" : "x").append(std::to_string(grid_[mode]));
    if (grid_.empty())
        text += "of one cell";
    if (copies_ > 1)
        text += " in " + std::to_string(copies_) + " copies";
    text += " on " + std::to_string(ranks_) + (ranks_ == 1 ? " rank" : " ranks");
    bool in_order = true;
    for (std::size_t cell = 0; cell < rank_of_cell_.size(); ++cell)
        in_order = in_order && rank_of_cell_[cell] == static_cast<int>(cell);
    return text + (in_order ? "" : ", permuted");
}

std::uint64_t distribution::hash() const noexcept {
    dist_impl::hasher hash;
    hash.add(extents_).add(grid_).add(ranks_).add(rank_of_cell_);
    return hash.value();
}

} // namespace tenfold
