#include "contract/choose/wisdom.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;

} // namespace

std::string choice_name(const candidate &one) {
    return std::string(name(one.algorithm())) + ": " + one.describe();
}

std::string wisdom_key(const einsum_impl::contraction_problem &problem,
                       const plan_environment &environment, algorithm requested) {
    const auto input = [&](einsum_impl::tensor_id t) {
        const std::string type(name(problem.type[t]));
        return problem.conjugate[t] ? "conj(" + type + ")" : type;
    };
    std::string key = input(A) + (problem.unary ? "" : " * " + input(B)) + " -> " +
                      std::string(name(problem.type[D]));
    if (problem.computed != problem.type[D])
        key += " in " + std::string(name(problem.computed));
    for (const std::string_view part :
         {name(requested), name(environment.backend), name(environment.ctx->isa())})
        key += ", " + std::string(part);
    key += ", " + std::to_string(environment.threads) +
           (environment.threads == 1 ? " thread" : " threads");
    if (environment.workspace_limit < byte_count{INT64_MAX})
        key += ", at most " + std::to_string(environment.workspace_limit.value) + " bytes";
    const std::pair<const char *, const einsum_impl::mode_group *> groups[] = {
        {"batch", &problem.batch}, {"m", &problem.m},          {"n", &problem.n},
        {"k", &problem.k},         {"a", &problem.isolated_a}, {"b", &problem.isolated_b}};
    for (const auto &[title, group] : groups) {
        if (group->empty())
            continue;
        key += std::string(", ") + title;
        for (const einsum_impl::problem_mode &mode : *group) {
            key += " " + std::to_string(mode.extent);
            for (const einsum_impl::tensor_id t : einsum_impl::all_but_c)
                key += ":" + std::to_string(mode.stride[t]);
        }
    }
    return key;
}

} // namespace tenfold::contract_impl
