#include "contract/wisdom.hpp"

#include "base/kept_file.hpp"
#include "base/wisdom_file.hpp"

namespace tenfold::contract_impl {
namespace {

using base::member;
using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using nlohmann::json;

json to_json(const wise_choice &from) {
    json entry = {{"choice", from.choice}};
    base::write(from, entry);
    return entry;
}

/// What is wrong with an entry; empty: nothing.
std::string from_json(const json &value, wise_choice &into) {
    const json *choice = member(value, "choice");
    if (choice == nullptr || !choice->is_string())
        return base::damaged("choice");
    into.choice = choice->get<std::string>();
    return base::read(value, into);
}

} // namespace

wisdom::wisdom(std::string file, std::string cpu, std::string version)
    : kept_(std::make_unique<base::wisdom_file>(std::move(file), std::move(cpu), std::move(version),
                                                "contract")) {}
wisdom::~wisdom() = default;

wisdom *wisdom::of(const context &ctx) { return base::wisdom_of<wisdom>(ctx); }

const std::string &wisdom::file() const noexcept { return kept_->file(); }

wisdom::answer wisdom::look_up(const std::string &problem) const {
    const base::wisdom_file::answer known = kept_->look_up(problem);
    if (!known.entry)
        return {std::nullopt, known.fault};
    wise_choice choice;
    if (const std::string fault = from_json(*known.entry, choice); !fault.empty())
        return {std::nullopt, file() + ": " + fault};
    return {std::move(choice), {}};
}

std::string wisdom::remember(const std::string &problem, const wise_choice &choice) {
    return kept_->remember(problem, to_json(choice));
}

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
            for (const einsum_impl::tensor_id t : {A, B, D})
                key += ":" + std::to_string(mode.stride[t]);
        }
    }
    return key;
}

} // namespace tenfold::contract_impl
