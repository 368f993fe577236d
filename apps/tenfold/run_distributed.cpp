#include <optional>
#include <variant>

#include <tenfold/dist_files.hpp>
#include <tenfold/dist_mixed.hpp>
#include <tenfold/dist_tasks.hpp>
#include <tenfold/dist_trace.hpp>

#include "apps/common/dist_operands.hpp"
#include "apps/common/files.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/timing.hpp"
#include "apps/tenfold/array_file.hpp"
#include "apps/tenfold/distributed.hpp"
#include "apps/tenfold/distributed_options.hpp"
#include "apps/tenfold/verification.hpp"
#include "base/scalars.hpp"
#include "base/with_any_type.hpp"
#include "contract/reference/reference.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::apps_impl {
namespace {

using contract_impl::verification;

constexpr int root = 0; ///< the rank that checks whether files can be written

/// The alpha of the reference, which includes the expression's own factor and sign.
scalar full_alpha(const resolved_contraction &resolved) {
    const contraction_spec &spec = resolved.spec;
    return base::scaled(spec.operation == contraction_spec::update::subtract ? -spec.scale
                                                                             : spec.scale,
                        resolved.alpha);
}

/// A distributed tensor of any type.
template <class... T> using one_of_tensors = std::variant<dist_tensor<T>...>;
using operand_tensor = list_of_distributed_types<one_of_tensors>;

operand_tensor make_tensor(const world &ranks, data_type type, const extents_t &extents) {
    return base::with_any_type(
        type, [&]<class T>(T) -> operand_tensor { return dist_tensor<T>(ranks, extents); });
}

/// Verifies on the rank that holds the whole of D, and finds the source of NaN if there is any.
verification verify_files(const resolved_contraction &resolved, const contraction_request &request,
                          const void *d, std::string &nan_source) {
    std::vector<host_array> arrays;
    for (const std::string &file : request.input_files())
        arrays.push_back(read_array(file, resolved.type_of_input(arrays.size())));
    const std::vector<input> inputs(arrays.begin(), arrays.end());
    std::optional<host_array> c;
    if (resolved.reads_c())
        c = read_array(request.c_file, resolved.types.output);
    const output d_shape(resolved.types.output, nullptr, layout(resolved.d.extents()));
    const input c_input = c ? input(*c) : input(d_shape);
    verification found;
    if (inputs.size() > 2) {
        found = contract_impl::verify(
            {resolved.spec, inputs, full_alpha(resolved), resolved.beta, c_input},
            input(resolved.types.output, d, layout(resolved.d.extents())),
            elements_to_verify(resolved.spec, inputs), /*seed=*/1);
    } else {
        const auto problem =
            einsum_impl::make_problem(resolved.spec, inputs, c_input, d_shape, false,
                                      einsum_impl::type_of_sums(resolved.spec, inputs[0].type(),
                                                                resolved.types.output, false));
        found = contract_impl::verify(problem,
                                      {.alpha = full_alpha(resolved),
                                       .a = arrays[0].data(),
                                       .b = arrays.size() > 1 ? arrays[1].data() : nullptr,
                                       .beta = resolved.beta,
                                       .c = c_input.data()},
                                      d, verified_elements, /*seed=*/1);
    }
    if (found.not_numbers > 0)
        nan_source = source_of_nan(resolved.spec, inputs, c_input, "C");
    return found;
}

/// --verify for tensors that no rank holds as a whole. Recomputes a sample of D and compares; every
/// rank returns the same result. Rank 0 reads the operands from their files again and receives the
/// whole of D. Collective.
template <class T>
contraction_result::check verify_distributed(const resolved_contraction &resolved,
                                             const contraction_request &request,
                                             const dist_tensor<T> &d) {
    verification found;
    std::string nan_source = "made-up operands are finite, and alpha or beta too large";
    if (request.from_files()) {
        const tensor<T> whole = d.gather(0);
        run_agreed(d.owner(), [&] {
            if (d.owner().rank() == 0)
                found = verify_files(resolved, request, whole.data(), nan_source);
        });
        found = combine(d.owner(), found);
    } else {
        made_up_contraction problem;
        problem.spec = resolved.spec;
        for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
            problem.types.push_back(resolved.type_of_input(i));
        for (const auto &[label, extent] : resolved.extents)
            problem.extents.push_back(extent);
        problem.alpha = full_alpha(resolved);
        problem.beta = resolved.beta;
        found = verify_made_up(problem, d, elements_to_verify(resolved));
    }
    return {found.max_relative_error, found.bound, found.elements, found.not_numbers, nan_source};
}

class distributed_run {
public:
    distributed_run(const world &ranks, const contraction_request &request,
                    const resolved_contraction &resolved)
        : request_(request), resolved_(resolved),
          d_(make_tensor(ranks, resolved.types.output, resolved.d.extents())) {
        const auto files =
            request.from_files() ? request.input_files() : std::vector<std::string>();
        progress line("tenfold contract: reading");
        for (std::size_t i = 0; i < resolved.inputs.size(); ++i) {
            inputs_.push_back(
                make_tensor(ranks, resolved.type_of_input(i), resolved.inputs[i].extents()));
            if (request.from_files()) {
                line.show(static_cast<int>(i), static_cast<int>(files.size()), files[i]);
                load(files[i], inputs_.back(), line.watch());
            } else
                fill(inputs_.back(), i);
            const std::size_t first = tensor_of_input(resolved.spec, i);
            tensors_.push_back(files.empty() || files[first] == files[i] ? first : i);
        }
    }

    /// Loads C into the output before every run: one tensor is both C and D.
    void load_c(progress &line) {
        if (!resolved_.reads_c())
            return;
        if (request_.from_files())
            load(request_.c_file, d_, line.watch());
        else
            fill(d_, generated_c);
    }

    dist_sequence_report contract(const dist_options &options) {
        std::vector<dist_operand> inputs;
        for (const std::size_t number : tensors_)
            std::visit([&](const auto &tensor) { inputs.emplace_back(tensor); }, inputs_[number]);
        return std::visit(
            [&](auto &d) { return tenfold::contract(request_.spec, inputs, d, options); }, d_);
    }

    contraction_result::check verify() const {
        return std::visit([&](const auto &d) { return verify_distributed(resolved_, request_, d); },
                          d_);
    }

    void write(const std::string &path) const {
        const array_name name = parse_array_name(path);
        progress line("tenfold contract: writing " + path);
        const file_options options{.control = line.watch()};
        std::visit(
            [&](const auto &d) {
                if (name.is_hdf5())
                    save_hdf5(name.file, name.dataset, d, options);
                else
                    save_npy(name.file, d, options);
            },
            d_);
    }

private:
    static void fill(operand_tensor &tensor, std::uint64_t number) {
        std::visit([&](auto &its) { fill_generated(its, number); }, tensor);
    }

    static void load(const std::string &path, operand_tensor &tensor,
                     const execution_control *control) {
        const array_name name = parse_array_name(path);
        const file_options options{.control = control};
        std::visit(
            [&](auto &its) {
                if (name.is_hdf5())
                    load_hdf5(name.file, name.dataset, its, options);
                else
                    load_npy(name.file, its, options);
            },
            tensor);
    }

    const contraction_request &request_;
    const resolved_contraction &resolved_;
    operand_tensor d_;
    std::vector<operand_tensor> inputs_;
    std::vector<std::size_t> tensors_; ///< by input: inputs of one name are one tensor
};

void execute(const world &ranks, const contraction_request &request, const run_options &run,
             dist_options options, contraction_result &result) {
    distributed_run work(ranks, request, result.resolved);
    progress line("tenfold contract: run");
    std::optional<dist_trace> trace;
    if (!run.trace_file.empty())
        trace.emplace(ranks);
    const auto once = [&](int number) {
        line.show(number, run.repeat);
        work.load_c(line);
        options.control = line.watch();
        const dist_sequence_report report = work.contract(options);
        result.algorithm = costliest(report.steps).algorithm;
        result.flops = report.plan.summary().flops;
        result.bytes_received_max = report.bytes_received_max;
        result.redistribution_max = report.redistribution_max;
        result.peak_bytes_per_rank = report.peak_bytes_max;
        result.explanation = report.plan.describe();
        return report.seconds_max; // the same on all ranks, so that they repeat equally often
    };
    const timed_runs timed = time_runs(run.repeat, once, [&] {
        if (trace) { // trace only the runs that count
            trace.reset();
            trace.emplace(ranks);
        }
    });
    line.clear();
    if (trace)
        trace->write(run.trace_file);
    trace.reset();
    result.seconds_min = timed.seconds_min;
    result.first_call = timed.first_call;
    if (run.verify)
        result.verified = work.verify();
    if (!request.out_file.empty())
        work.write(request.out_file);
}

/// Measures on all ranks at once and returns the sum.
contraction_result::ceiling measure_together(const world &ranks, const contraction_result &result) {
    tenfold::agree(ranks); // all measure at the same time
    const auto own = measure_ceiling(output_type_of(result.resolved.types.output), result.threads,
                                     result.bytes / static_cast<double>(ranks.size()));
    return {all_reduce(ranks, own.fma_gflops, reduction::sum),
            all_reduce(ranks, own.copy_gbps, reduction::sum)};
}

} // namespace

contraction_result run_distributed(const contraction_request &request, const run_options &run) {
    const mpi_session session;
    const world ranks(MPI_COMM_WORLD);
    contraction_result result;
    run_agreed(ranks, [&] {
        result.resolved = resolve(request, half_precision::kept);
        if (run.verify) // throws before the run if --verify would take too long
            static_cast<void>(elements_to_verify(result.resolved));
        if (ranks.rank() == root && !request.out_file.empty())
            check_array_writable(request.out_file);
        if (ranks.rank() == root && !run.trace_file.empty())
            check_writable(run.trace_file);
    });
    result.ranks = ranks.size();
    result.threads = request.execution.threads > 0 ? request.execution.threads : ranks.threads();
    result.bytes = static_cast<double>(result.resolved.tensor_bytes());

    settings chosen = settings::from_environment();
    chosen.threads = result.threads;
    const context ctx(chosen);
    dist_options options = distributed_options(request, result.resolved);
    options.ctx = &ctx;
    execute(ranks, request, run, options, result);
    if (!run.json)
        result.machine = measure_together(ranks, result);
    return result;
}

} // namespace tenfold::apps_impl
