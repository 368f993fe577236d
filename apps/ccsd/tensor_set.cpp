#include "apps/ccsd/tensor_set.hpp"

#include <algorithm>
#include <utility>

#include <tenfold/context.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "apps/ccsd/moves.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

double all_bytes(const distribution &spread) {
    return static_cast<double>(layout(spread.extents()).size()) * sizeof(double);
}

/// Returns the extents of labels, taken from the inputs.
std::vector<index_t> label_extents(const contraction_spec &spec,
                                   const std::vector<placed_tensor> &inputs) {
    std::vector<index_t> by_label(spec.label_names.size(), 1);
    for (std::size_t i = 0; i < spec.inputs.size(); ++i)
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            by_label[static_cast<std::size_t>(spec.inputs[i][mode])] =
                inputs[i].spread->extents()[mode];
    return by_label;
}

extents_t output_extents(const contraction_spec &spec, const std::vector<index_t> &by_label) {
    extents_t extents;
    for (const label_t label : spec.output)
        extents.push_back(by_label[static_cast<std::size_t>(label)]);
    return extents;
}

/// Flops of all ranks together, without counting work that ranks duplicate.
double flops_of(const contraction_spec &spec, const std::vector<index_t> &by_label) {
    double flops = spec.inputs.size() > 1 ? 2 : 1;
    for (const index_t extent : by_label)
        flops *= static_cast<double>(extent);
    return flops;
}

/// The options of lines that are distributed contractions.
dist_options distributed_options(std::optional<byte_count> workspace_limit) {
    return {.workspace_limit = workspace_limit,
            .reproducible = context::global().settings().reproducible};
}

/// The rank that has the largest part of a tensor.
int busiest(const placed_tensor &tensor, int ranks) {
    int most = 0;
    for (int rank = 1; rank < ranks; ++rank)
        if (tensor.block_of(rank).size() > tensor.block_of(most).size())
            most = rank;
    return most;
}

} // namespace

void tensor_set::make(const std::string &name, const extents_t &extents) {
    if (const auto found = tensors_.find(name); found != tensors_.end()) {
        if (found->second.spread.extents() == extents)
            return;
        erase(name);
    }
    entry made;
    made.replicated = where_.replicates(name);
    made.spread =
        made.replicated ? distribution::block(extents, 1) : where_.spread_of(name, extents);
    const auto allocate = [&](const world &owner) {
        made.tensor = std::make_shared<dist_tensor<double>>(owner, extents, made.spread);
    };
    if (!is_dry() && made.replicated)
        apps_impl::run_agreed(ranks(), [&] { allocate(*self_); });
    else if (!is_dry())
        allocate(ranks());
    made.bytes = word * of_block(made, [](const slice &own) { return own.size(); });
    now_ += made.bytes;
    note(0);
    tensors_.emplace(name, std::move(made));
}

void tensor_set::gather(const std::string &to, const std::string &from) {
    const entry &parts = entry_of(from);
    if (!where_.replicates(to)) {
        entry alias = parts;
        alias.counted = false;
        erase(to);
        tensors_.emplace(to, std::move(alias));
        return;
    }
    const apps_impl::stopwatch watch;
    make(to, parts.spread.extents());
    note(gather_bytes(parts.spread));
    if (is_dry())
        return;
    const entry &whole = entry_of(to);
    gather_whole(*parts.tensor, whole.tensor->data());
    charge_move("gather " + to + " = " + from, watch.seconds(), all_bytes(whole.spread),
                static_cast<double>(whole.bytes - parts.bytes));
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
    const entry &source = entry_of(from);
    if (where_.ranks() == 1 || !is_cut_for_flip(source.spread)) {
        run(to + "[a,b,i,j] += " + from + "[b,a,j,i]");
        return;
    }
    note(flip_bytes(source.spread));
    if (is_dry())
        return;
    ccsd::add_flipped(*source.tensor, (*this)[to]);
    charge_move("flip " + to + " += " + from, watch.seconds(), 2 * all_bytes(source.spread),
                static_cast<double>(source.bytes) * (1 - 1.0 / where_.ranks()));
}

void tensor_set::agree_on_failures() {
    apps_impl::run_agreed(ranks(), [&] {
        if (failure_)
            throw error(*failure_);
    });
}

const tensor_set::entry &tensor_set::entry_of(const std::string &name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        throw error(errc::invalid_argument, "there is no tensor '" + name + "'");
    return found->second;
}

void tensor_set::erase(const std::string &name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        return;
    if (found->second.counted)
        now_ -= found->second.bytes;
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
    note(0);
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

bool tensor_set::runs_here(const line_parts &parts) const {
    // Local execution is not used for reproducible results: only distributed contractions give bits
    // that do not depend on the number of ranks.
    return !context::global().settings().reproducible &&
           is_local(parts.spec, parts.places, where_.ranks());
}

contraction_plan tensor_set::plan_here(const contraction_spec &spec,
                                       const std::vector<local_operand> &operands) const {
    std::vector<input> inputs;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i)
        inputs.emplace_back(data_type::f64, nullptr, operands[i].shape);
    const tenfold::output d(data_type::f64, nullptr, operands.back().shape);
    return make_plan(with_assignment(spec), inputs, d, d,
                     {.workspace_limit = workspace_limit_, .threads = threads_});
}

/// Bytes that a line needs besides its tensors, by its plan.
index_t tensor_set::buffers_of(const line_parts &parts) const {
    if (runs_here(parts)) {
        const int rank = busiest(parts.places.back(), where_.ranks());
        return plan_here(parts.spec, local_operands(parts.spec, parts.places, rank))
            .workspace_size()
            .value;
    }
    std::vector<distribution> spreads;
    index_t operands = 0;
    for (const placed_tensor &one : parts.places) {
        spreads.push_back(*one.spread);
        operands += one.spread->largest_block() * word;
    }
    dist_options options = distributed_options(workspace_limit_);
    options.threads = threads_;
    return make_dist_plan(parts.spec, data_type::f64, spreads, options).summary().peak.value -
           operands;
}

void tensor_set::run_here(const line_parts &parts) {
    const contraction_spec &spec = parts.spec;
    dist_tensor<double> &output = (*this)[spec.operand_names.back()];
    if (output.local_slice().empty())
        return;
    const std::vector<local_operand> operands = local_operands(spec, parts.places, ranks().rank());
    std::vector<layout> shapes;
    for (const local_operand &one : operands)
        shapes.push_back(one.shape);
    auto found = plans_.find(parts.line);
    if (found == plans_.end() || found->second.shapes.size() != shapes.size() ||
        !std::equal(shapes.begin(), shapes.end(), found->second.shapes.begin(),
                    [](const layout &a, const layout &b) {
                        return a.extents() == b.extents() && a.strides() == b.strides();
                    })) {
        local_plan made{std::move(shapes), plan_here(spec, operands)};
        found = plans_.insert_or_assign(parts.line, std::move(made)).first;
    }
    const contraction_plan &plan = found->second.plan;
    note(plan.workspace_size().value);
    const auto data = [&](std::size_t i) {
        return std::as_const(*this)[spec.operand_names[i]].data() + operands[i].offset;
    };
    using update = contraction_spec::update;
    const double alpha = spec.operation == update::subtract ? -1 : 1;
    const double beta = spec.operation == update::assign ? 0 : 1;
    plan.execute(alpha, data(0), spec.inputs.size() > 1 ? data(1) : nullptr, beta, output.data(),
                 output.data())
        .throw_if_failed();
}

void tensor_set::run_on_all(const line_parts &parts) {
    const std::vector<std::string> &names = parts.spec.operand_names;
    dist_tensor<double> &output = (*this)[names.back()];
    const dist_options options = distributed_options(workspace_limit_);
    const dist_report report =
        names.size() == 2
            ? contract(parts.line, (*this)[names[0]], output, options)
            : contract(parts.line, (*this)[names[0]], (*this)[names.at(1)], output, options);
    index_t operands = 0;
    for (const std::string &name : names)
        operands += entry_of(name).bytes;
    note(report.peak_bytes_max.value - operands);
    line_profile &account = profile_of(parts.line);
    account.bytes_received += static_cast<double>(report.bytes_received_max.value) +
                              static_cast<double>(report.redistribution_max.value);
    account.distributed = true;
}

void tensor_set::run(const std::string &line) {
    const apps_impl::stopwatch watch;
    line_parts parts{line, spec_of(line), {}};
    const contraction_spec &spec = parts.spec;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i)
        parts.places.push_back(placed(entry_of(spec.operand_names.at(i))));
    const std::string &name = spec.operand_names.back();
    if (spec.operation != contraction_spec::update::assign && !has(name))
        throw error(errc::invalid_argument, "'" + line + "' adds to a tensor that is not there");
    const std::vector<index_t> by_label = label_extents(spec, parts.places);
    make(name, output_extents(spec, by_label));
    parts.places.push_back(placed(entry_of(name)));
    if (is_dry()) {
        if (ignores_buffers_)
            return;
        if (buffers_.count(line) == 0)
            buffers_[line] = buffers_of(parts);
        note(buffers_[line]);
        return;
    }

    const double flops = flops_of(spec, by_label);
    if (runs_here(parts)) {
        try {
            run_here(parts);
        } catch (const error &problem) {
            if (!failure_)
                failure_ = problem;
        }
    } else {
        run_on_all(parts);
    }
    line_profile &account = profile_of(line);
    ++account.calls;
    account.seconds += watch.seconds();
    account.flops += flops;
    for (const placed_tensor &one : parts.places)
        account.bytes += all_bytes(*one.spread);
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
