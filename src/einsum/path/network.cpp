#include "einsum/path/network.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "einsum/problem/checks.hpp"
#include "tensor/spanned_bytes.hpp"

namespace tenfold::einsum_impl {
namespace {

struct typed_output {
    const input &c;
    const output &d;
    data_type computed;
};

/// As for two inputs (problem.cpp); any two of them may meet.
void check_integers(std::span<const input> inputs, const input &c, const output &d) {
    const auto unsigned_inputs = std::count_if(
        inputs.begin(), inputs.end(), [](const input &one) { return one.type() == data_type::u8; });
    if (d.type() != data_type::i32 || c.type() != data_type::i32)
        throw error(errc::type_mismatch, "integers are summed in i32, which C and D must be");
    if (unsigned_inputs > 1)
        throw error(errc::type_mismatch, std::to_string(unsigned_inputs) +
                                             " inputs are u8; one of them may be, others are i8 "
                                             "or i32");
}

void check_types(const contraction_spec &spec, std::span<const input> inputs,
                 const typed_output &to) {
    const auto &[c, d, computed] = to;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_type(name_of_input(spec, i), inputs[i].type());
    check_type("D", d.type()); // messages say D for an output that is also C
    check_type("C", c.type());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_conversion(name_of_input(spec, i), inputs[i].type(), d.type(), computed);
    check_conversion("C", c.type(), d.type(), computed);
    if (is_integer(d.type()))
        check_integers(inputs, c, d);
}

void collect(const contraction_spec &spec, const std::string &tensor,
             const std::vector<label_t> &labels, const layout &shape, data_type type,
             std::vector<label_extent> &extents) {
    check_order(tensor, labels, shape);
    for (int mode = 0; mode < shape.order(); ++mode) {
        const label_t label = labels[static_cast<std::size_t>(mode)];
        extents[static_cast<std::size_t>(label)].set(spec, label, tensor, mode, shape.extent(mode));
    }
    tensor_impl::check_bytes(tensor, shape, type);
}

bool has_zero(const network &net, const label_set &labels) {
    bool zero = false;
    labels.for_each(
        [&](label_t label) { zero = zero || net.extents[static_cast<std::size_t>(label)] == 0; });
    return zero;
}

} // namespace

bool network::empty() const {
    return std::any_of(operands.begin(), operands.end(),
                       [this](const label_set &labels) { return has_zero(*this, labels); });
}

network make_network(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                     const output &d, std::optional<data_type> computed) {
    if (spec.inputs.size() != inputs.size())
        throw error(errc::invalid_argument,
                    "the expression has " + std::to_string(spec.inputs.size()) + " inputs, but " +
                        std::to_string(inputs.size()) + " tensors were given");
    check_spec(spec);
    check_types(spec, inputs, {c, d, computed.value_or(type_of_sums(d.type(), false))});

    const std::size_t labels = spec.label_names.size();
    std::vector<label_extent> extents(labels);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        collect(spec, name_of_input(spec, i), spec.inputs[i], inputs[i].shape(), inputs[i].type(),
                extents);
    for (const label_t label : spec.output)
        if (!extents[static_cast<std::size_t>(label)].known())
            refuse_output_label(spec, label);
    // D precedes C, so that a mismatch between an input and the output names D.
    collect(spec, "D", spec.output, d.shape(), d.type(), extents);
    collect(spec, "C", spec.output, c.shape(), c.type(), extents);

    network net;
    for (const auto &operand : spec.inputs)
        net.operands.emplace_back(labels, operand);
    net.output = label_set(labels, spec.output);
    if (spec.path.size() > 1) // one step of all inputs leaves the order free
        net.path = spec.path;
    for (const label_extent &extent : extents)
        net.extents.push_back(extent.known() ? extent.value() : 1); // a name that no tensor uses
    return net;
}

} // namespace tenfold::einsum_impl
