#include "einsum/problem/broadcast.hpp"

#include <algorithm>
#include <utility>

#include "einsum/problem/checks.hpp"

namespace tenfold::einsum_impl {
namespace {

using labels = std::vector<label_t>;

bool has_unit_mode(const layout &shape) {
    return std::find(shape.extents().begin(), shape.extents().end(), 1) != shape.extents().end();
}

/// The extent of each label beside 1, and 1 for those that have no other.
class label_extents {
public:
    explicit label_extents(const contraction_spec &spec)
        : spec_(spec), extents_(spec.label_names.size()) {}

    /// `any`: 1 is an extent like others.
    void add(const std::string &tensor, const labels &named, const layout &shape, bool any) {
        for (int mode = 0; mode < shape.order(); ++mode) {
            refuse_other_diagonal(tensor, named, shape, mode);
            const label_t label = named[static_cast<std::size_t>(mode)];
            if (any || shape.extent(mode) != 1)
                extents_[static_cast<std::size_t>(label)].set(spec_, label, tensor, mode,
                                                              shape.extent(mode));
        }
    }
    index_t of(label_t label) const {
        const label_extent &one = extents_[static_cast<std::size_t>(label)];
        return one.known() ? one.value() : 1;
    }

private:
    /// The modes of a repeated label are walked together: none of them is broadcast to another.
    void refuse_other_diagonal(const std::string &tensor, const labels &named, const layout &shape,
                               int mode) const {
        const label_t label = named[static_cast<std::size_t>(mode)];
        const auto first =
            static_cast<int>(std::find(named.begin(), named.end(), label) - named.begin());
        label_extent own;
        own.set(spec_, label, tensor, first, shape.extent(first));
        own.set(spec_, label, tensor, mode, shape.extent(mode));
    }

    const contraction_spec &spec_;
    std::vector<label_extent> extents_;
};

std::string name_of(const contraction_spec &spec, std::size_t i) {
    return spec.inputs.size() <= 2 ? std::string(1, i == 0 ? 'A' : 'B') : name_of_input(spec, i);
}

input with_shape(const input &tensor, layout shape) {
    input plain(tensor.type(), tensor.data(), std::move(shape));
    return tensor.conjugated() ? conj(std::move(plain)) : plain;
}

/// What is done with modes of extent 1 whose label has another.
enum class unit_modes : std::uint8_t { dropped, stretched };

/// Changes labels and layout of one tensor.
class mode_changes {
public:
    mode_changes(const label_extents &extents, const labels &named, const layout &shape)
        : extents_(extents), named_(named), shape_(shape) {}

    /// `treat(label)` says it for each such mode.
    template <class Treat> bool run(Treat treat) {
        bool changed = false;
        for (int mode = 0; mode < shape_.order(); ++mode) {
            const label_t label = named_[static_cast<std::size_t>(mode)];
            const bool is_unit = shape_.extent(mode) == 1 && extents_.of(label) != 1;
            changed = changed || is_unit;
            if (is_unit && treat(label) == unit_modes::dropped)
                continue;
            new_labels_.push_back(label);
            new_extents_.push_back(is_unit ? extents_.of(label) : shape_.extent(mode));
            new_strides_.push_back(is_unit ? 0 : shape_.stride(mode));
        }
        return changed;
    }
    labels take_labels() { return std::move(new_labels_); }
    layout take_layout() { return {std::move(new_extents_), std::move(new_strides_)}; }

private:
    const label_extents &extents_;
    const labels &named_;
    const layout &shape_;
    labels new_labels_;
    extents_t new_extents_, new_strides_;
};

/// Whether an input before number `end` has the label, and whether any has its extent.
bool is_carried(const contraction_spec &spec, std::span<const input> inputs, label_t label,
                std::size_t end) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            if (spec.inputs[i][mode] == label &&
                (i < end || inputs[i].shape().extent(static_cast<int>(mode)) != 1))
                return true;
    return false;
}

} // namespace

std::optional<broadcast_contraction> broadcast(const contraction_spec &spec,
                                               std::span<const input> inputs, const input &c,
                                               const output &d) {
    if (spec.inputs.size() != inputs.size())
        return std::nullopt; // refused where contractions are planned
    const auto has_unit = [](const input &one) { return has_unit_mode(one.shape()); };
    if (!has_unit(c) && std::none_of(inputs.begin(), inputs.end(), has_unit))
        return std::nullopt;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_order(name_of(spec, i), spec.inputs[i], inputs[i].shape());
    check_order("D", spec.output, d.shape());
    check_order("C", spec.output, c.shape());

    label_extents extents(spec);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        extents.add(name_of(spec, i), spec.inputs[i], inputs[i].shape(), false);
    extents.add("D", spec.output, d.shape(), false);
    extents.add("D", spec.output, d.shape(), true); // no extent of D is broadcast
    extents.add("C", spec.output, c.shape(), false);

    broadcast_contraction result{spec, {inputs.begin(), inputs.end()}, c};
    bool changed = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        mode_changes changes(extents, spec.inputs[i], inputs[i].shape());
        const bool input_changed = changes.run([&](label_t label) {
            return is_carried(spec, inputs, label, i) ? unit_modes::dropped : unit_modes::stretched;
        });
        if (!input_changed)
            continue;
        changed = true;
        result.spec.inputs[i] = changes.take_labels();
        result.inputs[i] = with_shape(inputs[i], changes.take_layout());
    }
    mode_changes of_c(extents, spec.output, c.shape());
    if (of_c.run([](label_t) { return unit_modes::stretched; })) {
        changed = true;
        result.c = with_shape(c, of_c.take_layout());
    }
    if (!changed)
        return std::nullopt;
    result.spec.text = text_of(spec);
    return result;
}

extents_t extents_of_output(const contraction_spec &spec, std::span<const layout> inputs) {
    if (spec.inputs.size() != inputs.size())
        throw error(errc::invalid_argument,
                    "the expression has " + std::to_string(spec.inputs.size()) + " inputs, but " +
                        std::to_string(inputs.size()) + " tensors were given");
    check_spec(spec);
    label_extents extents(spec);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        check_order(name_of(spec, i), spec.inputs[i], inputs[i]);
        extents.add(name_of(spec, i), spec.inputs[i], inputs[i], !spec.broadcast);
    }
    if (spec.output.size() > max_modes)
        refuse_modes("D has ", spec.output.size());
    extents_t result;
    for (const label_t label : spec.output) {
        const bool known =
            std::any_of(spec.inputs.begin(), spec.inputs.end(), [label](const labels &named) {
                return std::find(named.begin(), named.end(), label) != named.end();
            });
        if (!known)
            refuse_output_label(spec, label);
        result.push_back(extents.of(label));
    }
    return result;
}

} // namespace tenfold::einsum_impl
