// Packs two modes of distributed tensors as pairs, and unpacks them. What a rank needs of the other
// tensor are boxes, one for each row of pairs.
#include <optional>
#include <vector>

#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/pair_operations.hpp"
#include "distributed/plan/pair_boxes.hpp"

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
    /// `modes_together`: of the block, in place of which rows are read.
    rows_read(const slice &block, int mode, int modes_together,
              const std::vector<pair_row_box> &boxes) {
        const auto first = static_cast<std::size_t>(mode);
        const std::size_t next = first + static_cast<std::size_t>(modes_together);
        for (std::size_t k = 0; k < block.extents.size(); ++k) {
            if (k < first)
                around_.before *= block.extents[k];
            else if (k >= next)
                around_.behind *= block.extents[k];
        }
        for (const pair_row_box &one : boxes)
            rows_.push_back({one.row, one.is_flipped, nullptr});
    }

    /// Finds the memory and returns the boxes in it, in the order of the rows.
    std::vector<dist_box<T>> make(const std::vector<pair_row_box> &boxes) {
        index_t size = 0;
        for (const pair_row_box &one : boxes)
            size += one.where.size();
        memory_ = tensor<T>({size}, uninitialized);
        std::vector<dist_box<T>> result;
        result.reserve(rows_.size());
        T *next = memory_.data();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            rows_[i].elements = next;
            next += boxes[i].where.size();
            const tensor_view<T> view(rows_[i].elements, boxes[i].where.extents);
            result.push_back({boxes[i].where, view});
        }
        return result;
    }

    const std::vector<row_read<T>> &rows() const noexcept { return rows_; }
    const modes_around &around() const noexcept { return around_; }
    index_t bytes() const noexcept {
        return memory_.shape().size() * static_cast<index_t>(sizeof(T));
    }

private:
    modes_around around_;
    std::vector<row_read<T>> rows_;
    tensor<T> memory_{extents_t{0}, uninitialized};
};

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

template <class T> box_report dist_impl::pack_pairs_reporting(const dist_tensor<T> &x, int mode,
                                                              pair_kind kind,
                                                              dist_tensor<T> &packed) {
    communicator &comm = communicator_of(packed.owner());
    const traced_call traced(comm, "pack_pairs");
    const pair_tensors<T> both{x, packed, mode, kind};
    const slice &block = packed.local_slice();
    std::optional<rows_read<T>> rows;
    box_report report = export_made<T>(
        x, {"pack_pairs", "pack_pairs (boxes)", "pack_pairs (buffers)", both.describe()}, [&] {
            both.check();
            const std::vector<pair_row_box> boxes = boxes_to_pack(block, mode, kind);
            return rows.emplace(block, mode, 1, boxes).make(boxes);
        });
    const timed adding(comm.recorder(), activity::compute, "pairs");
    combine_rows(*rows, block, mode, kind, tensor_access::elements(packed));
    tensor_access::copies_are_equal(packed);
    report.memory += rows->bytes();
    return report;
}

template <class T> box_report dist_impl::unpack_pairs_reporting(const dist_tensor<T> &packed,
                                                                int mode, pair_kind kind,
                                                                dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "unpack_pairs");
    const pair_tensors<T> both{x, packed, mode, kind};
    const slice &block = x.local_slice();
    std::optional<rows_read<T>> rows;
    box_report report = export_made<T>(
        packed, {"unpack_pairs", "unpack_pairs (boxes)", "unpack_pairs (buffers)", both.describe()},
        [&] {
            both.check();
            tensor_access::check_copies(x, "X");
            const std::vector<pair_row_box> boxes = boxes_to_unpack(block, mode, kind);
            return rows.emplace(block, mode, 2, boxes).make(boxes);
        });
    const timed adding(comm.recorder(), activity::compute, "pairs");
    add_rows(*rows, block, mode, kind, tensor_access::elements(x));
    report.memory += rows->bytes();
    return report;
}

template <class T>
void chem::pack_pairs(const dist_tensor<T> &x, int mode, pair_kind kind, dist_tensor<T> &packed) {
    dist_impl::pack_pairs_reporting(x, mode, kind, packed);
}

template <class T>
void chem::unpack_pairs(const dist_tensor<T> &packed, int mode, pair_kind kind, dist_tensor<T> &x) {
    dist_impl::unpack_pairs_reporting(packed, mode, kind, x);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template dist_impl::box_report dist_impl::pack_pairs_reporting(                                \
        const dist_tensor<T> &, int, chem::pair_kind, dist_tensor<T> &);                           \
    template dist_impl::box_report dist_impl::unpack_pairs_reporting(                              \
        const dist_tensor<T> &, int, chem::pair_kind, dist_tensor<T> &);                           \
    template void chem::pack_pairs(const dist_tensor<T> &, int, chem::pair_kind,                   \
                                   dist_tensor<T> &);                                              \
    template void chem::unpack_pairs(const dist_tensor<T> &, int, chem::pair_kind,                 \
                                     dist_tensor<T> &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
