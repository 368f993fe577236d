#include "contract/ttgt.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <tenfold/transpose.hpp>

#include "base/checked.hpp"
#include "base/workspace.hpp"
#include "contract/arrangement.hpp"
#include "contract/gemm_nest.hpp"
#include "contract/ones.hpp"
#include "contract/vector_loops.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

extents_t extents_of(const mode_group &modes) {
    extents_t extents;
    for (const problem_mode &mode : modes)
        extents.push_back(mode.extent);
    return extents;
}

extents_t strides_of(const mode_group &modes, tensor_id tensor) {
    extents_t strides;
    for (const problem_mode &mode : modes)
        strides.push_back(mode.stride[tensor]);
    return strides;
}

/// Throws errc::overflow: converting to a wider type may need more bytes than the tensor has.
index_t workspace_for(index_t elements, data_type type) {
    constexpr const char *what = "workspace of a transposed tensor";
    const index_t exact = base::checked_multiply(elements, size_of(type), what);
    return base::aligned_bytes(base::checked_add(exact, base::workspace_alignment, what) -
                               base::workspace_alignment);
}

double transpose_seconds(const relocation &move, data_type from, const cost_model &model,
                         int threads) {
    const double read =
        static_cast<double>(move.elements) * static_cast<double>(extent_of(move.summed));
    return model.transpose_seconds(read, size_of(from), move.keeps_fast_mode, false, threads);
}

/// From the tensor's place into workspace.
transpose_plan plan_move(const relocation &move, tensor_id tensor, data_type from, data_type to,
                         const plan_environment &environment, bool back) {
    std::vector<int> identity;
    for (std::size_t k = 0; k < move.modes.size(); ++k)
        identity.push_back(static_cast<int>(k));
    transpose_options options;
    options.threads = environment.threads;
    options.ctx = environment.ctx;
    const layout outside(extents_of(move.modes), strides_of(move.modes, tensor));
    const layout inside(extents_of(move.modes), move.new_stride);
    if (back)
        return transpose_plan(identity, to, inside, from, outside, false, options);
    return transpose_plan(identity, from, outside, to, inside, false, options);
}

/// Sums modes away while moving: a product with the constant 1.
candidate_ptr plan_sum(const relocation &move, tensor_id tensor, data_type type,
                       const cost_model &model, const plan_environment &environment) {
    matrix_problem problem;
    problem.type = type;
    for (std::size_t k = 0; k < move.modes.size(); ++k)
        problem.m.push_back({move.modes[k].extent,
                             {move.modes[k].stride[tensor], 0, 0, move.new_stride[k]},
                             move.modes[k].label});
    for (const problem_mode &mode : move.summed)
        problem.k.push_back({mode.extent, {mode.stride[tensor], 0, 0, 0}, mode.label});
    problem = fused(std::move(problem));
    const gemm_nest nest = best_nest(problem, model, environment);
    candidate_ptr loops = make_vector_loops(problem, model, environment);
    return nest.seconds < loops->seconds() ? make_gemm_loop(problem, nest, environment) : loops;
}

/// One operand's way into workspace.
class input_move {
public:
    input_move(const relocation &move, tensor_id tensor, data_type from, data_type to,
               const cost_model &model, const plan_environment &environment)
        : bytes_(workspace_for(move.elements, to)), type_(to) {
        if (move.summed.empty())
            permute_ = plan_move(move, tensor, from, to, environment, false);
        else
            sum_ = plan_sum(move, tensor, from, model, environment);
    }

    index_t moved_bytes() const noexcept { return bytes_; }
    index_t scratch_bytes() const noexcept {
        return sum_ == nullptr ? 0 : base::aligned_bytes(sum_->workspace().value);
    }

    /// Returns where the operand lies afterwards.
    const void *run(const void *from, base::arena &memory, std::byte *scratch) const noexcept {
        auto *to = memory.take<std::byte>(bytes_);
        if (sum_ != nullptr) {
            sum_->execute(1.0, from, one(type_), 0.0, to, to, scratch);
            return to;
        }
        // Pointers and overlap were checked for the whole contraction: this cannot fail.
        static_cast<void>(permute_->execute(1.0, from, 0.0, to));
        return to;
    }

private:
    std::optional<transpose_plan> permute_;
    candidate_ptr sum_;
    index_t bytes_;
    data_type type_;
};

class ttgt final : public candidate {
public:
    ttgt(const contraction_problem &problem, const arrangement &choice,
         const arranged_problem &arranged, const gemm_nest &nest, double seconds,
         const cost_model &model, const plan_environment &environment)
        : product_(make_gemm_loop(arranged.matrices, nest, environment)), seconds_(seconds) {
        const data_type type = problem.type[D];
        index_t scratch = base::aligned_bytes(product_->workspace().value);
        index_t moved = 0;
        for (const tensor_id tensor : {A, B})
            if (choice.move[tensor]) {
                moves_[tensor].emplace(arranged.moves[tensor], tensor, problem.type[tensor], type,
                                       model, environment);
                moved = base::checked_add(moved, moves_[tensor]->moved_bytes(),
                                          "workspace of all transposed tensors");
                scratch = std::max(scratch, moves_[tensor]->scratch_bytes());
                text_ += std::string("move ") + einsum_impl::letter(tensor) +
                         (arranged.moves[tensor].summed.empty() ? "" : " (summing)") + " to " +
                         name_of(arranged.moves[tensor].modes) + ", ";
            }
        text_ += product_->describe();
        if (choice.move[arranged_d]) {
            const relocation &move = arranged.moves[arranged_d];
            back_ = plan_move(move, D, type, type, environment, true);
            output_bytes_ = workspace_for(move.elements, type);
            text_ += ", move D from " + name_of(move.modes);
        }
        constexpr const char *what = "workspace of all transposed tensors";
        workspace_ =
            bytes(base::checked_add(base::checked_add(moved, output_bytes_, what), scratch, what));
    }

    tenfold::algorithm algorithm() const noexcept override { return algorithm::ttgt; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return workspace_; }
    std::string describe() const override { return text_; }

    void execute(scalar alpha, const void *a, const void *b, scalar beta, const void *, void *d,
                 std::byte *workspace) const noexcept override {
        base::arena memory({workspace, static_cast<std::size_t>(workspace_.value)});
        const std::size_t moved =
            static_cast<std::size_t>(moved_bytes(A) + moved_bytes(B) + output_bytes_);
        std::byte *const scratch = workspace + moved;
        if (moves_[A])
            a = moves_[A]->run(a, memory, scratch);
        if (moves_[B])
            b = moves_[B]->run(b, memory, scratch);
        if (!back_) {
            product_->execute(alpha, a, b, beta, d, d, scratch);
            return;
        }
        auto *product = memory.take<std::byte>(output_bytes_);
        product_->execute(alpha, a, b, 0.0, product, product, scratch);
        static_cast<void>(back_->execute(1.0, product, beta, d));
    }

private:
    index_t moved_bytes(tensor_id tensor) const noexcept {
        return moves_[tensor] ? moves_[tensor]->moved_bytes() : 0;
    }
    static std::string name_of(const mode_group &modes) {
        return modes.empty() ? "a scalar" : einsum_impl::labels_of(modes);
    }

    std::array<std::optional<input_move>, 2> moves_; ///< A, B
    candidate_ptr product_;
    std::optional<transpose_plan> back_; ///< D = product + beta D
    index_t output_bytes_ = 0;
    byte_count workspace_;
    double seconds_;
    std::string text_;
};

/// An arrangement with everything that its price was computed from.
struct priced_arrangement {
    arrangement choice;
    arranged_problem arranged;
    gemm_nest product;
    double seconds;
};

/// Empty if it takes `most` seconds or longer.
std::optional<priced_arrangement> price(const contraction_problem &problem,
                                        const arrangement &choice, const cost_model &model,
                                        const plan_environment &environment, double most) {
    priced_arrangement one{choice, arrange(problem, choice), {}, 0};
    for (const std::size_t moved : {std::size_t{A}, std::size_t{B}, arranged_d})
        if (choice.move[moved])
            one.seconds +=
                transpose_seconds(one.arranged.moves[moved],
                                  problem.type[moved == arranged_d ? std::size_t{D} : moved], model,
                                  environment.pricing_threads());
    if (one.seconds >= most)
        return std::nullopt; // however fast the product is
    one.product = best_nest(one.arranged.matrices, model, environment);
    one.seconds += one.product.seconds;
    return one.seconds < most ? std::optional(std::move(one)) : std::nullopt;
}

} // namespace

candidate_ptr make_ttgt(const contraction_problem &problem, const cost_model &model,
                        const plan_environment &environment) {
    const auto build = [&](const priced_arrangement &from, const plan_environment &with) {
        return std::make_shared<ttgt>(problem, from.choice, from.arranged, from.product,
                                      from.seconds, model, with);
    };
    // Workspace grows with the threads, and a reproducible choice must not depend on them.
    plan_environment pricing = environment;
    pricing.threads = environment.pricing_threads();
    const bool limited = environment.workspace_limit < byte_count{INT64_MAX};

    std::optional<priced_arrangement> best, smallest;
    byte_count least{INT64_MAX};
    for (const arrangement &choice : enumerate_arrangements(problem)) {
        auto one = price(problem, choice, model, environment,
                         best ? best->seconds : std::numeric_limits<double>::infinity());
        if (!one)
            continue;
        const byte_count needed = limited ? build(*one, pricing)->workspace() : byte_count{0};
        if (needed <= environment.workspace_limit) {
            best = std::move(one);
        } else if (needed < least) {
            least = needed;
            smallest = std::move(one);
        }
    }
    if (!best)
        best = std::move(smallest); // does not fit, but tells what would
    return best ? build(*best, environment) : nullptr;
}

} // namespace tenfold::contract_impl
