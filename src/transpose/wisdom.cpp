#include "transpose/wisdom.hpp"

namespace tenfold::transpose_impl {

void wise_choice::write(tuning_impl::wisdom_entry &entry) const {
    const schedule_options defaults;
    auto &numbers = entry.choices.emplace();
    for (const choice &one : all_choices())
        if (choices.*one.field != defaults.*one.field)
            numbers[one.name] = choices.*one.field;
}

std::string wise_choice::read(const tuning_impl::wisdom_entry &entry) {
    if (!entry.choices)
        return tuning_impl::damaged("choices");
    for (const choice &one : all_choices()) {
        const auto found = entry.choices->find(one.name);
        if (found == entry.choices->end())
            continue;
        const std::optional<index_t> &number = found->second;
        if (!number || *number < one.least || *number > one.most)
            return tuning_impl::damaged(one.name);
        choices.*one.field = *number;
    }
    return {};
}

std::string wisdom_key(const reduced_problem &problem, const movement &how, bool conjugate,
                       isa set) {
    std::string key = std::string(name(how.type_a)) + " -> " + std::string(name(how.type_b));
    key += conjugate ? ", conjugated" : "";
    key += how.accumulates ? ", accumulates, " : ", overwrites, ";
    key += std::string(name(set)) + ", " + std::to_string(how.threads) +
           (how.threads == 1 ? " thread," : " threads,");
    for (const mode &one : problem.modes)
        key += " " + std::to_string(one.extent) + ":" + std::to_string(one.stride_a) + ":" +
               std::to_string(one.stride_b);
    return key;
}

} // namespace tenfold::transpose_impl
