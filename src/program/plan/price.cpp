// What the lines of a program take: seconds, bytes and memory.
#include <algorithm>

#include "base/checked.hpp"
#include "distributed/plan/box_traffic.hpp"
#include "distributed/plan/pair_boxes.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/prices.hpp"
#include "distributed/plan/slice.hpp"
#include "program/plan/plan_state.hpp"

namespace tenfold::program_impl {
namespace {

constexpr auto word_bytes = static_cast<index_t>(sizeof(double));

struct cost {
    double seconds = 0;
    index_t received = 0;
    index_t memory = 0;                  ///< of the operation, its operands' blocks included
    std::set<std::string> operands = {}; ///< tensors in `memory`
};

class pricing {
public:
    explicit pricing(plan_state &plan)
        : plan_(plan), price_(dist_impl::prices::of(plan.options.contraction)) {}

    void run() {
        for (const lowered_line &line : plan_.all.lines)
            plan_.lines.push_back({line.line, line.text, line.times, 0, bytes(0), bytes(0)});
        for (std::size_t at = 0; at < plan_.all.steps.size(); ++at) {
            const cost found = cost_of(plan_.all.steps[at]);
            planned_line &line = plan_.lines[plan_.all.steps[at].line];
            line.seconds += found.seconds;
            line.received = bytes(base::saturated_add(line.received.value, found.received));
            const index_t peak = base::saturated_add(found.memory, held(at, found.operands));
            line.peak = std::max(line.peak, bytes(peak));
        }
        program_plan_summary &all = plan_.summary;
        all = {plan_.ranks, 0, bytes(0), bytes(0)};
        for (const planned_line &line : plan_.lines) {
            all.seconds += static_cast<double>(line.times) * line.seconds;
            all.received = bytes(base::saturated_add(
                all.received.value, base::saturated_multiply(line.times, line.received.value)));
            all.peak = std::max(all.peak, line.peak);
        }
    }

private:
    const distribution &layout(const std::string &name) const { return plan_.layouts.at(name); }
    index_t block_bytes(const std::string &name) const {
        return base::saturated_multiply(layout(name).largest_block(), word_bytes);
    }

    cost cost_of(const step &one) {
        if (const auto *const product = std::get_if<contraction_step>(&one.what))
            return cost_of(*product);
        if (const auto *const division = std::get_if<division_step>(&one.what))
            return {updating(division->tensor, 2)};
        if (const auto *const filling = std::get_if<filling_step>(&one.what))
            return {updating(filling->tensor, 1)};
        if (const auto *const diis = std::get_if<extrapolation_step>(&one.what))
            return cost_of(*diis);
        if (const auto *const packing = std::get_if<packing_step>(&one.what))
            return cost_of(*packing);
        return {};
    }

    /// Seconds to read or write a rank's block so many times.
    double updating(const std::string &name, double times) const {
        return price_.updating(times * static_cast<double>(block_bytes(name)));
    }

    cost cost_of(const contraction_step &product) {
        std::vector<distribution> operands;
        cost found;
        for (const std::string &name : product.inputs) {
            operands.push_back(layout(name));
            found.operands.insert(name);
        }
        if (plan_.all.extents.at(product.output).empty()) {
            operands.push_back(layout_of_scalars(plan_.ranks));
        } else {
            operands.push_back(layout(product.output));
            found.operands.insert(product.output);
        }
        const bool adds = product.adds && !plan_.all.extents.at(product.output).empty();
        const cost &its = cost_of(parse(product.expression), operands, adds);
        found.seconds = its.seconds;
        found.received = its.received;
        found.memory = its.memory;
        return found;
    }

    /// Contractions that differ in names only share a plan.
    const cost &cost_of(const contraction_spec &spec, const std::vector<distribution> &operands,
                        bool adds) {
        std::vector<std::uint64_t> key{adds ? 1U : 0U};
        const auto add = [&](const std::vector<label_t> &labels) {
            key.push_back(labels.size());
            key.insert(key.end(), labels.begin(), labels.end());
        };
        for (const std::vector<label_t> &labels : spec.inputs)
            add(labels);
        add(spec.output);
        for (const distribution &one : operands)
            key.push_back(one.hash());
        const auto [known, is_new] = known_.try_emplace(std::move(key));
        if (is_new) {
            dist_options options = plan_.options.contraction;
            options.beta = adds ? 1.0 : 0.0;
            const dist_plan planned = make_dist_plan(spec, data_type::f64, operands, options);
            known->second.seconds = internals::of(planned).seconds;
            known->second.received = planned.summary().total_received.value;
            known->second.memory = planned.summary().peak.value;
        }
        return known->second;
    }

    /// Copies of tensors are refreshed: of what is kept, and of the extrapolated tensors.
    cost cost_of(const extrapolation_step &diis) const {
        cost found;
        for (int rank = 0; rank < plan_.ranks; ++rank) {
            index_t received = 0;
            const auto refresh = [&](const std::string &name, int times) {
                if (layout(name).copy_of(rank) > 0)
                    received = base::saturated_add(
                        received, base::saturated_multiply(layout(name).block_of(rank).size(),
                                                           times * word_bytes));
            };
            for (std::size_t i = 0; i < diis.tensors.size(); ++i) {
                refresh(diis.tensors[i], 2);
                refresh(diis.errors[i], 1);
            }
            found.received = std::max(found.received, received);
        }
        for (std::size_t i = 0; i < diis.tensors.size(); ++i)
            found.seconds += updating(diis.tensors[i], 3.0 + diis.keep) +
                             updating(diis.errors[i], 3.0 + 2.0 * diis.keep);
        found.seconds += price_.receiving(static_cast<double>(found.received), 3);
        return found;
    }

    /// Boxes are received, and each tensor is gone through once.
    cost cost_of(const packing_step &packing) const {
        const distribution &whole = layout(packing.whole);
        const distribution &packed = layout(packing.packed[0]);
        const distribution &from = packing.unpacks ? packed : whole;
        const distribution &to = packing.unpacks ? whole : packed;
        const auto tensors = static_cast<index_t>(packing.packed.size());
        cost found;
        if (!packing.makes_matrices() || !dist_impl::is_everywhere(from)) {
            const dist_impl::box_traffic traffic = dist_impl::traffic_of(
                from, [&](int rank) { return boxes_of(packing, to.block_of(rank)); });
            index_t elements = traffic.messages;
            const index_t read =
                packing.makes_matrices() ? most_bounds(packing, from, to) : traffic.boxes;
            found.received = traffic.received;
            if (packing.unpacks) { // the packed tensors one after the other, and all that was read
                found.received = base::saturated_multiply(tensors, found.received);
                elements = base::saturated_multiply(tensors, elements);
                elements = base::saturated_add(elements, base::saturated_multiply(tensors, read));
            } else {
                elements = base::saturated_add(elements, read);
            }
            found.received = base::saturated_multiply(found.received, word_bytes);
            found.memory = base::saturated_multiply(elements, word_bytes);
        }
        const auto passes = static_cast<double>(tensors);
        found.seconds = price_.receiving(static_cast<double>(found.received), plan_.ranks - 1) +
                        updating(packing.whole, packing.unpacks ? 2 : 1) +
                        updating(packing.packed[0], passes);
        return found;
    }

    static std::vector<slice> boxes_of(const packing_step &packing, const slice &block) {
        if (packing.makes_matrices())
            return packing.unpacks ? dist_impl::boxes_to_unpack_matrices(block)
                                   : dist_impl::boxes_to_pack_matrices(block);
        std::vector<slice> boxes;
        for (dist_impl::pair_row_box &one :
             packing.unpacks ? dist_impl::boxes_to_unpack(block, packing.mode, packing.kind)
                             : dist_impl::boxes_to_pack(block, packing.mode, packing.kind))
            boxes.push_back(std::move(one.where));
        return boxes;
    }

    /// Elements of the largest copy that a rank makes of what it lacks some of.
    index_t most_bounds(const packing_step &packing, const distribution &from,
                        const distribution &to) const {
        index_t most = 0;
        for (int rank = 0; rank < plan_.ranks; ++rank) {
            const slice block = to.block_of(rank);
            const slice own = from.block_of(rank);
            for (const slice &box : boxes_of(packing, block))
                if (dist_impl::intersection_size(box, own) < box.size()) {
                    most = std::max(most,
                                    (packing.unpacks ? dist_impl::bounds_to_unpack_matrices(block)
                                                     : dist_impl::bounds_to_pack_matrices(block))
                                        .size());
                    break;
                }
        }
        return most;
    }

    /// Bytes per rank of all tensors that exist during a step but are not its operands.
    index_t held(std::size_t at, const std::set<std::string> &operands) const {
        index_t total = 0;
        for (const auto &[name, life] : plan_.lifetimes)
            if (life.first <= at && at <= life.last && operands.count(name) == 0)
                total = base::saturated_add(total, block_bytes(name));
        for (const step &one : plan_.all.steps)
            if (const auto *const diis = std::get_if<extrapolation_step>(&one.what))
                if (diis->block <= at &&
                    at <= std::get<block_begin>(plan_.all.steps[diis->block].what).end)
                    total =
                        base::saturated_add(total, bytes_kept(*diis, [&](const std::string &name) {
                                                return block_bytes(name);
                                            }));
        return total;
    }

    plan_state &plan_;
    const dist_impl::prices price_;
    std::map<std::vector<std::uint64_t>, cost> known_; ///< of contractions
};

} // namespace

void price(plan_state &plan) { pricing(plan).run(); }

} // namespace tenfold::program_impl
