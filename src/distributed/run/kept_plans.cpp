#include "distributed/run/kept_plans.hpp"

#include <bit>
#include <optional>

namespace tenfold::dist_impl {
namespace {

template <class T> std::uint64_t number_of(const std::optional<T> &choice) noexcept {
    return choice ? 1 + static_cast<std::uint64_t>(*choice) : 0;
}

void add_limit(base::plan_key &key, const std::optional<byte_count> &limit) {
    key.add(limit.has_value());
    key.add(static_cast<std::uint64_t>(limit.value_or(byte_count{}).value));
}

template <class Groups> void add_groups(base::plan_key &key, const std::optional<Groups> &groups) {
    key.add(groups.has_value());
    if (groups)
        for (const index_t one :
             {index_t{groups->batch}, index_t{groups->m}, index_t{groups->n}, index_t{groups->k}})
            key.add(static_cast<std::uint64_t>(one));
}

void add_spread(base::plan_key &key, const distribution &spread) {
    key.add(spread.extents().size());
    for (const index_t extent : spread.extents())
        key.add(static_cast<std::uint64_t>(extent));
    for (const int parts : spread.grid())
        key.add(static_cast<std::uint64_t>(parts));
    key.add(static_cast<std::uint64_t>(spread.ranks()));
    key.add(static_cast<std::uint64_t>(spread.copies()));
    for (const int rank : spread.rank_of_cell()) // as many as the grid has cells in all copies
        key.add(static_cast<std::uint64_t>(rank));
}

} // namespace

base::plan_key key_of(const planned_call &call, plan_kind kind) {
    // Keys of single-node plans, in the same cache, begin with smaller numbers.
    constexpr std::uint64_t distributed = std::uint64_t{1} << 63;
    base::plan_key key;
    const dist_options &options = call.options;
    std::uint64_t choices = 0;
    for (const std::uint64_t one :
         {static_cast<std::uint64_t>(options.algorithm), static_cast<std::uint64_t>(options.tuning),
          number_of(options.backend), number_of(options.reproducible)})
        choices = choices << 8 | one;
    for (const bool one : {options.diagonal_output, options.conj_a, options.conj_b,
                           call.factors.multiplies, call.factors.keeps_a, call.factors.adds,
                           call.factors.keeps_d, kind == plan_kind::sequence})
        choices = choices << 1 | (one ? 1 : 0);
    key.add(distributed | choices);
    key.add(static_cast<std::uint64_t>(options.threads));
    key.add(static_cast<std::uint64_t>(options.ranks_per_node));
    add_limit(key, options.workspace_limit);
    add_limit(key, options.memory_per_rank);
    add_groups(key, options.grid);
    add_groups(key, options.step);
    for (const base::rate &one : base::all_rates())
        key.add(std::bit_cast<std::uint64_t>(call.price.rates.*one.value));
    key.add(static_cast<std::uint64_t>(call.price.threads));
    key.add(call.expression);
    key.add(call.operands.size());
    for (const data_type type : call.types)
        key.add(static_cast<std::uint64_t>(type));
    for (const distribution *spread : call.operands)
        add_spread(key, *spread);
    for (const bool one : call.conjugated)
        key.add(one);
    return key;
}

} // namespace tenfold::dist_impl
