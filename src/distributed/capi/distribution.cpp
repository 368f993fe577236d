#include <span>
#include <vector>

#include "capi/structs.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

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
        const tenfold::extents_t shape = extents_of(order, extents, "extents");
        if (order > 0)
            require(grid, "grid");
        const std::vector<int> factors(grid, grid + order);
        std::vector<int> owners;
        if (rank_of_cell != nullptr) {
            // Without owners, so that the grid is checked before its cells are counted.
            const tenfold::distribution checked(shape, factors, ranks);
            owners.assign(rank_of_cell, rank_of_cell + checked.cells());
        }
        return tenfold::distribution(shape, factors, ranks, owners);
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
              .rank_of_cell = own.rank_of_cell().data()},
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
        if (rank < 0 || rank >= own.ranks())
            refuse("rank " + std::to_string(rank) + " of " + std::to_string(own.ranks()));
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
