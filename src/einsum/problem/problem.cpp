#include "einsum/problem/problem.hpp"

#include <algorithm>
#include <cstdlib>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/footprint.hpp"
#include "einsum/problem/checks.hpp"
#include "tensor/spanned_bytes.hpp"

namespace tenfold::einsum_impl {
namespace {

/// A tensor with its labels.
struct labelled {
    const std::vector<label_t> &labels;
    const layout &shape;
    std::string name;
};

/// One label's extent, strides and occurrences in all tensors.
struct label_facts {
    label_extent extent;
    std::array<index_t, tensor_count> stride{};
    std::array<int, tensor_count> occurrences{};
};

/// Adds one tensor's modes to the facts of their labels.
void collect(const contraction_spec &spec, const labelled &tensor, tensor_id id,
             std::vector<label_facts> &facts) {
    for (int mode = 0; mode < tensor.shape.order(); ++mode) {
        const label_t label = tensor.labels[static_cast<std::size_t>(mode)];
        label_facts &fact = facts[static_cast<std::size_t>(label)];
        const index_t extent = tensor.shape.extent(mode);
        fact.extent.set(spec, label, tensor.name, mode, extent);
        // For at most one position the stride may be any number, and adding strides could overflow.
        if (extent > 1 && !tensor.shape.empty())
            fact.stride[id] += tensor.shape.stride(mode);
        ++fact.occurrences[id];
    }
}

/// Of 8-bit integers that are multiplied, not both are unsigned.
void check_integers(const contraction_problem &problem) {
    if (!is_integer(problem.type[D]))
        return;
    const auto refuse = [&](tensor_id tensor, const std::string &what) {
        throw error(
            errc::type_mismatch, what,
            {.first = {.name = std::string(1, letter(tensor)), .type = problem.type[tensor]},
             .second = {.name = "D", .type = problem.type[D]}});
    };
    if (problem.type[D] != data_type::i32)
        refuse(D, "D is " + std::string(name(problem.type[D])) +
                      "; integers are summed in i32, which D must be");
    if (problem.type[C] != data_type::i32)
        refuse(C, "C is " + std::string(name(problem.type[C])) + " and D is i32; C must be i32");
    if (!problem.unary && problem.type[A] == data_type::u8 && problem.type[B] == data_type::u8)
        refuse(B, "A and B are u8; one of them must be i8");
}

void check_types(const contraction_problem &problem) {
    for (const tensor_id id : {A, B, D, C}) // messages say D for an output that is also C
        check_type(std::string(1, letter(id)), problem.type[id]);
    for (const tensor_id id : {A, B, C})
        check_conversion(std::string(1, letter(id)), problem.type[id], problem.type[D],
                         problem.computed);
    check_integers(problem);
}

/// True if every position is the same element in both layouts: they are equal except for strides
/// without effect.
bool same_places(const layout &one, const layout &other) noexcept {
    if (one.extents() != other.extents())
        return false;
    for (int mode = 0; mode < one.order(); ++mode)
        if (one.extent(mode) > 1 && one.stride(mode) != other.stride(mode))
            return one.empty();
    return true;
}

bool follows(const problem_mode &fast, const problem_mode &slow,
             std::span<const tensor_id> tensors) noexcept {
    return std::all_of(tensors.begin(), tensors.end(), [&](tensor_id t) {
        index_t expected = 0;
        return !__builtin_mul_overflow(fast.stride[t], fast.extent, &expected) &&
               slow.stride[t] == expected;
    });
}

/// Drops modes of extent 1, sorts by |stride| in `by`, fuses, and checks the size.
void finish(mode_group &group, tensor_id by) {
    std::erase_if(group, [](const problem_mode &mode) { return mode.extent == 1; });
    sort_by_stride(group, by);
    index_t size = 1;
    for (const problem_mode &mode : group)
        size = base::checked_multiply(size, mode.extent, "size of a super-index");
    constexpr std::array all{A, B, D, C};
    group = fuse(std::move(group), all);
}

mode_group &group_of(contraction_problem &problem, label_class which) noexcept {
    switch (which) {
    case label_class::batch:
        return problem.batch;
    case label_class::m:
        return problem.m;
    case label_class::n:
        return problem.n;
    case label_class::k:
        return problem.k;
    case label_class::isolated_a:
        return problem.isolated_a;
    case label_class::isolated_b:
        break;
    }
    return problem.isolated_b;
}

/// The layout of the elements that a tensor's labels reach: the diagonal for repeated labels.
layout touched_by(tensor_id tensor, const std::vector<label_facts> &facts) {
    extents_t extents, strides;
    for (const label_facts &fact : facts)
        if (fact.occurrences[tensor] > 0) {
            extents.push_back(fact.extent.value());
            strides.push_back(fact.stride[tensor]);
        }
    return {std::move(extents), std::move(strides)};
}

bool has_zero(const mode_group &group) noexcept { return extent_of(group) == 0; }

} // namespace

std::string labels_of(const mode_group &group) {
    std::string text;
    for (const problem_mode &mode : group)
        text += mode.label;
    return text;
}

void sort_by_stride(mode_group &group, tensor_id tensor) {
    if (group.size() < 2)
        return; // the standard library would allocate
    std::stable_sort(group.begin(), group.end(), [tensor](const auto &x, const auto &y) {
        return std::abs(x.stride[tensor]) < std::abs(y.stride[tensor]);
    });
}

index_t extent_of(const mode_group &group) noexcept {
    // Checks for 0 first, because the product of the other extents may overflow.
    index_t size = 1;
    for (const problem_mode &mode : group)
        if (mode.extent == 0)
            return 0;
    for (const problem_mode &mode : group)
        if (__builtin_mul_overflow(size, mode.extent, &size))
            return INT64_MAX; // only if another group is empty, so that no loop uses it
    return size;
}

mode_group fuse(mode_group group, std::span<const tensor_id> tensors) {
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < group.size() && !again; ++i)
            for (std::size_t j = 0; j < group.size() && !again; ++j)
                if (i != j && follows(group[i], group[j], tensors)) {
                    group[i].extent *= group[j].extent;
                    group[i].label += group[j].label;
                    group.erase(group.begin() + static_cast<std::ptrdiff_t>(j));
                    again = true;
                }
    }
    return group;
}

bool contraction_problem::empty_output() const noexcept {
    return has_zero(batch) || has_zero(m) || has_zero(n);
}

bool contraction_problem::empty_sum() const noexcept {
    return has_zero(k) || has_zero(isolated_a) || has_zero(isolated_b);
}

std::size_t allocated_by(const mode_group &group) noexcept {
    std::size_t sum = base::allocated_by(group);
    for (const problem_mode &mode : group)
        sum += base::allocated_by(mode.label);
    return sum;
}

std::size_t allocated_by(const contraction_problem &problem) noexcept {
    std::size_t sum = 0;
    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n, &problem.k,
                                    &problem.isolated_a, &problem.isolated_b})
        sum += allocated_by(*group);
    for (std::size_t tensor = 0; tensor < tensor_count; ++tensor)
        sum +=
            base::allocated_by(problem.shape[tensor]) + base::allocated_by(problem.touched[tensor]);
    return sum;
}

contraction_problem make_problem(const contraction_spec &spec, std::span<const input> inputs,
                                 const input &c, const output &d, bool diagonal_output,
                                 std::optional<data_type> computed) {
    if (spec.inputs.size() != inputs.size())
        throw error(errc::invalid_argument,
                    "the expression has " + std::to_string(spec.inputs.size()) + " inputs, but " +
                        std::to_string(inputs.size()) + " tensors were given");
    if (inputs.empty())
        throw error(errc::unsupported, "a contraction has at least one input, this one has none");
    if (inputs.size() > 2)
        throw error(errc::unsupported, "this is one contraction of two tensors at most, not of " +
                                           std::to_string(inputs.size()) +
                                           "; a sequence of them takes more");

    check_spec(spec);

    contraction_problem problem;
    problem.unary = inputs.size() == 1;
    const std::vector<label_t> no_labels;
    const input &a = inputs[0];
    problem.type = {a.type(), problem.unary ? a.type() : inputs[1].type(), d.type(), c.type()};
    problem.computed = computed.value_or(type_of_sums(spec, a.type(), d.type(), false));
    problem.conjugate = {a.conjugated(), !problem.unary && inputs[1].conjugated(), false,
                         c.conjugated()};
    problem.shape = {a.shape(), problem.unary ? layout() : inputs[1].shape(), d.shape(), c.shape()};
    problem.same_c_and_d = c.type() == d.type() && same_places(c.shape(), d.shape());
    check_types(problem);

    const std::array<const std::vector<label_t> *, tensor_count> labels{
        &spec.inputs[0], problem.unary ? &no_labels : &spec.inputs[1], &spec.output, &spec.output};
    // D precedes C, so that a mismatch between an input and the output names D.
    std::vector<label_facts> facts(spec.label_names.size());
    for (const tensor_id id : {A, B, D, C}) {
        const labelled tensor{*labels[id], problem.shape[id], std::string(1, letter(id))};
        check_order(tensor.name, tensor.labels, tensor.shape);
        collect(spec, tensor, id, facts);
        tensor_impl::check_bytes(tensor.name, tensor.shape, problem.type[id]);
    }

    for (std::size_t label = 0; label < facts.size(); ++label) {
        const label_facts &fact = facts[label];
        const bool in_a = fact.occurrences[A] > 0;
        const bool in_b = fact.occurrences[B] > 0;
        const bool in_d = fact.occurrences[D] > 0;
        if (!fact.extent.known())
            continue; // a label name that no tensor uses
        if (!in_a && !in_b)
            refuse_output_label(spec, static_cast<label_t>(label));
        if (fact.occurrences[D] > 1 && !diagonal_output)
            throw error(errc::repeated_label,
                        quoted(spec, static_cast<label_t>(label)) +
                            " stands more than once in the output; set diagonal_output to write "
                            "the diagonal only",
                        output_label(spec, static_cast<label_t>(label)));
        group_of(problem, class_of(in_a, in_b, in_d))
            .push_back({fact.extent.value(), fact.stride, spec.label_names[label]});
    }
    if (d.shape().overlaps_itself())
        throw error(errc::overlap, "D overlaps itself: " + d.shape().describe(),
                    {.first = {.name = "D"}});
    for (const tensor_id id : {A, B, D, C})
        problem.touched[id] = touched_by(id, facts);
    if (problem.empty_output() || problem.empty_sum())
        return problem; // the products of the other extents may overflow

    finish(problem.batch, D);
    finish(problem.m, D);
    finish(problem.n, D);
    finish(problem.k, A);
    finish(problem.isolated_a, A);
    finish(problem.isolated_b, B);
    index_t summed = extent_of(problem.k);
    for (const mode_group *group : {&problem.isolated_a, &problem.isolated_b})
        summed = base::checked_multiply(summed, extent_of(*group), "positions summed over");
    return problem;
}

} // namespace tenfold::einsum_impl
