// Packs two modes of distributed tensors as pairs, and unpacks them. What a rank needs of the other
// tensor are boxes, one for each row of pairs.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <tenfold/dist_pairs.hpp>

#include "base/pair_modes.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/boxes.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;
using base::pair_row;
using chem::pair_kind;

/// The modes of a dense block before two modes, or before a mode of pairs, and those behind.
struct modes_around {
    index_t before = 1;
    index_t behind = 1;
};

/// A row of pairs in a block, and the elements that are read for it: a dense array of
/// before x row.size() x behind.
template <class T> struct row_read {
    pair_row row;
    bool is_flipped; ///< [q,p] rather than [p,q]
    T *elements;
};

/// Rows, and the memory that their elements are read into.
template <class T> class rows_read {
public:
    rows_read(const slice &block, int mode, int modes_together) {
        const auto first = static_cast<std::size_t>(mode);
        const std::size_t next = first + static_cast<std::size_t>(modes_together);
        for (std::size_t k = 0; k < block.extents.size(); ++k) {
            if (k < first)
                around_.before *= block.extents[k];
            else if (k >= next)
                around_.behind *= block.extents[k];
        }
    }

    void add(const pair_row &row, bool is_flipped) { rows_.push_back({row, is_flipped, nullptr}); }

    /// Finds the memory and returns the boxes, whose places `place(row_read)` returns.
    template <class Place> std::vector<dist_box<T>> boxes(const Place &place) {
        index_t size = 0;
        for (const row_read<T> &one : rows_)
            size += elements_of(one);
        memory_ = tensor<T>({size}, uninitialized);
        std::vector<dist_box<T>> result;
        result.reserve(rows_.size());
        T *next = memory_.data();
        for (row_read<T> &one : rows_) {
            one.elements = next;
            next += elements_of(one);
            slice where = place(one);
            const tensor_view<T> view(one.elements, where.extents);
            result.push_back({std::move(where), view});
        }
        return result;
    }

    const std::vector<row_read<T>> &rows() const noexcept { return rows_; }
    const modes_around &around() const noexcept { return around_; }

private:
    index_t elements_of(const row_read<T> &one) const noexcept {
        return around_.before * one.row.size() * around_.behind;
    }

    modes_around around_;
    std::vector<row_read<T>> rows_;
    tensor<T> memory_{extents_t{0}, uninitialized};
};

/// Calls use(row) for the rows of the pairs [begin, end).
template <class Use> void for_each_row(index_t begin, index_t end, pair_kind kind, const Use &use) {
    for (index_t p = 0; begin < end; ++p) {
        const index_t first = base::pair_count(p, kind);
        const index_t last = std::min(end, base::pair_count(p + 1, kind));
        if (begin >= last)
            continue;
        use(pair_row{p, begin - first, last - first});
        begin = last;
    }
}

/// The rows of the pairs from which a block of X is made. Pairs p = q are in the first kind only.
template <class T>
void add_rows_of(const slice &block, int mode, pair_kind kind, rows_read<T> &rows) {
    const auto first = static_cast<std::size_t>(mode);
    const base::range p{block.offsets[first], block.offsets[first] + block.extents[first]};
    const base::range q{block.offsets[first + 1],
                        block.offsets[first + 1] + block.extents[first + 1]};
    const index_t diagonal = kind == pair_kind::symmetric ? 1 : 0;
    const auto add = [&](index_t high, const base::range &low, index_t end, bool is_flipped) {
        if (low.begin < std::min(low.end, end))
            rows.add({high, low.begin, std::min(low.end, end)}, is_flipped);
    };
    for (index_t high = p.begin; high < p.end; ++high)
        add(high, q, high + diagonal, false);
    for (index_t high = q.begin; high < q.end; ++high)
        add(high, p, high, true);
}

/// A block with one or two modes taken out and others put in.
slice replaced(const slice &block, int mode, int modes_together, const slice &by) {
    slice result = block;
    for (auto [numbers, others] :
         {std::pair(&result.offsets, &by.offsets), std::pair(&result.extents, &by.extents)}) {
        numbers->erase(numbers->begin() + mode, numbers->begin() + mode + modes_together);
        numbers->insert(numbers->begin() + mode, others->begin(), others->end());
    }
    return result;
}

template <class T> struct pair_tensors {
    const dist_tensor<T> &x;
    const dist_tensor<T> &packed;
    int mode;
    pair_kind kind;

    void check() const {
        if (!(x.owner() == packed.owner()))
            throw error(errc::invalid_argument, "X and P belong to different worlds");
        base::check_packed(packed.extents(), base::packed_extents(x.extents(), mode, kind));
    }
    auto describe() const {
        return [this](call_description &call) {
            call.add("type", name(data_type_of<T>))
                .add("X", x)
                .add("P", packed)
                .add("mode", mode)
                .add("kind", kind == pair_kind::symmetric ? "symmetric" : "antisymmetric");
        };
    }
};

/// Two reads at a time, [p,q] and [q,p] of one row.
template <class T> void combine_rows(const rows_read<T> &rows, const slice &block, int mode,
                                     pair_kind kind, T *to) noexcept {
    const auto [before, behind] = rows.around();
    const index_t pairs = block.extents[static_cast<std::size_t>(mode)];
    const index_t first = block.offsets[static_cast<std::size_t>(mode)];
    using real = typename element_traits<T>::real;
    const real sign = kind == pair_kind::symmetric ? 1.0F : -1.0F;
    for (std::size_t r = 0; r + 1 < rows.rows().size(); r += 2) {
        const row_read<T> &one = rows.rows()[r];
        const T *straight = one.elements;
        const T *flipped = rows.rows()[r + 1].elements;
        const index_t run = before * one.row.size();
        for (index_t t = 0; t < behind; ++t, straight += run, flipped += run) {
            T *const out = to + before * (one.row.place(kind) - first + pairs * t);
            for (index_t i = 0; i < run; ++i)
                out[i] = straight[i] + sign * flipped[i];
        }
    }
}

/// Adds pairs to a block of X.
template <class T> void add_rows(const rows_read<T> &rows, const slice &block, int mode,
                                 pair_kind kind, T *to) noexcept {
    const auto [before, behind] = rows.around();
    const auto first = static_cast<std::size_t>(mode);
    const index_t across = before * block.extents[first]; // from q to q + 1
    const index_t whole = across * block.extents[first + 1];
    for (const row_read<T> &one : rows.rows()) {
        const index_t p = one.is_flipped ? one.row.begin : one.row.p;
        const index_t q = one.is_flipped ? one.row.p : one.row.begin;
        const index_t step = one.is_flipped ? before : across;
        using real = typename element_traits<T>::real;
        const real half = one.is_flipped && kind == pair_kind::antisymmetric ? -0.5F : 0.5F;
        const T *from = one.elements;
        for (index_t t = 0; t < behind; ++t) {
            T *out = to + before * (p - block.offsets[first]) +
                     across * (q - block.offsets[first + 1]) + whole * t;
            for (index_t i = 0; i < one.row.size(); ++i, out += step, from += before)
                for (index_t l = 0; l < before; ++l)
                    out[l] += half * from[l];
        }
    }
}

} // namespace

template <class T>
void chem::pack_pairs(const dist_tensor<T> &x, int mode, pair_kind kind, dist_tensor<T> &packed) {
    communicator &comm = communicator_of(packed.owner());
    const traced_call traced(comm, "pack_pairs");
    const pair_tensors<T> both{x, packed, mode, kind};
    const slice &block = packed.local_slice();
    std::optional<rows_read<T>> rows;
    export_made<T>(
        x, {"pack_pairs", "pack_pairs (boxes)", "pack_pairs (buffers)", both.describe()}, [&] {
            both.check();
            rows.emplace(block, mode, 1);
            const auto at = static_cast<std::size_t>(mode);
            if (!block.empty())
                for_each_row(block.offsets[at], block.offsets[at] + block.extents[at], kind,
                             [&](const pair_row &row) {
                                 rows->add(row, false);
                                 rows->add(row, true);
                             });
            return rows->boxes([&](const row_read<T> &one) {
                const pair_row &row = one.row;
                const slice pq = one.is_flipped ? slice{{row.begin, row.p}, {row.size(), 1}}
                                                : slice{{row.p, row.begin}, {1, row.size()}};
                return replaced(block, mode, 1, pq);
            });
        });
    const timed adding(comm.recorder(), activity::compute, "pairs");
    combine_rows(*rows, block, mode, kind, tensor_access::elements(packed));
    tensor_access::copies_are_equal(packed);
}

template <class T>
void chem::unpack_pairs(const dist_tensor<T> &packed, int mode, pair_kind kind, dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "unpack_pairs");
    const pair_tensors<T> both{x, packed, mode, kind};
    const slice &block = x.local_slice();
    std::optional<rows_read<T>> rows;
    export_made<T>(
        packed, {"unpack_pairs", "unpack_pairs (boxes)", "unpack_pairs (buffers)", both.describe()},
        [&] {
            both.check();
            tensor_access::check_copies(x, "X");
            rows.emplace(block, mode, 2);
            if (!block.empty())
                add_rows_of(block, mode, kind, *rows);
            return rows->boxes([&](const row_read<T> &one) {
                return replaced(block, mode, 2, {{one.row.place(kind)}, {one.row.size()}});
            });
        });
    const timed adding(comm.recorder(), activity::compute, "pairs");
    add_rows(*rows, block, mode, kind, tensor_access::elements(x));
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void chem::pack_pairs(const dist_tensor<T> &, int, chem::pair_kind,                   \
                                   dist_tensor<T> &);                                              \
    template void chem::unpack_pairs(const dist_tensor<T> &, int, chem::pair_kind,                 \
                                     dist_tensor<T> &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
