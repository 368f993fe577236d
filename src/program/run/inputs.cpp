// Inputs of a program: checked on all ranks, and brought to where the plan has them.
#include <algorithm>
#include <limits>

#include <tenfold/dist_operations.hpp>

#include "base/checked.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "program/run/execution.hpp"

namespace tenfold::program_impl {
namespace {

const char *kind_of(const program_input &input) {
    return std::holds_alternative<double>(input)          ? "a number"
           : std::holds_alternative<fill_callback>(input) ? "a function"
                                                          : "a tensor";
}

std::string list_of(const extents_t &extents) {
    std::string text;
    for (const index_t one : extents)
        text += (text.empty() ? "(" : ", ") + std::to_string(one);
    return text.empty() ? "()" : text + ")";
}

/// Describes a call of run_program(), the same on all ranks.
void describe_run(dist_impl::call_description &call, const internals::state_of<program_plan> &plan,
                  const std::map<std::string, program_input> &inputs) {
    call.add("program", plan.equations.to_string())
        .add("control", base::work_part::is_watched() ? "given" : "none");
    for (const auto &[range, size] : plan.sizes)
        call.add(range, size);
    for (const auto &[name, input] : inputs) {
        call.add("kind of " + name, kind_of(input));
        if (const auto *const number = std::get_if<double>(&input))
            call.add(name, scalar(*number));
        else if (const auto *const tensor = std::get_if<const dist_tensor<double> *>(&input);
                 tensor != nullptr && *tensor != nullptr)
            call.add(name, **tensor);
    }
}

} // namespace

execution::execution(const program_plan &plan, const world &everyone,
                     const std::map<std::string, program_input> &inputs)
    : plan_(internals::of(plan)), everyone_(everyone), comm_(dist_impl::communicator_of(everyone)) {
    const auto describe = [&](dist_impl::call_description &call) {
        describe_run(call, plan_, inputs);
    };
    std::vector<int> numbers;
    dist_impl::collectively(comm_, "run program", describe, [&] {
        check(inputs);
        numbers = numbers_of_layouts();
    });
    // Ranks may have made their plans with different rates. Where tensors lie is all in which such
    // plans can differ; all take what rank 0 has.
    broadcast(everyone_, numbers, 0);
    dist_impl::collectively(comm_, "run program (layouts)", [&] {
        take_layouts(numbers);
        make_entries();
    });
    for (const program_tensor &tensor : plan_.equations.tensors())
        if (tensor.role == tensor_role::input)
            bind(tensor.name, inputs.at(tensor.name));
}

void execution::check(const std::map<std::string, program_input> &inputs) const {
    const symbols &names = internals::of(plan_.equations).names;
    if (plan_.ranks != everyone_.size())
        throw error(errc::invalid_argument,
                    "the program is planned for " + std::to_string(plan_.ranks) +
                        " ranks, but the world has " + std::to_string(everyone_.size()));
    for (const auto &[name, input] : inputs)
        if (const program_tensor *const tensor = names.find(name);
            tensor == nullptr || tensor->role != tensor_role::input)
            throw error(errc::invalid_argument, "the program has no input '" + name + "'");
    for (const program_tensor &tensor : names.tensors) {
        if (tensor.role != tensor_role::input)
            continue;
        const auto bound = inputs.find(tensor.name);
        if (bound == inputs.end())
            throw error(errc::invalid_argument, "input '" + tensor.name + "' is missing");
        const bool is_number = std::holds_alternative<double>(bound->second);
        if (is_number != tensor.ranges.empty())
            throw error(errc::invalid_argument,
                        "input '" + tensor.name + "' is " + kind_of(bound->second) + ", expected " +
                            (tensor.ranges.empty() ? "a number"
                                                   : "a tensor, or a function that "
                                                     "fills it"));
        if (const auto *const given = std::get_if<const dist_tensor<double> *>(&bound->second))
            check_tensor(tensor, *given);
        else if (const auto *const fill = std::get_if<fill_callback>(&bound->second);
                 fill != nullptr && !*fill)
            throw error(errc::null_pointer, "input '" + tensor.name + "' is an empty function");
    }
}

void execution::check_tensor(const program_tensor &input, const dist_tensor<double> *tensor) const {
    const std::string name = "input '" + input.name + "'";
    if (tensor == nullptr)
        throw error(errc::null_pointer, name + " is a null pointer");
    if (!(tensor->owner() == everyone_))
        throw error(errc::invalid_argument, name + " belongs to another world");
    const extents_t &wanted = plan_.all.extents.at(input.name);
    if (tensor->extents() != wanted)
        throw error(tensor->extents().size() == wanted.size() ? errc::extent_mismatch
                                                              : errc::order_mismatch,
                    name + " has extents " + list_of(tensor->extents()) + ", expected " +
                        list_of(wanted),
                    {.first = {.name = input.name}});
    dist_impl::tensor_access::check_copies(*tensor, name);
}

void execution::bind(const std::string &name, const program_input &input) {
    if (const auto *const number = std::get_if<double>(&input)) {
        scalars_.at(name) = *number;
        return;
    }
    const auto layout = layouts_.find(name);
    if (layout == layouts_.end()) // no line reads it
        return;
    if (const auto *const fill = std::get_if<fill_callback>(&input))
        return make(name, start::zeros).fill(*fill); // which may leave elements out
    const dist_tensor<double> &given = *std::get<const dist_tensor<double> *>(input);
    held &bound = tensors_.at(name);
    if (given.distribution() == layout->second)
        bound.given = &given;
    else
        bound.own.emplace(given.redistribute(comm_.surely([&] { return layout->second; })));
}

std::vector<int> execution::numbers_of_layouts() const {
    std::vector<int> numbers;
    for (const auto &[name, spread] : plan_.layouts) {
        numbers.push_back(spread.copies());
        numbers.insert(numbers.end(), spread.grid().begin(), spread.grid().end());
        numbers.push_back(spread.cells() * spread.copies());
        numbers.insert(numbers.end(), spread.rank_of_cell().begin(), spread.rank_of_cell().end());
    }
    return numbers;
}

void execution::take_layouts(const std::vector<int> &numbers) {
    const int *next = numbers.data();
    for (const auto &[name, spread] : plan_.layouts) {
        const int copies = *next++;
        std::vector<int> grid(next, next + spread.order());
        next += spread.order();
        const int count = *next++;
        std::vector<int> ranks(next, next + count);
        next += count;
        layouts_.emplace(name, distribution(spread.extents(), std::move(grid), plan_.ranks,
                                            std::move(ranks), copies));
    }
}

void execution::make_entries() {
    for (const auto &[name, extents] : plan_.all.extents) {
        if (extents.empty())
            scalars_.emplace(name, 0.0);
        else
            tensors_.try_emplace(name);
    }
    for (const auto &[name, spread] : layouts_)
        tensors_.at(name).bytes = base::saturated_multiply(spread.block_of(everyone_.rank()).size(),
                                                           static_cast<index_t>(sizeof(double)));
    tallies_.resize(plan_.all.lines.size());
    shares_.resize(plan_.all.lines.size());
    for (const step &one : plan_.all.steps)
        ++shares_[one.line];
    for (std::size_t line = 0; line < shares_.size(); ++line) // 0 of what takes no time
        shares_[line] = plan_.lines[line].seconds /
                        std::max(std::numeric_limits<double>::min(),
                                 plan_.summary.seconds * std::max(1.0, shares_[line]));
    runs_.resize(plan_.all.steps.size());
    ended_.assign(plan_.all.steps.size(), true);
}

} // namespace tenfold::program_impl
