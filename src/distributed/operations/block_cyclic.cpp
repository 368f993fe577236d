// Matrices in ScaLAPACK's distribution.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_interchange.hpp>
#include <tenfold/dist_types.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "distributed/operations/boxes.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// One direction of a process grid: n positions in blocks, dealt to `processes`, first to `first`.
struct dealt {
    index_t n;
    index_t block;
    int processes;
    int first;
    int place; ///< this process; -1: none

    /// Which blocks this process gets: every `processes`-th one from here on.
    index_t first_block() const noexcept {
        return (index_t{place} + processes - first) % processes;
    }
    index_t count() const noexcept {
        if (place < 0 || block < 1 || processes < 1) // import and export refuse these
            return 0;
        const index_t whole = n / block;
        const index_t turns = whole / processes;
        const index_t left = whole % processes; // processes that get one block more
        return turns * block + (first_block() < left    ? block
                                : first_block() == left ? n % block
                                                        : 0);
    }
};

/// Positions that are neighbours in the matrix and in this process's part.
struct run_of_positions {
    index_t in_matrix;
    index_t here;
    index_t extent;
};

std::vector<run_of_positions> runs_of(const dealt &one) {
    std::vector<run_of_positions> runs;
    if (one.place < 0)
        return runs;
    if (one.processes == 1) {
        runs.push_back({0, 0, one.n});
        return runs;
    }
    index_t here = 0;
    const index_t blocks = base::divide_up(one.n, one.block);
    for (index_t block = one.first_block(); block < blocks; block += one.processes) {
        const index_t at = block * one.block;
        runs.push_back({at, here, std::min(one.block, one.n - at)});
        here += runs.back().extent;
    }
    return runs;
}

dealt rows_of(const block_cyclic &x) noexcept {
    return {x.rows, x.row_block, x.grid.rows, x.first_row, x.grid.row};
}
dealt columns_of(const block_cyclic &x) noexcept {
    return {x.columns, x.column_block, x.grid.columns, x.first_column, x.grid.column};
}

void check_dealt(const dealt &one, const std::string &what) {
    const auto reject = [](const std::string &text) { throw error(errc::invalid_argument, text); };
    if (one.block < 1)
        reject("blocks of " + std::to_string(one.block) + " " + what + "; 1 is the least");
    if (one.processes < 1)
        reject("a grid of " + std::to_string(one.processes) + " process " + what +
               "; 1 is the least");
    if (one.first < 0 || one.first >= one.processes)
        reject("the first " + what + " are on process " + std::to_string(one.first) + " of " +
               std::to_string(one.processes));
    if (one.place < -1 || one.place >= one.processes)
        reject("a place in process " + what + " " + std::to_string(one.place) + " of " +
               std::to_string(one.processes));
}

/// Throws unless `x` describes the matrix, and `local` its part.
void check(const block_cyclic &x, const extents_t &extents, bool local_is_null) {
    if (extents.size() != 2)
        throw error(errc::order_mismatch, "a block-cyclic matrix and a tensor of order " +
                                              std::to_string(extents.size()));
    if (extents != extents_t{x.rows, x.columns})
        throw error(errc::extent_mismatch, "the block-cyclic matrix has extents " +
                                               list({x.rows, x.columns}) +
                                               ", the tensor has extents " + list(extents));
    check_dealt(rows_of(x), "rows");
    check_dealt(columns_of(x), "columns");
    if ((x.grid.row < 0) != (x.grid.column < 0))
        throw error(errc::invalid_argument,
                    "process row " + std::to_string(x.grid.row) + " and process column " +
                        std::to_string(x.grid.column) + "; outside the grid both are -1");
    if (x.grid.row >= 0 && x.leading < std::max<index_t>(1, x.local_rows()))
        throw error(errc::invalid_argument, "a leading dimension of " + std::to_string(x.leading) +
                                                " for " + std::to_string(x.local_rows()) +
                                                " rows of this process");
    if (local_is_null && x.local_rows() > 0 && x.local_columns() > 0)
        throw error(errc::null_pointer, "this process's part of the matrix is null");
}

/// What all ranks must pass alike.
void describe_matrix(call_description &call, const block_cyclic &x) {
    call.add("extents of the matrix", extents_t{x.rows, x.columns})
        .add("extents of blocks", extents_t{x.row_block, x.column_block})
        .add("first process", extents_t{x.first_row, x.first_column})
        .add("process grid", extents_t{x.grid.rows, x.grid.columns});
}

template <class T> std::vector<dist_box<T>> boxes_of(const block_cyclic &x, T *local) {
    std::vector<dist_box<T>> boxes;
    const std::vector<run_of_positions> rows = runs_of(rows_of(x));
    const std::vector<run_of_positions> columns = runs_of(columns_of(x));
    boxes.reserve(rows.size() * columns.size());
    for (const run_of_positions &column : columns)
        for (const run_of_positions &row : rows) {
            if (row.extent == 0 || column.extent == 0)
                continue;
            const extents_t extents{row.extent, column.extent};
            boxes.push_back(
                {{{row.in_matrix, column.in_matrix}, extents},
                 {local + row.here + column.here * x.leading, extents, extents_t{1, x.leading}}});
        }
    return boxes;
}

} // namespace

block_cyclic block_cyclic::from_descriptor(std::span<const int, 9> descriptor,
                                           const process_grid &grid) {
    constexpr int dense = 1;
    if (descriptor[0] != dense)
        throw error(errc::invalid_argument, "a descriptor of type " +
                                                std::to_string(descriptor[0]) +
                                                "; 1 is that of dense matrices");
    return {.rows = descriptor[2],
            .columns = descriptor[3],
            .row_block = descriptor[4],
            .column_block = descriptor[5],
            .first_row = descriptor[6],
            .first_column = descriptor[7],
            .leading = descriptor[8],
            .grid = grid};
}

index_t block_cyclic::local_rows() const noexcept { return rows_of(*this).count(); }
index_t block_cyclic::local_columns() const noexcept { return columns_of(*this).count(); }

template <class T> void import_block_cyclic(const block_cyclic &where,
                                            const std::type_identity_t<T> *local,
                                            dist_tensor<T> &to) {
    const auto describe = [&](call_description &call) {
        on_tensor(to)(call);
        describe_matrix(call, where);
    };
    const box_operation what{"import_block_cyclic", "import_block_cyclic (boxes)",
                             "import_block_cyclic (buffers)", describe, true};
    import_made<T>(to, what, [&] {
        check(where, to.extents(), local == nullptr);
        return boxes_of(where, local);
    });
}

template <class T> void export_block_cyclic(const dist_tensor<T> &from, const block_cyclic &where,
                                            std::type_identity_t<T> *local) {
    const auto describe = [&](call_description &call) {
        on_tensor(from)(call);
        describe_matrix(call, where);
    };
    const box_operation what{"export_block_cyclic", "export_block_cyclic (boxes)",
                             "export_block_cyclic (buffers)", describe, false};
    export_made<T>(from, what, [&] {
        check(where, from.extents(), local == nullptr);
        return boxes_of(where, local);
    });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void import_block_cyclic(const block_cyclic &, const T *, dist_tensor<T> &);          \
    template void export_block_cyclic(const dist_tensor<T> &, const block_cyclic &, T *);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
