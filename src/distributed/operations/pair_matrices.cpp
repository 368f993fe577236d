// Makes the two matrices of symmetric and antisymmetric pairs of a distributed tensor, and adds
// them up again. A rank that has all that its block is made from reads it where it is.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/pair_operations.hpp"
#include "distributed/plan/box_traffic.hpp"
#include "distributed/plan/pair_boxes.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;
using tensor_type = dist_tensor<double>;

/// What a call is about, which all ranks check and describe.
struct matrix_tensors {
    const tensor_type &x;
    const tensor_type &plus;
    const tensor_type &minus;
    bool half_diagonal = false;

    void check() const {
        if (!(x.owner() == plus.owner()) || !(x.owner() == minus.owner()))
            throw error(errc::invalid_argument, "X and its matrices belong to different worlds");
        if (x.order() != 4)
            throw error(errc::order_mismatch,
                        "pair matrices: X has " + std::to_string(x.order()) + " modes: expected 4");
        constexpr auto symmetric = chem::pair_kind::symmetric;
        const extents_t expected =
            base::packed_extents(base::packed_extents(x.extents(), 2, symmetric), 0, symmetric);
        check_matrix(plus, "plus", expected);
        check_matrix(minus, "minus", expected);
        if (!(plus.distribution() == minus.distribution()))
            throw error(errc::invalid_argument, "pair matrices: plus and minus have different "
                                                "distributions: " +
                                                    plus.distribution().describe() + " and " +
                                                    minus.distribution().describe());
    }
    auto describe() const {
        return [this](call_description &call) {
            call.add("X", x)
                .add("plus", plus)
                .add("minus", minus)
                .add("half_diagonal", half_diagonal);
        };
    }

private:
    static void check_matrix(const tensor_type &matrix, const char *name,
                             const extents_t &expected) {
        if (matrix.order() != 2)
            throw error(errc::order_mismatch, std::string("pair matrices: ") + name + " has " +
                                                  std::to_string(matrix.order()) +
                                                  " modes: expected 2");
        base::check_packed(matrix.extents(), expected, name);
    }
};

/// A part of a tensor: this rank's own block, or a copy of what it lacks some of.
struct tensor_part {
    std::optional<tensor<double>> copy = std::nullopt;
    std::optional<chem::placed_block<const double>> block = std::nullopt;
};

/// What a rank reads of a tensor: boxes within bounds.
struct wanted_boxes {
    slice bounds;
    std::vector<slice> boxes;
};

bool lies_in(const slice &box, const slice &block) noexcept {
    return intersection_size(box, block) == box.size();
}

/// Collective. Reads what `wanted` returns, which throws if arguments are wrong. Adds to the
/// report.
template <class Wanted> tensor_part read_part(const tensor_type &from, const box_operation &what,
                                              const Wanted &wanted, box_report &report) {
    tensor_part part;
    const auto make = [&] {
        std::vector<dist_box<double>> boxes;
        const wanted_boxes all = wanted();
        const slice &own = from.local_slice();
        bool is_here = true;
        for (const slice &box : all.boxes)
            is_here = is_here && lies_in(box, own);
        if (is_here) {
            part.block = chem::placed_block<const double>{own.offsets, {from.data(), own.extents}};
            return boxes;
        }
        const slice &bounds = all.bounds;
        part.copy.emplace(bounds.extents, uninitialized);
        part.block =
            chem::placed_block<const double>{bounds.offsets, {part.copy->data(), bounds.extents}};
        const extents_t &strides = part.copy->shape().strides();
        for (const slice &box : all.boxes) {
            index_t offset = 0;
            for (std::size_t mode = 0; mode < strides.size(); ++mode)
                offset += (box.offsets[mode] - bounds.offsets[mode]) * strides[mode];
            boxes.push_back({box, {part.copy->data() + offset, layout(box.extents, strides)}});
        }
        return boxes;
    };
    if (is_everywhere(from.distribution())) { // as every rank knows
        collectively(communicator_of(from.owner()), what.name, what.describe, [&] {
            tensor_access::check_copies(from, "the tensor");
            make();
        });
        return part;
    }
    const box_report took = export_made<double>(from, what, make);
    report.received += took.received;
    report.memory += took.memory;
    if (part.copy)
        report.memory += part.copy->shape().size() * static_cast<index_t>(sizeof(double));
    return part;
}

} // namespace

box_report dist_impl::pack_matrices_reporting(const tensor_type &x, tensor_type &plus,
                                              tensor_type &minus, bool half_diagonal) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "pack_pair_matrices");
    const matrix_tensors all{x, plus, minus, half_diagonal};
    const slice &own = plus.local_slice(); // that of minus is the same
    box_report report;
    const tensor_part from = read_part(
        x,
        {"pack_pair_matrices", "pack_pair_matrices (boxes)", "pack_pair_matrices (buffers)",
         all.describe()},
        [&] {
            all.check();
            return wanted_boxes{bounds_to_pack_matrices(own), boxes_to_pack_matrices(own)};
        },
        report);
    const timed adding(comm.recorder(), activity::compute, "pairs");
    if (!own.empty())
        comm.surely([&] {
            chem::pack_pair_matrices(
                *from.block, {own.offsets, {tensor_access::elements(plus), own.extents}},
                {own.offsets, {tensor_access::elements(minus), own.extents}}, half_diagonal);
        });
    tensor_access::copies_are_equal(plus);
    tensor_access::copies_are_equal(minus);
    return report;
}

box_report dist_impl::unpack_matrices_reporting(const tensor_type &plus, const tensor_type &minus,
                                                tensor_type &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "unpack_pair_matrices");
    const matrix_tensors all{x, plus, minus};
    const slice &own = x.local_slice();
    box_report report;
    const auto wanted = [&] {
        all.check();
        tensor_access::check_copies(x, "X");
        return wanted_boxes{bounds_to_unpack_matrices(own), boxes_to_unpack_matrices(own)};
    };
    const tensor_part symmetric =
        read_part(plus,
                  {"unpack_pair_matrices (plus)", "unpack_pair_matrices (boxes of plus)",
                   "unpack_pair_matrices (buffers of plus)", all.describe()},
                  wanted, report);
    const tensor_part antisymmetric =
        read_part(minus,
                  {"unpack_pair_matrices (minus)", "unpack_pair_matrices (boxes of minus)",
                   "unpack_pair_matrices (buffers of minus)", all.describe()},
                  wanted, report);
    const timed adding(comm.recorder(), activity::compute, "pairs");
    if (!own.empty())
        comm.surely([&] {
            chem::unpack_pair_matrices(*symmetric.block, *antisymmetric.block,
                                       {own.offsets, {tensor_access::elements(x), own.extents}});
        });
    return report;
}

void chem::pack_pair_matrices(const dist_tensor<double> &x, dist_tensor<double> &plus,
                              dist_tensor<double> &minus, bool half_diagonal) {
    dist_impl::pack_matrices_reporting(x, plus, minus, half_diagonal);
}

void chem::unpack_pair_matrices(const dist_tensor<double> &plus, const dist_tensor<double> &minus,
                                dist_tensor<double> &x) {
    dist_impl::unpack_matrices_reporting(plus, minus, x);
}

} // namespace tenfold
