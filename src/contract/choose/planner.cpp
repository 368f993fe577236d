#include "contract/choose/planner.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "contract/products/gemm_nest.hpp"
#include "contract/products/permute.hpp"
#include "contract/products/vector_loops.hpp"
#include "contract/reference/reference.hpp"
#include "contract/tiles/arrangement.hpp"
#include "contract/tiles/tile_search.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::contraction_problem;
using einsum_impl::D;

/// The reference as a candidate: always possible, but chosen only on request or if there is nothing
/// to multiply.
class reference_candidate final : public candidate {
public:
    explicit reference_candidate(const contraction_problem &problem) : loops_(problem) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::reference; }
    double seconds() const noexcept override {
        constexpr double seconds_per_product = 2e-9;
        return seconds_per_product * static_cast<double>(einsum_impl::extent_of(loops_.free)) *
               static_cast<double>(einsum_impl::extent_of(loops_.summed));
    }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "plain nested loops"; }

    bool reads_any_c() const noexcept override { return true; }
    void execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c, void *d,
                 std::byte *) const noexcept override {
        reference_contract(loops_, alpha, a, b, beta, c, d);
    }

private:
    reference_loops loops_;
};

/// Catches the overflow if workspace is too large to count; other algorithms remain.
template <class Make> option unless_too_large(algorithm which, Make make) {
    try {
        return {which, make(), ""};
    } catch (const error &too_large) {
        if (too_large.code() != errc::overflow)
            throw;
        return {which, nullptr, too_large.what()};
    }
}

/// GEMM on the data in place, alone or in loops, whichever the shape allows.
void add_products(std::vector<option> &all, const matrix_problem &problem, const cost_model &model,
                  const plan_environment &environment) {
    const gemm_nest nest = best_nest(problem, model, environment);
    const algorithm possible = nest.looped() ? algorithm::gemm_loop : algorithm::direct;
    for (const algorithm one : {algorithm::direct, algorithm::gemm_loop}) {
        if (one == possible)
            all.push_back(
                unless_too_large(one, [&] { return make_gemm_loop(problem, nest, environment); }));
        else
            all.push_back({one, nullptr,
                           nest.looped() ? "the tensors do not lie like three matrices"
                                         : "there is nothing to loop over"});
    }
}

void add_natively_multiplying(std::vector<option> &all, const contraction_problem &problem,
                              const cost_model &model, const plan_environment &environment) {
    if (candidate_ptr permute = make_permute(problem, model, environment)) {
        all.push_back({algorithm::direct, std::move(permute), ""});
        for (const algorithm one : {algorithm::gemm_loop, algorithm::loops})
            all.push_back({one, nullptr, "one input and no sum: there is nothing to multiply"});
        return;
    }
    const matrix_problem matrices = matrix_problem_of(problem);
    add_products(all, matrices, model, environment);
    all.push_back({algorithm::loops, make_vector_loops(matrices, model, environment), ""});
}

void add_tiled(std::vector<option> &all, algorithm which, const std::vector<tiled_form> &forms,
               const char *impossible, const contraction_problem &problem, const cost_model &model,
               const plan_environment &environment) {
    if (forms.empty())
        all.push_back({which, nullptr, impossible});
    for (const tiled_form &form : forms)
        all.push_back(
            unless_too_large(which, [&] { return make_tiled(problem, form, model, environment); }));
}

/// TTGT and fused packing.
void add_moving(std::vector<option> &all, const contraction_problem &problem,
                const cost_model &model, const plan_environment &environment, std::size_t of_each) {
    if (problem.unary && multiplies_natively(problem.type[A])) {
        for (const algorithm one : {algorithm::ttgt, algorithm::fused})
            all.push_back({one, nullptr, "one input: there is nothing to multiply"});
        return;
    }
    const tiled_forms forms = best_tiled_forms(problem, model, environment, of_each);
    add_tiled(all, algorithm::ttgt, forms.ttgt, "there is nothing to move", problem, model,
              environment);
    add_tiled(all, algorithm::fused, forms.fused,
              problem.unary ? "one input: there is nothing to multiply"
                            : "no tile of the tensors fits the cache",
              problem, model, environment);
}

} // namespace

std::vector<option> enumerate_candidates(const contraction_problem &problem,
                                         const plan_environment &environment, std::size_t of_each) {
    std::vector<option> all;
    const auto plain_loops = std::make_shared<reference_candidate>(problem);
    all.push_back({algorithm::reference, plain_loops, ""});
    if (problem.empty_output() || problem.empty_sum()) {
        // Nothing is multiplied, so all algorithms are equivalent.
        for (const algorithm one : {algorithm::fused, algorithm::ttgt, algorithm::loops,
                                    algorithm::gemm_loop, algorithm::direct})
            all.insert(all.begin(), {one, plain_loops, ""});
        return all;
    }

    // A reproducible choice must depend neither on the number of threads nor on measurements.
    const context &ctx = *environment.ctx;
    const cost_model model(problem.type[D], ctx.isa(),
                           environment.reproducible ? machine_rates::typical_of(ctx.isa())
                                                    : ctx.rates(),
                           ctx.machine());
    const bool native = multiplies_natively(problem.type[A]);
    if (native) {
        add_natively_multiplying(all, problem, model, environment);
    } else {
        for (const algorithm one : {algorithm::direct, algorithm::gemm_loop, algorithm::loops})
            all.push_back({one, nullptr,
                           std::string(name(problem.type[A])) + " is converted before it is "
                                                                "multiplied"});
    }
    add_moving(all, problem, model, environment, of_each);

    std::stable_sort(all.begin(), all.end(), [](const option &x, const option &y) {
        if ((x.choice == nullptr) != (y.choice == nullptr))
            return x.choice != nullptr;
        if (x.choice == nullptr)
            return false;
        const bool x_last = x.algorithm == algorithm::reference;
        const bool y_last = y.algorithm == algorithm::reference;
        return x_last != y_last ? y_last : x.choice->seconds() < y.choice->seconds();
    });
    return all;
}

} // namespace tenfold::contract_impl
