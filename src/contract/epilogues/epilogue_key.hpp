// What a kept plan depends on in its epilogue.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/einsum.hpp>

#include "base/plan_cache.hpp"

namespace tenfold::contract_impl {

/// Adds all but the data. Its labels are names, which a spec, if there is one, gives to numbers.
inline void add_epilogue(base::plan_key &key, const contraction_epilogue &epilogue,
                         const contraction_spec *spec) {
    if (spec != nullptr)
        for (const std::string &name : spec->label_names)
            key.add(name);
    key.add(epilogue.steps().size());
    for (const contraction_step &step : epilogue.steps()) {
        const epilogue_step &one = step.operation;
        key.add(static_cast<std::uint64_t>(one.kind) << 32 |
                static_cast<std::uint64_t>(one.function) << 16 |
                static_cast<std::uint64_t>(one.type) << 1 | (one.conjugated ? 1 : 0));
        key.add(std::bit_cast<std::uint64_t>(one.factor.real()));
        key.add(std::bit_cast<std::uint64_t>(one.factor.imag()));
        key.add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(one.call)));
        key.add(step.labels);
        key.add(step.shape);
    }
}

} // namespace tenfold::contract_impl
