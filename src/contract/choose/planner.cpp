#include "contract/choose/planner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contract/choose/planning.hpp"
#include "contract/epilogues/finished_candidate.hpp"
#include "contract/products/integers.hpp"
#include "contract/products/real_factor.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::contract_impl {
namespace {

/// The options of a problem in which something is multiplied, kind by kind.
std::vector<option> offered(const einsum_impl::contraction_problem &problem,
                            const plan_environment &environment, std::size_t of_each) {
    const auto kinds = all_kinds();
    std::vector<option> all;
    all.reserve(kinds.size());
    planning with(problem, environment, of_each);
    const bool only_cheapest = environment.only_cheapest();
    for (const candidate_kind *kind : kinds) {
        if (only_cheapest && kind->last_resort && with.most_seconds < INFINITY)
            continue;
        const std::size_t before = all.size();
        offers made(*kind, all);
        kind->offer(with, made);
        for (std::size_t i = before; i < all.size(); ++i)
            all[i].choice = with_epilogue(std::move(all[i].choice), environment);
        // What copies and takes as long as another that copies less is not chosen.
        for (std::size_t i = before; only_cheapest && i < all.size(); ++i)
            if (all[i].choice != nullptr && kind->copies == copying::nothing && !kind->last_resort)
                with.most_seconds = std::min(with.most_seconds, all[i].choice->seconds());
    }
    return all;
}

/// Impossible ones last.
void sort_cheapest_first(std::vector<option> &all) {
    std::stable_sort(all.begin(), all.end(), [](const option &x, const option &y) {
        if ((x.choice == nullptr) != (y.choice == nullptr))
            return x.choice != nullptr;
        if (x.choice == nullptr)
            return false;
        const bool x_last = x.kind->last_resort, y_last = y.kind->last_resort;
        return x_last != y_last ? y_last : x.choice->seconds() < y.choice->seconds();
    });
}

} // namespace

const candidate_kind &kind_of(algorithm which) noexcept {
    const auto kinds = all_kinds();
    return **std::find_if(kinds.begin(), kinds.end(),
                          [which](const candidate_kind *one) { return one->algorithm == which; });
}

std::vector<option> enumerate_candidates(const einsum_impl::contraction_problem &problem,
                                         const plan_environment &environment, std::size_t of_each) {
    if (problem.empty_output() || problem.empty_sum()) {
        // Nothing is multiplied: every algorithm is as good as any other.
        std::vector<option> all;
        const candidate_ptr plain_loops = with_epilogue(make_plain_loops(problem), environment);
        for (const candidate_kind *kind : all_kinds())
            all.push_back({kind, plain_loops, {}});
        return all;
    }

    std::vector<option> all;
    if (is_integer(problem.computed)) {
        all = integer_options(problem, environment);
        for (option &one : all)
            one.choice = with_epilogue(std::move(one.choice), environment);
    } else {
        all = offered(problem, environment, of_each);
    }
    if (const auto complex = with_c_in_d(problem)) {
        plan_environment plain = environment;
        plain.finish = nullptr; // the whole is followed by the epilogue
        const einsum_impl::contraction_problem real = as_real_numbers(*complex);
        real_factor_options made{complex, offered(real, plain, of_each),
                                 offered(*complex, plain, of_each)};
        sort_cheapest_first(made.general);
        add_real_options(all, std::move(made), environment, of_each == 1);
    }
    sort_cheapest_first(all);
    return all;
}

} // namespace tenfold::contract_impl
