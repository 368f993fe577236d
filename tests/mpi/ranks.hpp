// Shared by tests on several ranks.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "support/random.hpp"

namespace tenfold::testing {

/// The world of all ranks of the program.
const world &ranks();

/// Returns fewer cases for more ranks, because ranks share the machine's cores.
inline std::vector<int> cases_per_rank(int cases_on_one_rank) {
    const int size = ranks().size();
    return cases(std::max(5, cases_on_one_rank / std::max(size, size * size / 4)));
}

/// An integer that differs by position, small enough for exact sums in float.
template <class T> T value_at(std::span<const index_t> position, int salt) {
    std::uint64_t mixed = std::uint64_t{0x9e3779b97f4a7c15} * static_cast<std::uint64_t>(salt + 1);
    for (const index_t i : position) {
        mixed = (mixed ^ static_cast<std::uint64_t>(i + 1)) * std::uint64_t{0xff51afd7ed558ccd};
        mixed ^= mixed >> 29;
    }
    const auto small = [](std::uint64_t bits) { return static_cast<int>(bits % 9) - 4; };
    if constexpr (is_complex(data_type_of<T>))
        return T(static_cast<typename T::value_type>(small(mixed)),
                 static_cast<typename T::value_type>(small(mixed >> 32)));
    else
        return static_cast<T>(small(mixed));
}

/// Calls use(position) for every position of a box, mode 0 fastest; once for order 0.
template <class Use>
void for_each_position(const extents_t &offsets, const extents_t &extents, const Use &use) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        return;
    extents_t position = offsets;
    while (true) {
        use(position);
        std::size_t mode = 0;
        for (; mode < extents.size(); ++mode) {
            if (++position[mode] < offsets[mode] + extents[mode])
                break;
            position[mode] = offsets[mode];
        }
        if (mode == extents.size())
            return;
    }
}

/// Fills a dense column-major block that starts at `offsets` with value_at().
template <class T> void fill_block(const extents_t &offsets, tensor_view<T> block, int salt) {
    T *next = block.data();
    for_each_position(offsets, block.shape().extents(),
                      [&](const extents_t &position) { *next++ = value_at<T>(position, salt); });
}

template <class T> void fill_values(dist_tensor<T> &tensor, int salt) {
    tensor.fill([salt](const extents_t &offsets, tensor_view<T> block) {
        fill_block(offsets, block, salt);
    });
}

/// A number that depends on the position only, and whose sums are rounded.
template <class T> T real_at(std::span<const index_t> position, int salt) {
    std::uint64_t mixed = std::uint64_t{0x9e3779b97f4a7c15} * static_cast<std::uint64_t>(salt + 1);
    for (const index_t i : position) {
        mixed = (mixed ^ static_cast<std::uint64_t>(i + 1)) * std::uint64_t{0xff51afd7ed558ccd};
        mixed ^= mixed >> 29;
    }
    const auto number = [](std::uint64_t bits) {
        return static_cast<double>(static_cast<std::int32_t>(bits)) / 3e9;
    };
    if constexpr (is_complex(data_type_of<T>))
        return T(static_cast<typename T::value_type>(number(mixed >> 8)),
                 static_cast<typename T::value_type>(number(mixed >> 32)));
    else
        return static_cast<T>(number(mixed >> 16));
}

template <class T> void fill_reals(dist_tensor<T> &tensor, int salt) {
    tensor.fill([salt](const extents_t &offsets, tensor_view<T> block) {
        T *next = block.data();
        for_each_position(offsets, block.shape().extents(),
                          [&](const extents_t &position) { *next++ = real_at<T>(position, salt); });
    });
}

/// Returns the whole tensor, computed without communication.
template <class T> tensor<T> make_values(const extents_t &extents, int salt) {
    tensor<T> result(extents);
    fill_block(extents_t(extents.size(), 0), result.view(), salt);
    return result;
}

template <class T> bool equal(const tensor<T> &a, const tensor<T> &b) {
    return a.shape() == b.shape() && std::equal(a.data(), a.data() + a.size(), b.data());
}

/// Returns a random grid (factors may exceed extents) with the cells of all copies on random ranks.
inline distribution random_distribution_of(random_source &random, const extents_t &extents,
                                           int rank_count, int copies) {
    std::vector<int> grid;
    int left = rank_count / copies;
    for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        grid.push_back(static_cast<int>(random.integer(1, left)));
        left /= grid.back();
    }
    random.shuffle(grid);
    int cells = copies;
    for (const int parts : grid)
        cells *= parts;
    std::vector<int> owners(static_cast<std::size_t>(rank_count));
    for (int rank = 0; rank < rank_count; ++rank)
        owners[static_cast<std::size_t>(rank)] = rank;
    random.shuffle(owners);
    owners.resize(static_cast<std::size_t>(cells));
    return {extents, grid, rank_count, owners, copies};
}

/// The same with every element on one rank.
inline distribution random_partition(random_source &random, const extents_t &extents,
                                     int rank_count) {
    return random_distribution_of(random, extents, rank_count, 1);
}

/// The same, often with several copies, of which every rank may have one.
inline distribution random_distribution(random_source &random, const extents_t &extents,
                                        int rank_count) {
    const int copies = random.chance(0.6)   ? 1
                       : random.chance(0.3) ? rank_count
                                            : static_cast<int>(random.integer(1, rank_count));
    return random_distribution_of(random, extents, rank_count, copies);
}

/// Returns true if this rank's block holds the elements of `whole`: gathering reads one copy only.
template <class T> bool holds(const dist_tensor<T> &tensor, const tenfold::tensor<T> &whole) {
    const slice &block = tensor.local_slice();
    if (block.empty())
        return true;
    bool same = true;
    const T *next = tensor.data();
    for_each_position(block.offsets, block.extents, [&](const extents_t &position) {
        same = same && *next++ == whole.data()[whole.shape().offset_of(position)];
    });
    return same;
}

inline extents_t random_extents(random_source &random, int order) {
    extents_t extents;
    for (int mode = 0; mode < order; ++mode)
        extents.push_back(random.chance(0.06) ? 0 : random.integer(1, 9));
    return extents;
}

/// True on all ranks if `text` is the same on all.
inline bool same_on_all_ranks(std::string text) {
    const auto mine = text;
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, ranks().comm());
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, ranks().comm());
    const int same = text == mine ? 1 : 0;
    int all_same = 0;
    MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, ranks().comm());
    return all_same == 1;
}

/// The error that a collective call throws; errc::ok and "" if it throws nothing.
struct failure {
    errc code = errc::ok;
    std::string message;
};
template <class Call> failure failure_of(const Call &call) {
    try {
        call();
    } catch (const error &thrown) {
        return {thrown.code(), thrown.what()};
    }
    return {};
}

} // namespace tenfold::testing
