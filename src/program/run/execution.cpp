#include "program/run/execution.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <tenfold/dist_operations.hpp>

#include "base/checked.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/pair_operations.hpp"

namespace tenfold::program_impl {

void execution::check_stop() {
    if (base::work_part::stops())
        throw error(errc::stopped, status(errc::stopped).message());
}

program_result execution::run() {
    for (std::size_t at = 0; at < plan_.all.steps.size();) {
        if (base::work_part::is_watched()) // on all ranks or none
            dist_impl::collectively(comm_, "run program (stop)", [] { check_stop(); });
        const auto start = std::chrono::steady_clock::now();
        const step &one = plan_.all.steps[at];
        // The first step of a line, or the test behind a block, which is its line's last.
        const bool begins = at == 0 || plan_.all.steps[at - 1].line != one.line;
        line_ = one.line;
        const base::work_part part(shares_[line_]);
        if (begins && !std::holds_alternative<block_begin>(one.what))
            ++tallies_[line_].times;
        const std::size_t next = run(at);
        if (next == at + 1)
            for (const auto &[name, life] : plan_.lifetimes)
                if (life.last == at)
                    tensors_.at(name).free();
        tallies_[line_].nanoseconds +=
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                           std::chrono::steady_clock::now() - start)
                                           .count());
        at = next;
    }
    return result();
}

std::size_t execution::run(std::size_t at) {
    const step &one = plan_.all.steps[at];
    if (const auto *const product = std::get_if<contraction_step>(&one.what)) {
        run(*product);
    } else if (const auto *const division = std::get_if<division_step>(&one.what)) {
        run(*division);
    } else if (const auto *const filling = std::get_if<filling_step>(&one.what)) {
        run(*filling);
    } else if (const auto *const line = std::get_if<scalar_step>(&one.what)) {
        run(*line);
    } else if (const auto *const diis = std::get_if<extrapolation_step>(&one.what)) {
        run(*diis, at);
    } else if (const auto *const packing = std::get_if<packing_step>(&one.what)) {
        run(*packing);
    } else if (const auto *const begin = std::get_if<block_begin>(&one.what)) {
        runs_[begin->end] = 0;
    } else {
        const auto &block = std::get<block_end>(one.what);
        note(0, bytes_held());
        ended_[at] = std::all_of(block.tests.begin(), block.tests.end(),
                                 [&](const scalar_test &test) { return holds(test); });
        if (!ended_[at] && ++runs_[at] < block.most)
            return block.begin + 1;
        std::erase_if(
            kept_, [&](const auto &kept) { return kept.first > block.begin && kept.first < at; });
    }
    return at + 1;
}

void execution::run(const contraction_step &product) {
    const bool is_scalar = plan_.all.extents.at(product.output).empty();
    std::optional<dist_tensor<double>> scalar_result;
    if (is_scalar)
        scalar_result.emplace(everyone_, extents_t(),
                              comm_.surely([&] { return layout_of_scalars(plan_.ranks); }));
    dist_tensor<double> &output = is_scalar ? *scalar_result : writable(product.output);
    dist_options options = plan_.options.contraction;
    options.alpha = value(product.factor);
    options.beta = product.adds && !is_scalar ? 1.0 : 0.0;
    const dist_tensor<double> &a = tensor(product.inputs[0]);
    const dist_report done =
        product.inputs.size() > 1
            ? contract(product.expression, a, tensor(product.inputs[1]), output, options)
            : contract(product.expression, a, output, options);
    if (is_scalar) {
        double &scalar = scalars_.at(product.output);
        const double added = *std::as_const(output).data();
        scalar = product.adds ? scalar + added : added;
    }
    note(done.bytes_received_max.value + done.redistribution_max.value,
         base::saturated_add(done.peak_bytes_max.value, bytes_held(&product)));
}

void execution::run(const division_step &division) {
    dist_tensor<double> &divided = writable(division.tensor);
    const double factor = value(division.factor);
    const slice &block = divided.local_slice();
    dist_impl::collectively(comm_, "run program (division)", [&] {
        const divisor by = divisor_of(division, block);
        if (block.empty())
            return;
        // All copies are divided alike, where they are.
        double *elements = dist_impl::tensor_access::elements(divided);
        std::vector<double> sums(static_cast<std::size_t>(block.extents[0]));
        extents_t at(block.extents.size(), 0); // of the present row of mode 0
        for (index_t left = block.size(); left > 0; left -= block.extents[0]) {
            std::transform(by.by_mode[0].begin(), by.by_mode[0].end(), sums.begin(),
                           [&](double first) { return by.constant + first; });
            for (std::size_t mode = 1; mode < at.size(); ++mode) {
                const double added = by.by_mode[mode][static_cast<std::size_t>(at[mode])];
                for (double &sum : sums)
                    sum += added;
            }
            for (const double sum : sums) {
                *elements = factor * *elements / sum;
                ++elements;
            }
            for (std::size_t mode = 1; mode < at.size() && ++at[mode] == block.extents[mode];
                 ++mode)
                at[mode] = 0;
        }
    });
    note(0, bytes_held());
}

auto execution::divisor_of(const division_step &division, const slice &block) const -> divisor {
    divisor made{division.parts.empty() ? 1.0 : 0.0, {}};
    for (const index_t extent : block.extents)
        made.by_mode.emplace_back(static_cast<std::size_t>(extent));
    for (const division_step::part &part : division.parts) {
        const double weight = value(part.factor);
        if (part.vector.empty()) {
            made.constant += weight;
            continue;
        }
        const double *const vector = tensor(part.vector).data(); // every rank has all of it
        std::vector<double> &sums = made.by_mode[part.mode];
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += weight * vector[block.offsets[part.mode] + static_cast<index_t>(i)];
    }
    return made;
}

void execution::run(const filling_step &filling) {
    writable(filling.tensor).fill(value(filling.value));
    note(0, bytes_held());
}

void execution::run(const scalar_step &line) {
    const double added = value(line.terms);
    double &scalar = scalars_.at(line.scalar);
    scalar = line.adds ? scalar + added : added;
    note(0, bytes_held());
}

void execution::run(const extrapolation_step &diis, std::size_t at) {
    for (const std::string &name : diis.tensors)
        writable(name);
    std::vector<dist_tensor<double> *> tensors;
    std::vector<const dist_tensor<double> *> errors;
    chem::diis<dist_tensor<double>> *kept = nullptr;
    dist_impl::collectively(comm_, "run program (diis)", [&] {
        kept = &kept_.try_emplace(at, diis.keep, dot<double>).first->second;
        for (std::size_t i = 0; i < diis.tensors.size(); ++i) {
            tensors.push_back(&writable(diis.tensors[i]));
            errors.push_back(&tensor(diis.errors[i]));
        }
    });
    const std::uint64_t before = comm_.bytes_received();
    kept->extrapolate(tensors, errors);
    note(most_of(static_cast<index_t>(comm_.bytes_received() - before)), bytes_held());
}

void execution::run(const packing_step &packing) {
    dist_impl::box_report took;
    if (!packing.unpacks)
        for (const std::string &name : packing.packed)
            writable(name);
    const auto packed = [&](std::size_t i) -> const dist_tensor<double> & {
        return tensor(packing.packed[i]);
    };
    if (packing.makes_matrices() && packing.unpacks)
        took = dist_impl::unpack_matrices_reporting(packed(0), packed(1), writable(packing.whole));
    else if (packing.makes_matrices())
        took =
            dist_impl::pack_matrices_reporting(tensor(packing.whole), writable(packing.packed[0]),
                                               writable(packing.packed[1]), packing.half_diagonal);
    else if (packing.unpacks)
        took = dist_impl::unpack_pairs_reporting(packed(0), packing.mode, packing.kind,
                                                 writable(packing.whole));
    else
        took = dist_impl::pack_pairs_reporting(tensor(packing.whole), packing.mode, packing.kind,
                                               writable(packing.packed[0]));
    note(most_of(took.received), base::saturated_add(took.memory, bytes_held()));
}

index_t execution::most_of(index_t bytes) {
    const std::array<std::uint64_t, 1> mine{static_cast<std::uint64_t>(bytes)};
    std::array<std::uint64_t, 1> most{};
    comm_.maximum(mine, most);
    return static_cast<index_t>(most[0]);
}

dist_tensor<double> &execution::writable(const std::string &name) {
    held &one = tensors_.at(name);
    return one.own ? *one.own : make(name, start::unset); // its first line writes all of it
}

dist_tensor<double> &execution::make(const std::string &name, start elements) {
    auto [extents, spread] =
        comm_.surely([&] { return std::pair(plan_.all.extents.at(name), layouts_.at(name)); });
    std::optional<dist_tensor<double>> &own = tensors_.at(name).own;
    return elements == start::zeros
               ? own.emplace(everyone_, std::move(extents), std::move(spread))
               : own.emplace(everyone_, std::move(extents), std::move(spread), uninitialized);
}

index_t execution::bytes_held(const contraction_step *beside) const {
    const auto is_operand = [&](const std::string &name) {
        return beside != nullptr &&
               (name == beside->output || std::find(beside->inputs.begin(), beside->inputs.end(),
                                                    name) != beside->inputs.end());
    };
    index_t total = 0;
    for (const auto &[name, one] : tensors_)
        if (one.exists() && !is_operand(name))
            total = base::saturated_add(total, one.bytes);
    for (const auto &[at, kept] : kept_)
        total = base::saturated_add(
            total, bytes_kept(std::get<extrapolation_step>(plan_.all.steps[at].what),
                              [&](const std::string &name) { return tensors_.at(name).bytes; }));
    return total;
}

void execution::note(index_t received, index_t peak) {
    tally &line = tallies_[line_];
    line.received = base::saturated_add(line.received, received);
    line.peak = std::max(line.peak, peak);
}

double execution::value(const coefficient &one) const {
    double product = one.number;
    for (const std::string &name : one.scalars)
        product *= scalars_.at(name);
    return one.divisor.empty() ? product : product / value(one.divisor);
}

double execution::value(const std::vector<coefficient> &terms) const {
    double sum = 0;
    for (const coefficient &one : terms)
        sum += value(one);
    return sum;
}

bool execution::holds(const scalar_test &test) const {
    double left = value(test.left);
    if (test.applied == scalar_test::function::abs)
        left = std::abs(left);
    else if (test.applied == scalar_test::function::sqrt)
        left = std::sqrt(left);
    const double right = value(test.right);
    return test.less ? left < right : left > right;
}

program_result execution::outputs() {
    program_result found;
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
        const planned_line &line = plan_.lines[i];
        const tally &took = tallies_[i];
        found.lines.push_back({line.line, line.text, took.times, 0.0,
                               static_cast<double>(took.times) * line.seconds, bytes(took.received),
                               bytes(0)});
    }
    found.converged = std::find(ended_.begin(), ended_.end(), false) == ended_.end();
    for (const program_tensor &output : plan_.equations.tensors()) {
        if (output.role != tensor_role::output)
            continue;
        if (output.ranges.empty())
            found.scalars.emplace(output.name, scalars_.at(output.name));
        else
            found.tensors.emplace(output.name, std::move(*tensors_.at(output.name).own));
    }
    return found;
}

program_result execution::result() {
    program_result found;
    std::vector<std::uint64_t> mine, most;
    dist_impl::collectively(comm_, "run program (results)", [&] {
        check_stop();
        for (const tally &line : tallies_) {
            mine.push_back(line.nanoseconds);
            mine.push_back(static_cast<std::uint64_t>(line.peak));
        }
        most.resize(mine.size());
        comm_.prepare_control(static_cast<index_t>(mine.size() * sizeof(std::uint64_t)));
        found = outputs();
    });
    comm_.maximum(mine, most);
    for (std::size_t i = 0; i < found.lines.size(); ++i) {
        executed_line &line = found.lines[i];
        line.seconds = static_cast<double>(most[2 * i]) * 1e-9;
        line.peak = bytes(static_cast<index_t>(most[2 * i + 1]));
        found.peak = std::max(found.peak, line.peak);
    }
    return found;
}

} // namespace tenfold::program_impl
