#include "tensor_set.hpp"

#include <algorithm>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "apps/timing.hpp"

namespace tenfold::ccsd {
namespace {

index_t own_bytes(const dist_tensor<double> &tensor) {
    return tensor.local_slice().size() * static_cast<index_t>(sizeof(double));
}

double all_bytes(const dist_tensor<double> &tensor) {
    return static_cast<double>(layout(tensor.extents()).size()) * sizeof(double);
}

/// The extents of the output's labels, as the inputs have them.
extents_t output_extents(const contraction_spec &spec,
                         const std::vector<const dist_tensor<double> *> &inputs) {
    std::vector<index_t> by_label(spec.label_names.size(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            by_label[static_cast<std::size_t>(spec.inputs[i][mode])] =
                inputs[i]->extents().at(mode);
    extents_t extents;
    for (const label_t label : spec.output)
        extents.push_back(by_label[static_cast<std::size_t>(label)]);
    return extents;
}

} // namespace

dist_tensor<double> &tensor_set::create(const std::string &name, const extents_t &extents) {
    if (const auto found = tensors_.find(name); found != tensors_.end()) {
        if (found->second.extents() == extents)
            return found->second;
        erase(name);
    }
    auto &made = tensors_.emplace(name, dist_tensor<double>(ranks_, extents)).first->second;
    now_ += own_bytes(made);
    peak_ = std::max(peak_, now_);
    return made;
}

dist_tensor<double> &tensor_set::operator[](const std::string &name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        throw error(errc::invalid_argument, "there is no tensor '" + name + "'");
    return found->second;
}

const dist_tensor<double> &tensor_set::operator[](const std::string &name) const {
    return const_cast<tensor_set &>(*this)[name];
}

void tensor_set::erase(const std::string &name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        return;
    now_ -= own_bytes(found->second);
    tensors_.erase(found);
}

void tensor_set::rename(const std::string &from, const std::string &to) {
    erase(to);
    auto node = tensors_.extract(from);
    if (node.empty())
        throw error(errc::invalid_argument, "there is no tensor '" + from + "'");
    node.key() = to;
    tensors_.insert(std::move(node));
}

tensor_set::held tensor_set::hold(index_t size) noexcept {
    now_ += size;
    peak_ = std::max(peak_, now_);
    return held(this, release{size});
}

line_profile &tensor_set::profile_of(const std::string &line) {
    const auto [place, is_new] = profile_places_.emplace(line, profile_.size());
    if (is_new) {
        profile_.emplace_back();
        profile_.back().line = line;
    }
    return profile_[place->second];
}

void tensor_set::run(const std::string &line) {
    const apps_impl::stopwatch watch;
    const contraction_spec spec = parse(line);
    std::vector<const dist_tensor<double> *> inputs;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i)
        inputs.push_back(&(*this)[spec.operand_names.at(i)]);
    const std::string &name = spec.operand_names.back();
    if (spec.operation != contraction_spec::update::assign && !has(name))
        throw error(errc::invalid_argument, "'" + line + "' adds to a tensor that is not there");
    dist_tensor<double> &output = create(name, output_extents(spec, inputs));

    const dist_options options{.workspace_limit = workspace_limit_};
    const dist_report report = inputs.size() == 1
                                   ? contract(line, *inputs[0], output, options)
                                   : contract(line, *inputs[0], *inputs.at(1), output, options);

    index_t operands = own_bytes(output);
    double traffic = all_bytes(output);
    for (const dist_tensor<double> *one : inputs) {
        operands += own_bytes(*one);
        traffic += all_bytes(*one);
    }
    peak_ = std::max(peak_, now_ - operands + report.peak_bytes_max.value);
    const double flops = report.plan.summary().flops;
    line_profile &account = profile_of(line);
    ++account.calls;
    account.seconds += watch.seconds();
    account.flops += flops;
    account.bytes += traffic;
    account.bytes_received += static_cast<double>(report.bytes_received_max.value) +
                              static_cast<double>(report.redistribution_max.value);
    flops_ += flops;
}

void tensor_set::charge(const std::string &what, double seconds, double bytes, double flops) {
    line_profile &account = profile_of(what);
    ++account.calls;
    account.seconds += seconds;
    account.bytes += bytes;
    account.flops += flops;
}

} // namespace tenfold::ccsd
