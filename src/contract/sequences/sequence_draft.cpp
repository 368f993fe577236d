#include "contract/sequences/sequence_draft.hpp"

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/workspace.hpp"
#include "contract/sequences/mode_orders.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::label_set;
using einsum_impl::network;
using einsum_impl::pair_step;

class drafter {
public:
    drafter(const contraction_spec &spec, std::span<const input> inputs, data_type output,
            const network &net)
        : spec_(spec), inputs_(inputs), type_(output), net_(net) {}

    sequence_draft run(const einsum_impl::contraction_path &path,
                       const std::vector<std::vector<label_t>> &modes) {
        std::vector<operand_place> tensors; // numbered as in the path: inputs, then results
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            tensors.push_back({true, i});
        for (std::size_t s = 0; s < path.steps.size(); ++s) {
            const pair_step &step = path.steps[s];
            operand_place left = tensors[step.left.tensor];
            operand_place right = tensors[step.right.tensor];
            left = prepare(left, step.left.sum_first, modes);
            right = prepare(right, step.right.sum_first, modes);
            const bool is_last = s + 1 == path.steps.size();
            if (is_last)
                add_step({left, right}, spec_.output, std::nullopt);
            else
                tensors.push_back(add_intermediate({left, right}, modes[inputs_.size() + s]));
        }
        return std::move(draft_);
    }

private:
    const std::vector<label_t> &labels_of(operand_place place) const {
        return place.is_input ? spec_.inputs[place.number]
                              : draft_.intermediates[place.number].labels;
    }

    /// Prepares `place` for its contraction: sums it over its own labels, if that comes first.
    operand_place prepare(operand_place place, bool sum_first,
                          const std::vector<std::vector<label_t>> &modes) {
        if (!place.is_input || !sum_first)
            return place;
        std::vector<label_t> labels = modes[place.number];
        const label_set own = einsum_impl::labels_of_its_own(net_, place.number);
        std::erase_if(labels, [&own](label_t label) { return own.contains(label); });
        return add_intermediate({place}, std::move(labels));
    }

    operand_place add_intermediate(std::vector<operand_place> from, std::vector<label_t> labels) {
        if (labels.size() > einsum_impl::max_modes)
            einsum_impl::refuse_modes("an intermediate would have ", labels.size());
        extents_t extents;
        for (const label_t label : labels)
            extents.push_back(net_.extents[static_cast<std::size_t>(label)]);
        drafted_intermediate added{labels, {}, type_, {}};
        try {
            added.shape = layout(std::move(extents));
            const index_t size =
                base::checked_multiply(added.shape.size(), tenfold::size_of(type_), "bytes");
            const index_t alignment = base::workspace_alignment;
            added.size =
                bytes(base::checked_add(size, alignment - 1, "bytes") / alignment * alignment);
        } catch (const error &too_large) {
            throw error(too_large.code(),
                        "an intermediate with " + names_of(labels) + ": " + too_large.what());
        }
        added.written_by = draft_.steps.size();
        const operand_place place{false, draft_.intermediates.size()};
        draft_.intermediates.push_back(std::move(added));
        add_step(std::move(from), std::move(labels), place.number);
        return place;
    }

    /// "label 'i'", "labels 'i', 'j'".
    std::string names_of(const std::vector<label_t> &labels) const {
        std::string text = labels.size() == 1 ? "label" : "labels";
        const char *separator = " '";
        for (const label_t label : labels) {
            text += separator + spec_.label_names[static_cast<std::size_t>(label)] + "'";
            separator = ", '";
        }
        return text;
    }

    void add_step(std::vector<operand_place> from, std::vector<label_t> result_labels,
                  std::optional<std::size_t> result) {
        drafted_step step;
        for (const operand_place place : from) {
            step.spec.inputs.push_back(labels_of(place));
            if (!place.is_input)
                draft_.intermediates[place.number].read_by = draft_.steps.size();
        }
        step.spec.output = std::move(result_labels);
        step.spec.label_names = spec_.label_names;
        step.spec.broadcast = spec_.broadcast && !result; // tensors of an epilogue may be
        step.spec.text = step.spec.to_string();
        step.operands = std::move(from);
        step.result = result;
        draft_.steps.push_back(std::move(step));
    }

    const contraction_spec &spec_;
    std::span<const input> inputs_;
    data_type type_; ///< type of intermediates
    const network &net_;
    sequence_draft draft_;
};

} // namespace

sequence_draft make_draft(const contraction_spec &spec, std::span<const input> inputs,
                          const typed_output &d, const network &net,
                          const einsum_impl::contraction_path &path) {
    std::vector<std::vector<label_t>> input_modes;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        input_modes.push_back(labels_by_stride(spec.inputs[i], inputs[i].shape()));
    const auto modes =
        mode_orders(net, path, std::move(input_modes), labels_by_stride(spec.output, d.d.shape()));
    return drafter(spec, inputs, d.intermediates, net).run(path, modes);
}

} // namespace tenfold::contract_impl
