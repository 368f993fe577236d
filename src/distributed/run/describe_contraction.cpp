#include "distributed/run/describe_contraction.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/context_of.hpp"
#include "distributed/run/local_epilogue.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::dist_impl {
namespace {

void describe_limit(call_description &call, std::string_view what,
                    const std::optional<byte_count> &limit) {
    if (limit)
        call.add(what, std::to_string(limit->value) + " bytes");
    else
        call.add(what, "none");
}

/// "2x1x1x4", or "free": of batch, m, n and k.
template <class Groups> void describe_groups(call_description &call, std::string_view what,
                                             const std::optional<Groups> &groups) {
    if (!groups) {
        call.add(what, "free");
        return;
    }
    std::string text;
    for (const index_t one :
         {index_t{groups->batch}, index_t{groups->m}, index_t{groups->n}, index_t{groups->k}})
        text.append(text.empty() ? "" : "x").append(std::to_string(one));
    call.add(what, text);
}

} // namespace

void passed_tensors::check_shared_names(const contraction_spec &spec) const {
    for (const einsum_impl::shared_name &shared : einsum_impl::shared_names(spec))
        if (addresses[shared.first] != addresses[shared.second])
            einsum_impl::refuse_two_tensors(einsum_impl::text_of(spec), spec.inputs.size(), shared,
                                            "two distributed tensors were passed");
}

std::vector<distribution> passed_tensors::copies() const {
    std::vector<distribution> operands;
    for (const distribution *spread : spreads)
        operands.push_back(*spread);
    return operands;
}

void describe_contraction(call_description &call, std::string_view expression,
                          const passed_tensors &tensors, const dist_options &options) {
    const std::vector<data_type> &types = tensors.types;
    std::string type_names(name(types.front()));
    if (std::any_of(types.begin(), types.end(),
                    [&](data_type one) { return one != types.front(); }))
        for (std::size_t i = 1; i < types.size(); ++i)
            type_names.append(", ").append(name(types[i]));
    call.add_quoted("expression", expression).add("type", type_names);
    const std::size_t count = tensors.spreads.size();
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_output = i + 1 == count;
        const std::string letter(1, is_output ? 'D' : static_cast<char>('A' + i));
        call.add_tensor(is_output || count <= 3 ? letter : "input " + std::to_string(i + 1),
                        *tensors.spreads[i], tensors.numbers[i]);
    }
    if (options.beta)
        call.add("beta", *options.beta);
    else
        call.add("beta", "default");
    call.add("alpha", options.alpha)
        .add("conj_a", options.conj_a)
        .add("conj_b", options.conj_b)
        .add("diagonal_output", options.diagonal_output)
        .add("algorithm", name(options.algorithm))
        .add("tuning", static_cast<int>(options.tuning))
        .add("backend", options.backend ? name(*options.backend) : "default");
    describe_limit(call, "workspace_limit", options.workspace_limit);
    describe_limit(call, "memory_per_rank", options.memory_per_rank);
    describe_groups(call, "grid", options.grid);
    describe_groups(call, "step", options.step);
    call.add("ranks_per_node", options.ranks_per_node);
    call.add("reproducible", options.reproducible.value_or(false))
        .add("epilogue", describe_epilogue(options.epilogue));
    if (options.reproducible.value_or(false)) // kernels of other instruction sets round otherwise
        call.add("instruction set", name(base::context_of(options).isa()));
}

} // namespace tenfold::dist_impl
