// The epilogue of a plan: checked against D, with strides in the place of labels.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"
#include "contract/epilogues/epilogue_pass.hpp"
#include "gemm/epilogue.hpp"

namespace tenfold::contract_impl {

/// Immutable, and without data pointers.
class planned_epilogue {
public:
    /// `d` has the labels of the expression's output, and can be written. Tensors may have extents
    /// of 1 where D has others if the spec broadcasts. Throws errc::unknown_label (a label that D
    /// lacks), order_mismatch, extent_mismatch, type_mismatch, unsupported (a function of complex
    /// numbers), null_pointer (a function that is null), overflow, invalid_argument.
    planned_epilogue(const contraction_epilogue &given, const contraction_spec &spec,
                     const output &d, isa instruction_set);
    planned_epilogue(const planned_epilogue &) = delete;
    planned_epilogue &operator=(const planned_epilogue &) = delete;

    std::size_t size() const noexcept { return steps_.size(); }
    std::span<const epilogue_step> steps() const noexcept { return steps_; }
    data_type type() const noexcept { return type_; }
    /// Of a step's tensor, mode by mode; none of other steps.
    const std::vector<label_t> &labels_of(std::size_t step) const noexcept {
        return step_labels_[step];
    }

    /// Checks what an execution gives for the steps: as many addresses as there are steps, or none
    /// if none is needed; no tensor may be null or share an element with D. A status names step n,
    /// from 0, by the letter 'a' + n.
    status check(std::span<const void *const> data, const void *d) const noexcept;

    /// Whether an element's address tells its position, so that products can apply the epilogue to
    /// the parts of D that they write.
    bool is_nested() const noexcept { return nested_; }
    /// Whether it takes no longer where products write D than in a pass over it. Products write D
    /// in narrow strips, in which large tensors are read slowly; modes that a product has fused, if
    /// they are short, are copied one by one; and a D that stays in a shared cache is read again as
    /// fast as a strip (measured: up to 1.3 times the time of a pass). What pays is not to read D
    /// from memory, and not to start a pass over a few elements.
    bool pays_in_products(const base::machine &machine, int threads) const noexcept;
    /// Whether a second-level cache holds all its tensors, so that they may be read in any order.
    bool is_small(const base::machine &machine) const noexcept;

    /// A mode of a copy of all of D: how far its positions are apart in D and in the copy.
    struct copied_mode {
        index_t extent, stride_in_d, stride;
    };
    using mode = gemm_impl::tensor_places::mode;
    /// Where the tensors' elements lie for those of a copy; empty if they cannot be followed. Of
    /// nested ones.
    std::optional<std::vector<mode>> places_in_copy(std::span<const copied_mode> modes) const;

    /// The offset in a step's tensor that goes with an offset in D. Of nested ones.
    index_t offset_of(std::size_t step, index_t offset_in_d) const noexcept;

    /// Predicted seconds of a pass over D, and of applying it where products write D.
    double pass_seconds(const base::machine &machine, const base::machine_rates &rates,
                        int threads) const noexcept;
    double fused_seconds(const base::machine &machine, const base::machine_rates &rates,
                         int threads) const noexcept;

    std::size_t footprint() const noexcept;

private:
    friend class bound_epilogue;

    void take_step(const contraction_step &given, const contraction_spec &spec,
                   std::vector<mode> &by_label);
    void arrange(std::vector<mode> by_label);
    double elements_of(std::size_t step) const noexcept;
    /// Bytes of D, read and written, and of the tensors.
    double moved_bytes() const noexcept;

    data_type type_;
    std::vector<epilogue_step> steps_;
    std::vector<std::vector<label_t>> step_labels_; ///< by step
    std::vector<layout> touched_; ///< by step: the elements of its tensor; none of other steps
    layout touched_d_;
    std::vector<label_t> labels_of_d_; ///< each once
    /// D's modes in falling order of stride, fused where all tensors can be followed as one.
    /// Strides of D are positive: the first element is the one with the lowest address.
    std::vector<mode> modes_;
    bool nested_ = false;
    index_t lowest_ = 0;                                ///< of D, in elements from its data pointer
    std::array<index_t, epilogue::most_steps> first_{}; ///< by step: of what goes with it
    std::optional<epilogue_pass> pass_;                 ///< none if D is empty
    std::optional<gemm_impl::fused_epilogue> fused_;    ///< none unless nested
};

/// The epilogue with the data of one execution. Both must outlive it.
class bound_epilogue {
public:
    /// The data has been checked.
    bound_epilogue(const planned_epilogue &plan, std::span<const void *const> data,
                   void *d) noexcept;
    /// The same for a copy of D that begins at `first`, whose places outlive it. Only for parts of
    /// the copy.
    bound_epilogue(const bound_epilogue &of_d, std::span<const planned_epilogue::mode> places,
                   void *first) noexcept;
    bound_epilogue(const bound_epilogue &) = delete;
    bound_epilogue &operator=(const bound_epilogue &) = delete;

    const planned_epilogue &plan() const noexcept { return plan_; }
    /// Applies it to any matrix that is a part of D. Of nested ones.
    const gemm_impl::fused_epilogue &fused() const noexcept { return *fused_; }
    /// Applies it to all of D, in one pass on up to `threads` threads.
    void pass(int threads) const noexcept;

    /// The operand of a step that goes with D's element at this offset, for plain loops.
    const void *operand_at(std::size_t step, index_t offset_in_d) const noexcept;
    const void *data(std::size_t step) const noexcept {
        return step < data_.size() ? data_[step] : nullptr;
    }

private:
    /// The operand that goes with D's lowest element, or the context of a function.
    const void *first_of(std::size_t step) const noexcept;

    const planned_epilogue &plan_;
    std::span<const void *const> data_;
    void *d_;
    std::optional<gemm_impl::fused_epilogue> fused_;
};

} // namespace tenfold::contract_impl
