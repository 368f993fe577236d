#include <span>
#include <vector>

#include "capi/structs.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

/// Of the C interface's numbers. Counts the cells only after the grid is checked.
tenfold::distribution distribution_of(const tenfold::extents_t &shape, const int32_t *grid,
                                      int32_t ranks, const int32_t *rank_of_cell, int32_t copies) {
    if (!shape.empty())
        require(grid, "grid");
    const std::vector<int> factors(grid, grid + shape.size());
    tenfold::distribution made(shape, factors, ranks, {}, copies);
    if (rank_of_cell == nullptr)
        return made;
    const std::vector<int> owners(rank_of_cell, rank_of_cell + made.rank_of_cell().size());
    return tenfold::distribution(shape, factors, ranks, owners, copies);
}

/// Throws errc::invalid_argument for a rank out of range.
void check_rank(const tenfold::distribution &own, int32_t rank) {
    if (rank < 0 || rank >= own.ranks())
        refuse("rank " + std::to_string(rank) + " of " + std::to_string(own.ranks()));
}

template <class Make>
tenfold_error create(tenfold_distribution **distribution, const Make &make) noexcept {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        *distribution = new tenfold_distribution{make()};
    });
}

} // namespace

tenfold_error tenfold_distribution_create(int32_t order, const int64_t *extents,
                                          const int32_t *grid, int32_t ranks,
                                          const int32_t *rank_of_cell,
                                          tenfold_distribution **distribution) {
    return create(distribution, [&] {
        return distribution_of(extents_of(order, extents, "extents"), grid, ranks, rank_of_cell, 1);
    });
}

tenfold_error tenfold_distribution_create_from_parts(const tenfold_distribution_parts *parts,
                                                     tenfold_distribution **distribution) {
    return create(distribution, [&] {
        require(parts, "parts");
        const tenfold_distribution_parts given = taken(parts, "parts");
        return distribution_of(extents_of(given.order, given.extents, "extents"), given.grid,
                               given.ranks, given.rank_of_cell,
                               given.copies == 0 ? 1 : given.copies);
    });
}

tenfold_error tenfold_distribution_create_block(int32_t order, const int64_t *extents,
                                                int32_t ranks,
                                                tenfold_distribution **distribution) {
    return create(distribution, [&] {
        return tenfold::distribution::block(extents_of(order, extents, "extents"), ranks);
    });
}

tenfold_error tenfold_distribution_create_on_rank(int32_t order, const int64_t *extents,
                                                  int32_t ranks, int32_t rank,
                                                  tenfold_distribution **distribution) {
    return create(distribution, [&] {
        return tenfold::distribution::on_rank(extents_of(order, extents, "extents"), ranks, rank);
    });
}

tenfold_error tenfold_distribution_create_replicated(int32_t order, const int64_t *extents,
                                                     int32_t ranks, int32_t copies,
                                                     tenfold_distribution **distribution) {
    return create(distribution, [&] {
        return tenfold::distribution::replicated(extents_of(order, extents, "extents"), ranks,
                                                 copies);
    });
}

void tenfold_distribution_destroy(tenfold_distribution *distribution) { delete distribution; }

tenfold_error tenfold_distribution_describe(const tenfold_distribution *distribution,
                                            tenfold_distribution_parts *parts) {
    return guarded([&] {
        require(distribution, "distribution");
        const tenfold::distribution &own = distribution->spread;
        give({.size = 0,
              .order = own.order(),
              .ranks = own.ranks(),
              .cells = own.cells(),
              .extents = own.extents().data(),
              .grid = own.grid().data(),
              .rank_of_cell = own.rank_of_cell().data(),
              .copies = own.copies()},
             parts, "parts");
    });
}

tenfold_error tenfold_distribution_text(const tenfold_distribution *distribution,
                                        const char **text) {
    return guarded([&] {
        require(distribution, "distribution");
        require(text, "text");
        *text = distribution->text.get([&] { return distribution->spread.describe(); }).c_str();
    });
}

tenfold_error tenfold_distribution_block(const tenfold_distribution *distribution, int32_t rank,
                                         int64_t *offsets, int64_t *extents, int64_t *elements) {
    return guarded([&] {
        require(distribution, "distribution");
        const tenfold::distribution &own = distribution->spread;
        check_rank(own, rank);
        const tenfold::slice block = own.block_of(rank);
        if (offsets != nullptr)
            std::copy(block.offsets.begin(), block.offsets.end(), offsets);
        if (extents != nullptr)
            std::copy(block.extents.begin(), block.extents.end(), extents);
        if (elements != nullptr)
            *elements = block.size();
    });
}

tenfold_error tenfold_distribution_owner(const tenfold_distribution *distribution,
                                         const int64_t *position, int32_t *rank) {
    return guarded([&] {
        require(distribution, "distribution");
        require(rank, "rank");
        const tenfold::distribution &own = distribution->spread;
        const tenfold::extents_t wanted = extents_of(own.order(), position, "position");
        for (std::size_t mode = 0; mode < wanted.size(); ++mode)
            if (wanted[mode] < 0 || wanted[mode] >= own.extents()[mode])
                refuse("index " + std::to_string(wanted[mode]) + " of mode " +
                       std::to_string(mode) + ", which has extent " +
                       std::to_string(own.extents()[mode]));
        *rank = own.owner(wanted);
    });
}

tenfold_error tenfold_distribution_cell(const tenfold_distribution *distribution, int32_t rank,
                                        int32_t *cell, int32_t *copy) {
    return guarded([&] {
        require(distribution, "distribution");
        const tenfold::distribution &own = distribution->spread;
        check_rank(own, rank);
        if (cell != nullptr)
            *cell = own.cell_of(rank);
        if (copy != nullptr)
            *copy = own.copy_of(rank);
    });
}

tenfold_error tenfold_distribution_largest_block(const tenfold_distribution *distribution,
                                                 int64_t *elements) {
    return guarded([&] {
        require(distribution, "distribution");
        require(elements, "elements");
        *elements = distribution->spread.largest_block();
    });
}

tenfold_error tenfold_distribution_equal(const tenfold_distribution *one,
                                         const tenfold_distribution *other, int32_t *equal) {
    return guarded([&] {
        require(one, "one");
        require(other, "other");
        require(equal, "equal");
        *equal = one->spread == other->spread;
    });
}
