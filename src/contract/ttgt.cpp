#include "contract/ttgt.hpp"

#include <algorithm>
#include <optional>

#include <tenfold/transpose.hpp>

#include "base/checked.hpp"
#include "base/workspace.hpp"
#include "contract/arrangement.hpp"
#include "contract/gemm_nest.hpp"
#include "contract/moves.hpp"
#include "contract/shortlist.hpp"

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

double transpose_seconds(const relocation &move, data_type from, const cost_model &model,
                         int threads) {
    const double read =
        static_cast<double>(move.elements) * static_cast<double>(extent_of(move.summed));
    return model.transpose_seconds(read, size_of(from), move.keeps_fast_mode, false, threads);
}

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
                         name_of(arranged.moves[tensor]) + ", ";
            }
        text_ += product_->describe();
        if (choice.move[arranged_d]) {
            const relocation &move = arranged.moves[arranged_d];
            back_ = plan_move_back(move, type, environment);
            output_bytes_ = workspace_for(move.elements, type);
            text_ += ", move D from " + name_of(move);
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
            a = relocated(*moves_[A], a, memory, scratch);
        if (moves_[B])
            b = relocated(*moves_[B], b, memory, scratch);
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
    /// Returns where the operand lies afterwards.
    static const void *relocated(const input_move &move, const void *from, base::arena &memory,
                                 std::byte *scratch) noexcept {
        auto *to = memory.take<std::byte>(move.moved_bytes());
        move.run(from, to, scratch);
        return to;
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

std::vector<candidate_ptr> ttgt_candidates(const contraction_problem &problem,
                                           const cost_model &model,
                                           const plan_environment &environment, std::size_t most) {
    const auto build = [&](const priced_arrangement &from, const plan_environment &with) {
        return std::make_shared<ttgt>(problem, from.choice, from.arranged, from.product,
                                      from.seconds, model, with);
    };
    // Workspace grows with the threads, and a reproducible choice must not depend on them.
    plan_environment pricing = environment;
    pricing.threads = environment.pricing_threads();
    const bool limited = environment.workspace_limit < byte_count{INT64_MAX};

    shortlist<priced_arrangement> best(most);
    std::optional<priced_arrangement> smallest;
    byte_count least{INT64_MAX};
    for (const arrangement &choice : enumerate_arrangements(problem)) {
        auto one = price(problem, choice, model, environment, best.most_seconds());
        if (!one)
            continue;
        const byte_count needed = limited ? build(*one, pricing)->workspace() : byte_count{0};
        if (needed <= environment.workspace_limit) {
            best.add(std::move(*one));
        } else if (needed < least) {
            least = needed;
            smallest = std::move(one);
        }
    }
    if (best.items().empty() && smallest)
        best.add(std::move(*smallest)); // does not fit, but tells what would
    std::vector<candidate_ptr> built;
    for (const priced_arrangement &one : best.items())
        built.push_back(build(one, environment));
    return built;
}

} // namespace tenfold::contract_impl
