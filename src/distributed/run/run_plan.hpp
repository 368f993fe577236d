// One planned contraction of a call, which may have more of them.
#pragma once

#include <memory>
#include <optional>

#include <tenfold/dist_async.hpp>
#include <tenfold/dist_mixed.hpp>

#include "base/function_ref.hpp"
#include "distributed/plan/planning.hpp"
#include "distributed/run/local_epilogue.hpp"

namespace tenfold::dist_impl {

/// Returns `options` with the context's settings for reproducible results and backend where they
/// are not set. Sums of integers are the same in any case.
dist_options resolved(dist_options options, const any_dist_tensor &r);

/// Returns `options` with the number of threads for local contractions on this rank, and with the
/// world's nodes, where they are not set. The caller's context may set another number of threads
/// than the environment, from which the world took its own.
dist_options in_world(dist_options options, const world &where);

/// What a contraction does beside its plan.
struct plan_use {
    scale_factors factors;
    const context *ctx = nullptr; ///< the caller's, or null
    const local_epilogue *finish = nullptr;
    int threads = 1; ///< of the epilogue
};

/// The type in which results for `r` are summed, and of alpha and beta. What is only moved to `r`
/// may be computed with in a wider one, the plan's.
inline data_type type_of_sums(const any_dist_tensor &r) noexcept { return output_type_of(r.type); }

/// The epilogue of a call on this rank, if it has one.
void plan_epilogue(std::optional<local_epilogue> &finish, const contraction_spec &spec,
                   const any_dist_tensor &r, const dist_options &options);

/// Throws errc::invalid_argument if copies of the output may differ and remain so, or are read.
/// Every element is written in all copies unless D is kept, or written on a diagonal only.
void check_output(const any_dist_tensor &r, const contraction_spec &spec,
                  const scale_factors &factors);

/// Collective. Redistributes the operands, gathers panels, multiplies, sums and redistributes the
/// result (docs/distribution.md). If one rank throws, all throw, before data moves; if the caller
/// watches (base/work.hpp), errc::stopped may also come later. `b` is null for one input.
dist_report run_plan(const dist_plan &plan, const plan_use &use, const any_dist_tensor &a,
                     const any_dist_tensor *b, const any_dist_tensor &r);

/// A contraction on whose plan ranks have agreed. Stays where it is.
struct agreed_contraction {
    /// `second` is null with one input.
    agreed_contraction(const any_dist_tensor &first, const any_dist_tensor *second,
                       const any_dist_tensor &output)
        : a(first), r(output) {
        if (second != nullptr)
            b = *second;
    }

    any_dist_tensor a, r;
    std::optional<any_dist_tensor> b;
    std::optional<dist_plan> plan;
    std::optional<local_epilogue> finish;
    scale_factors factors;
    dist_options options;

    const any_dist_tensor *second() const noexcept { return b ? &*b : nullptr; }
    plan_use use() const noexcept {
        return {factors, options.ctx, finish ? &*finish : nullptr, options.threads};
    }
};
/// Collective. The same in two parts: A and B travel in the background until wait(), which does the
/// rest.
std::unique_ptr<pending_result<dist_report>> start_plan(std::unique_ptr<agreed_contraction> agreed);

/// The inputs of a call, by number.
struct numbered_inputs {
    std::size_t count;
    base::function_ref<any_input(std::size_t)> at;
};
/// Collective. As contract() of any number of inputs.
dist_sequence_report contract_all(std::string_view expression, const numbered_inputs &inputs,
                                  const any_dist_tensor &r, const dist_options &options);

} // namespace tenfold::dist_impl
