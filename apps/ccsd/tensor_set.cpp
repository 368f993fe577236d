#include "apps/ccsd/tensor_set.hpp"

#include <algorithm>

#include <tenfold/context.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "apps/ccsd/moves.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

index_t own_bytes(const dist_tensor<double> &tensor) { return tensor.local_slice().size() * word; }

double all_bytes(const dist_tensor<double> &tensor) {
    return static_cast<double>(layout(tensor.extents()).size()) * sizeof(double);
}

/// Returns the extents of the output's labels, taken from the inputs.
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

/// Flops of all ranks together, without counting work that ranks duplicate.
double flops_of(const contraction_spec &spec,
                const std::vector<const dist_tensor<double> *> &inputs) {
    std::vector<double> by_label(spec.label_names.size(), 1);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            by_label[static_cast<std::size_t>(spec.inputs[i][mode])] =
                static_cast<double>(inputs[i]->extents()[mode]);
    double flops = inputs.size() > 1 ? 2 : 1;
    for (const double extent : by_label)
        flops *= extent;
    return flops;
}

} // namespace

dist_options distributed_options(std::optional<byte_count> workspace_limit) {
    return {.workspace_limit = workspace_limit,
            .reproducible = context::global().settings().reproducible};
}

dist_tensor<double> &tensor_set::create(const std::string &name, const extents_t &extents) {
    if (const auto found = tensors_.find(name); found != tensors_.end()) {
        if (found->second.tensor->extents() == extents)
            return *found->second.tensor;
        erase(name);
    }
    std::shared_ptr<dist_tensor<double>> made;
    if (where_.replicates(name))
        apps_impl::run_agreed(
            ranks_, [&] { made = std::make_shared<dist_tensor<double>>(self_, extents); });
    else
        made =
            std::make_shared<dist_tensor<double>>(ranks_, extents, where_.spread_of(name, extents));
    now_ += own_bytes(*made);
    peak_ = std::max(peak_, now_);
    return *tensors_.emplace(name, entry{std::move(made)}).first->second.tensor;
}

void tensor_set::gather(const std::string &to, const std::string &from) {
    const auto source = tensors_.find(from);
    if (source == tensors_.end())
        throw error(errc::invalid_argument, "there is no tensor '" + from + "'");
    if (!where_.replicates(to)) {
        if (const auto found = tensors_.find(to);
            found != tensors_.end() && found->second.tensor == source->second.tensor)
            return;
        erase(to);
        tensors_.emplace(to, entry{source->second.tensor, false});
        return;
    }
    const apps_impl::stopwatch watch;
    const dist_tensor<double> &parts = *source->second.tensor;
    dist_tensor<double> &whole = create(to, parts.extents());
    const auto held = hold(gather_bytes(parts.distribution()));
    gather_whole(parts, whole.data());
    charge_move("gather " + to + " = " + from, watch.seconds(), all_bytes(whole),
                static_cast<double>(own_bytes(whole) - own_bytes(parts)));
}

void tensor_set::charge_move(const std::string &what, double seconds, double bytes,
                             double received) {
    line_profile &account = profile_of(what);
    ++account.calls;
    account.seconds += seconds;
    account.bytes += bytes;
    account.bytes_received += received;
    account.distributed = true;
}

void tensor_set::add_flipped(const std::string &to, const std::string &from) {
    const apps_impl::stopwatch watch;
    const dist_tensor<double> &source = (*this)[from];
    if (ranks_.size() == 1 || !is_cut_for_flip(source.distribution())) {
        run(to + "[a,b,i,j] += " + from + "[b,a,j,i]");
        return;
    }
    const auto held = hold(flip_bytes(source.distribution()));
    ccsd::add_flipped(source, (*this)[to]);
    charge_move("flip " + to + " += " + from, watch.seconds(), 2 * all_bytes(source),
                static_cast<double>(own_bytes(source)) *
                    (1 - 1.0 / static_cast<double>(ranks_.size())));
}

void tensor_set::agree_on_failures() {
    apps_impl::run_agreed(ranks_, [&] {
        if (failure_)
            throw error(*failure_);
    });
}

dist_tensor<double> &tensor_set::operator[](const std::string &name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        throw error(errc::invalid_argument, "there is no tensor '" + name + "'");
    return *found->second.tensor;
}

const dist_tensor<double> &tensor_set::operator[](const std::string &name) const {
    return const_cast<tensor_set &>(*this)[name];
}

void tensor_set::erase(const std::string &name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        return;
    if (found->second.counted)
        now_ -= own_bytes(*found->second.tensor);
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

void tensor_set::swap(const std::string &one, const std::string &other) {
    std::swap(tensors_.at(one), tensors_.at(other));
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

const contraction_spec &tensor_set::spec_of(const std::string &line) {
    const auto found = specs_.find(line);
    return found != specs_.end() ? found->second : specs_.emplace(line, parse(line)).first->second;
}

placed_tensor tensor_set::place_of(const dist_tensor<double> &tensor) const {
    return {&tensor.distribution(), ranks_.size() > 1 && tensor.owner() == self_};
}

void tensor_set::run_here(const std::string &line, const contraction_spec &spec,
                          const std::vector<placed_tensor> &places,
                          const std::vector<const dist_tensor<double> *> &inputs,
                          dist_tensor<double> &output) {
    if (output.local_slice().empty())
        return;
    const std::vector<local_operand> parts = local_operands(spec, places, ranks_.rank());
    std::vector<layout> shapes;
    for (const local_operand &part : parts)
        shapes.push_back(part.shape);
    auto found = plans_.find(line);
    if (found == plans_.end() || found->second.shapes.size() != shapes.size() ||
        !std::equal(shapes.begin(), shapes.end(), found->second.shapes.begin(),
                    [](const layout &a, const layout &b) {
                        return a.extents() == b.extents() && a.strides() == b.strides();
                    })) {
        std::vector<input> asked;
        for (std::size_t i = 0; i + 1 < shapes.size(); ++i)
            asked.emplace_back(data_type::f64, nullptr, shapes[i]);
        const tenfold::output d(data_type::f64, nullptr, shapes.back());
        local_plan made{
            shapes, make_plan(with_assignment(spec), asked, d, d,
                              {.workspace_limit = workspace_limit_, .threads = ranks_.threads()})};
        found = plans_.insert_or_assign(line, std::move(made)).first;
    }
    const contraction_plan &plan = found->second.plan;
    peak_ = std::max(peak_, now_ + plan.workspace_size().value);
    const double *a = inputs[0]->data() + parts[0].offset;
    const double *b = inputs.size() > 1 ? inputs[1]->data() + parts[1].offset : nullptr;
    using update = contraction_spec::update;
    const double alpha = spec.operation == update::subtract ? -1 : 1;
    const double beta = spec.operation == update::assign ? 0 : 1;
    plan.execute(alpha, a, b, beta, output.data(), output.data()).throw_if_failed();
}

void tensor_set::run(const std::string &line) {
    const apps_impl::stopwatch watch;
    const contraction_spec &spec = spec_of(line);
    std::vector<const dist_tensor<double> *> inputs;
    std::vector<placed_tensor> places;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
        inputs.push_back(&(*this)[spec.operand_names.at(i)]);
        places.push_back(place_of(*inputs.back()));
    }
    const std::string &name = spec.operand_names.back();
    if (spec.operation != contraction_spec::update::assign && !has(name))
        throw error(errc::invalid_argument, "'" + line + "' adds to a tensor that is not there");
    dist_tensor<double> &output = create(name, output_extents(spec, inputs));
    places.push_back(place_of(output));

    line_profile &account = profile_of(line);
    const double flops = flops_of(spec, inputs);
    // Local execution is not used for reproducible results: only distributed contractions give bits
    // that do not depend on the number of ranks.
    if (!context::global().settings().reproducible && is_local(spec, places, ranks_.size())) {
        try {
            run_here(line, spec, places, inputs, output);
        } catch (const error &problem) {
            if (!failure_)
                failure_ = problem;
        }
    } else {
        const dist_options options = distributed_options(workspace_limit_);
        const dist_report report = inputs.size() == 1
                                       ? contract(line, *inputs[0], output, options)
                                       : contract(line, *inputs[0], *inputs.at(1), output, options);
        index_t operands = own_bytes(output);
        for (const dist_tensor<double> *one : inputs)
            operands += own_bytes(*one);
        peak_ = std::max(peak_, now_ - operands + report.peak_bytes_max.value);
        account.bytes_received += static_cast<double>(report.bytes_received_max.value) +
                                  static_cast<double>(report.redistribution_max.value);
        account.distributed = true;
    }
    double traffic = all_bytes(output);
    for (const dist_tensor<double> *one : inputs)
        traffic += all_bytes(*one);
    ++account.calls;
    account.seconds += watch.seconds();
    account.flops += flops;
    account.bytes += traffic;
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
