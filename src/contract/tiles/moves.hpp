// Moves of tensors into workspace and back: of whole tensors for TTGT, of tiles for fused packing.
#pragma once

#include <optional>

#include <tenfold/transpose.hpp>

#include "base/workspace.hpp"
#include "contract/choose/candidate.hpp"
#include "contract/tiles/arrangement.hpp"

namespace tenfold::contract_impl {

/// Bytes of `elements` elements of `type` in workspace. Throws errc::overflow, since a wider type
/// may need more bytes than the tensor has.
index_t workspace_for(index_t elements, data_type type);

/// What a part of a tensor inherits from the whole.
struct part_of_tensor {
    bool bypass_caches; ///< whether what is written bypasses the caches: transpose_options
    index_t bytes;      ///< of the whole
};

/// Which operand moves into workspace, to where, and what type it has and gets.
struct moved_operand {
    const relocation &move;
    einsum_impl::tensor_id tensor;
    data_type from;
    data_type to;
};

/// Predicted seconds of an input_move that sums. `whole`: elements of the tensor of which a tile is
/// moved; 0: all of it is.
double seconds_of_sum(const relocation &move, einsum_impl::tensor_id tensor, data_type type,
                      double whole, const cost_model &model, const plan_environment &environment);

/// The move of one operand into workspace, with the threads of its environment.
class input_move {
public:
    /// `part`: empty for whole tensors.
    input_move(const moved_operand &what, const cost_model &model,
               const plan_environment &environment,
               std::optional<part_of_tensor> part = std::nullopt);

    index_t moved_bytes() const noexcept { return bytes_; }
    /// Predicted seconds.
    double seconds() const noexcept {
        return sum_ == nullptr ? permute_->predicted_seconds() : sum_->seconds();
    }
    index_t scratch_bytes() const noexcept {
        return sum_ == nullptr ? 0 : base::aligned_bytes(sum_->workspace().value);
    }

    /// Bytes of memory that its plans occupy, about.
    std::size_t footprint() const noexcept;

    /// `to` has moved_bytes() bytes and `scratch` scratch_bytes(); both are aligned to 64.
    void run(const void *from, std::byte *to, std::byte *scratch) const noexcept;

private:
    std::optional<transpose_plan> permute_;
    candidate_ptr sum_; ///< sums over isolated labels: a product with the constant 1
    index_t bytes_;
    data_type type_;
};

/// A D that is moved: its place in workspace, and the problem whose types and conjugation count.
struct moved_output {
    const relocation &move;
    const einsum_impl::contraction_problem &problem;
};

/// Plans the move from workspace, where elements have the type of the sums, into D.
transpose_plan plan_move_back(const moved_output &what, const plan_environment &environment,
                              std::optional<part_of_tensor> part = std::nullopt);
/// Plans the move of op(C) to where D is in workspace.
transpose_plan plan_move_of_c(const moved_output &what, const plan_environment &environment);

/// Whether two moves of one tensor, or of two of its tiles, copy alike: the same plan serves both.
bool move_alike(const relocation &one, const relocation &other,
                einsum_impl::tensor_id tensor) noexcept;

/// The labels in their new order.
std::string name_of(const relocation &move);
/// " in f64", if the type changes on the way.
std::string converted(data_type from, data_type to);

} // namespace tenfold::contract_impl
