#include "apps/ccsd/placement.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tenfold::ccsd {
namespace {

const std::set<std::string> replicated_names = {
    "foo", "fvo", "vovo",   "vooo",   "oooo",   "L",   "Lo",     "T1_all", "T2_all", "tau",
    "u",   "Tp",  "Tm",     "M",      "Fov",    "Foo", "Loo",    "G",      "Q",      "W",
    "Wp",  "Wm",  "Hp_all", "Hm_all", "Ev_all", "E",   "Eo_all", "Eo"};

/// The mode that is distributed, for each tensor.
const std::map<std::string, std::size_t> cut_modes = {
    {"T1", 0},  {"T2", 1},  {"R1", 0},  {"R2", 1}, {"X", 1},       {"Z", 1},    {"K", 1},
    {"D", 2},   {"B1", 2},  {"B2", 1},  {"Y", 0},  {"vvvo", 1},    {"vvoo", 1}, {"Fov_part", 0},
    {"Fvv", 1}, {"Lvv", 1}, {"fvv", 1}, {"Ev", 0}, {"Eo_part", 0}, {"Vp", 0},   {"Vm", 0},
    {"Pp", 0},  {"Pm", 0},  {"Gp", 1},  {"Gm", 1}, {"Hp", 0},      {"Hm", 0}};

} // namespace

bool placement::replicates(const std::string &name) const {
    return replicate_ && replicated_names.count(name) > 0;
}

distribution placement::spread_of(const std::string &name, const extents_t &extents) const {
    // "diis_T2_3" has the distribution of T2.
    const std::string prefix = "diis_";
    const std::string key = name.starts_with(prefix) ? name.substr(prefix.size(), 2) : name;
    const auto found = cut_modes.find(key);
    if (!replicate_ || found == cut_modes.end())
        return distribution::block(extents, ranks_);
    // If there are fewer pairs of occupied orbitals than ranks, some ranks have none.
    std::vector<int> grid(extents.size(), 1);
    grid[found->second] =
        static_cast<int>(std::clamp<index_t>(extents.at(found->second), 1, ranks_));
    return {extents, grid, ranks_};
}

std::vector<local_operand> local_operands(const contraction_spec &spec,
                                          const std::vector<placed_tensor> &operands, int rank) {
    struct range {
        index_t begin = 0;
        index_t size = -1; ///< negative: all
    };
    std::vector<range> wanted(spec.label_names.size());
    const slice own = operands.back().block_of(rank);
    for (std::size_t mode = 0; mode < spec.output.size(); ++mode)
        wanted[static_cast<std::size_t>(spec.output[mode])] = {own.offsets[mode],
                                                               own.extents[mode]};
    std::vector<local_operand> result;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::vector<label_t> &labels = i < spec.inputs.size() ? spec.inputs[i] : spec.output;
        const slice there = operands[i].block_of(rank);
        local_operand one;
        extents_t extents;
        extents_t strides;
        index_t stride = 1;
        for (std::size_t mode = 0; mode < labels.size(); ++mode) {
            const range &asked = wanted[static_cast<std::size_t>(labels[mode])];
            const index_t begin = asked.size < 0 ? 0 : asked.begin;
            const index_t size = asked.size < 0 ? operands[i].spread->extents()[mode] : asked.size;
            if (begin < there.offsets[mode] ||
                begin + size > there.offsets[mode] + there.extents[mode])
                return {};
            one.offset += (begin - there.offsets[mode]) * stride;
            extents.push_back(size);
            strides.push_back(stride);
            stride *= there.extents[mode];
        }
        one.shape = layout(extents, strides);
        result.push_back(std::move(one));
    }
    return result;
}

bool is_local(const contraction_spec &spec, const std::vector<placed_tensor> &operands, int ranks) {
    // A scalar of a distributed contraction is on one rank, which would work while the others wait.
    if (!operands.back().replicated && spec.output.empty() && ranks > 1)
        return false;
    for (int rank = 0; rank < ranks; ++rank)
        if (!operands.back().block_of(rank).empty() && local_operands(spec, operands, rank).empty())
            return false;
    return true;
}

} // namespace tenfold::ccsd
