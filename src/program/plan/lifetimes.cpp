// When tensors are allocated and freed.
#include <algorithm>

#include "program/plan/steps.hpp"

namespace tenfold::program_impl {

std::set<std::string> tensors_of(const step &one, const lowered &all) {
    std::set<std::string> found;
    if (const auto *const product = std::get_if<contraction_step>(&one.what)) {
        found.insert(product->inputs.begin(), product->inputs.end());
        if (!all.extents.at(product->output).empty())
            found.insert(product->output);
    } else if (const auto *const division = std::get_if<division_step>(&one.what)) {
        found.insert(division->tensor);
        for (const division_step::part &part : division->parts)
            if (!part.vector.empty())
                found.insert(part.vector);
    } else if (const auto *const filling = std::get_if<filling_step>(&one.what)) {
        found.insert(filling->tensor);
    } else if (const auto *const diis = std::get_if<extrapolation_step>(&one.what)) {
        found.insert(diis->tensors.begin(), diis->tensors.end());
        found.insert(diis->errors.begin(), diis->errors.end());
    } else if (const auto *const packing = std::get_if<packing_step>(&one.what)) {
        found.insert(packing->whole);
        found.insert(packing->packed.begin(), packing->packed.end());
    }
    return found;
}

std::map<std::string, lifetime> lifetimes_of(const lowered &all, const symbols &names) {
    std::map<std::string, lifetime> found;
    for (std::size_t at = 0; at < all.steps.size(); ++at)
        for (const std::string &name : tensors_of(all.steps[at], all))
            found.try_emplace(name, lifetime{at, at}).first->second.last = at;
    for (const program_tensor &tensor : names.tensors) {
        const auto known = found.find(tensor.name);
        if (known == found.end())
            continue;
        if (tensor.role == tensor_role::input)
            known->second.first = 0;
        if (tensor.role == tensor_role::output)
            known->second.last = all.steps.size();
    }
    // Inner blocks end before outer ones.
    for (std::size_t end = 0; end < all.steps.size(); ++end) {
        const auto *const block = std::get_if<block_end>(&all.steps[end].what);
        if (block == nullptr)
            continue;
        for (auto &[name, life] : found) {
            const bool meets = life.first <= end && life.last >= block->begin;
            const bool is_inside = life.first > block->begin && life.last < end;
            if (meets && !is_inside) {
                life.first = std::min(life.first, block->begin);
                life.last = std::max(life.last, end);
            }
        }
    }
    return found;
}

} // namespace tenfold::program_impl
