#include "contract/front/one_shot.hpp"

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "contract/epilogues/epilogue_key.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::contract_impl {
namespace {

void add_path(base::plan_key &key, const path_steps &path) {
    key.add(path.size());
    for (const std::vector<int> &step : path) {
        key.add(step.size());
        for (const int position : step)
            key.add(static_cast<std::uint64_t>(position));
    }
}

/// What a spec says but for names, which are only for messages, and no plan of this file gives any;
/// but operands of one name count. Two labels share a word: their numbers are less than 2^31.
void add_spec(base::plan_key &key, const contraction_spec &spec) {
    const auto add_labels = [&](const std::vector<label_t> &labels) {
        key.add(labels.size());
        for (std::size_t k = 0; k < labels.size(); k += 2) {
            const auto first = static_cast<std::uint32_t>(labels[k]);
            const auto second =
                k + 1 < labels.size() ? static_cast<std::uint32_t>(labels[k + 1]) : 0;
            key.add(static_cast<std::uint64_t>(first) << 32 | second);
        }
    };
    key.add(spec.inputs.size());
    for (const std::vector<label_t> &labels : spec.inputs)
        add_labels(labels);
    add_labels(spec.output);
    key.add(std::bit_cast<std::uint64_t>(spec.scale.real()));
    key.add(std::bit_cast<std::uint64_t>(spec.scale.imag()));
    key.add(static_cast<std::uint64_t>(spec.operation) << 1 | (spec.broadcast ? 1 : 0));
    add_path(key, spec.path);
    for (const einsum_impl::shared_name &shared : einsum_impl::shared_names(spec)) {
        key.add(shared.first);
        key.add(shared.second);
    }
}

template <class T> std::uint64_t number_of(const std::optional<T> &choice) noexcept {
    return choice ? 1 + static_cast<std::uint64_t>(*choice) : 0;
}

template <std::size_t Count> std::uint64_t byte_of(const bool (&bits)[Count]) noexcept {
    static_assert(Count <= 8);
    std::uint64_t all = 0;
    for (const bool one : bits)
        all = all << 1 | (one ? 1 : 0);
    return all;
}

} // namespace

base::plan_key key_of(const one_shot &call) {
    base::plan_key key;
    const contract_options &options = call.options;
    // Nothing is measured inside a parallel region.
    const bool measures = options.tuning != tuning::estimate && !omp_in_parallel();
    const auto limit = options.workspace_limit;
    const std::array all{static_cast<std::uint64_t>(call.last),
                         static_cast<std::uint64_t>(options.algorithm),
                         static_cast<std::uint64_t>(options.tuning),
                         static_cast<std::uint64_t>(options.bf16_sums),
                         number_of(options.backend),
                         number_of(options.reproducible),
                         byte_of({options.f64_sums, options.diagonal_output, options.conj_output,
                                  options.broadcast, measures}),
                         byte_of({call.text.spec != nullptr, !options.path.empty(),
                                  limit.has_value(), options.epilogue != nullptr})};
    static_assert(all.size() <= sizeof(std::uint64_t), "a byte for each in one word");
    std::uint64_t choices = 0;
    for (const std::uint64_t one : all)
        choices = choices << 8 | one;
    key.add(choices);
    key.add(static_cast<std::uint64_t>(options.threads));
    key.add(static_cast<std::uint64_t>(limit.value_or(byte_count{}).value));
    key.add(call.wisdom_learned);
    if (!options.path.empty())
        add_path(key, options.path);
    if (options.epilogue != nullptr)
        add_epilogue(key, *options.epilogue, call.text.spec);
    if (call.text.spec != nullptr)
        add_spec(key, *call.text.spec);
    else
        key.add(call.text.expression);
    key.add(call.tensors.size());
    for (const argument &one : call.tensors)
        one.add_to(key);
    call.d.add_to(key);
    return key;
}

} // namespace tenfold::contract_impl
