#include <algorithm>
#include <cstring>

#include "apps/common/generate.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/text.hpp"
#include "apps/common/timing.hpp"
#include "apps/tenfold/array_file.hpp"
#include "apps/tenfold/contraction_result.hpp"
#include "apps/tenfold/verification.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {
namespace {

std::vector<host_array> load_inputs(const contraction_request &request,
                                    const resolved_contraction &resolved, int threads) {
    std::vector<host_array> inputs;
    const std::vector<std::string> files = request.input_files(); // none where made up
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
        inputs.push_back(request.from_files()
                             ? read_array(files[i], resolved.type_of_input(i))
                             : generated_array(resolved.type_of_input(i),
                                               tensor_of_input(resolved.spec, i),
                                               resolved.inputs[i].extents(), threads));
    return inputs;
}

/// Inputs of one name are one tensor, unless they come from two files.
std::vector<input> inputs_of(const contraction_request &request,
                             const resolved_contraction &resolved,
                             const std::vector<host_array> &arrays) {
    const std::vector<std::string> files = request.input_files();
    std::vector<input> inputs;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const std::size_t first = tensor_of_input(resolved.spec, i);
        const bool is_one = !request.from_files() || files[first] == files[i];
        inputs.emplace_back(arrays[is_one ? first : i]);
    }
    return inputs;
}

std::optional<host_array> load_c(const contraction_request &request,
                                 const resolved_contraction &resolved, int threads) {
    if (!resolved.reads_c())
        return std::nullopt;
    if (request.from_files())
        return read_array(request.c_file, resolved.types.output);
    return generated_array(resolved.types.output, generated_c, resolved.c.extents(), threads);
}

/// Sets all bits, which is NaN in every type, and -1 of integers, so that an element that is never
/// written is noticed. It also maps the pages before anything is timed.
void poison(host_array &array, int threads) {
    base::run_parallel(threads, [&](base::team_member member) {
        const base::range part = base::split(array.size().value, member.size(), member.id(), 4096);
        std::memset(array.data() + part.begin, 0xff, static_cast<std::size_t>(part.size()));
    });
}

contract_impl::verification verify(const contraction_plan &plan,
                                   const resolved_contraction &resolved,
                                   std::span<const input> inputs, const input &c, const input &d) {
    const contract_impl::plan_state &state = contract_impl::whole_of(plan);
    const scalar alpha = base::scaled(state.scale, resolved.alpha);
    const index_t elements = elements_to_verify(resolved.spec, inputs);
    if (inputs.size() > 2)
        return contract_impl::verify({resolved.spec, inputs, alpha, resolved.beta, c}, d, elements,
                                     /*seed=*/1);
    return contract_impl::verify(state.problem,
                                 {.alpha = alpha,
                                  .a = inputs[0].data(),
                                  .b = inputs.size() > 1 ? inputs[1].data() : nullptr,
                                  .beta = resolved.beta,
                                  .c = c.data()},
                                 d.data(), elements, /*seed=*/1);
}

} // namespace

contraction_result run_alone(const contraction_request &request, const run_options &run) {
    contraction_result result;
    result.resolved = resolve(request, half_precision::kept);
    const resolved_contraction &resolved = result.resolved;
    if (!request.out_file.empty())
        check_array_writable(request.out_file);
    const contraction_plan plan = plan_for(request, resolved);
    const plan_summary &summary = plan.summary();

    const std::vector<host_array> arrays = load_inputs(request, resolved, summary.threads);
    const std::optional<host_array> c_array = load_c(request, resolved, summary.threads);
    host_array d(resolved.types.output, resolved.d);
    poison(d, summary.threads);

    const std::vector<input> inputs = inputs_of(request, resolved, arrays);
    if (run.verify)
        static_cast<void>(elements_to_verify(resolved.spec, inputs)); // throws before the run if
                                                                      // --verify would take too
                                                                      // long
    std::vector<const void *> data;
    for (const input &one : inputs)
        data.push_back(one.data());
    const void *c = c_array ? c_array->data() : nullptr;
    progress line("tenfold contract: run");
    const timed_runs timed = time_runs(run.repeat, [&](int number) {
        line.show(number, run.repeat);
        const stopwatch watch;
        plan.execute(resolved.alpha, data, resolved.beta, c, d.data(), {},
                     line.watch(summary.seconds))
            .throw_if_failed();
        return watch.seconds();
    });
    line.clear();

    result.threads = summary.threads;
    result.algorithm = summary.algorithm;
    result.seconds_min = timed.seconds_min;
    result.first_call = timed.first_call;
    result.predicted_seconds = summary.seconds;
    result.flops = summary.flops;
    result.bytes = static_cast<double>(resolved.tensor_bytes());
    result.workspace = plan.workspace_size();
    result.peak_bytes_per_rank = {resolved.tensor_bytes() + result.workspace.value};
    result.explanation = plan.explain();
    if (run.verify) {
        const input c_input(resolved.types.output, c, resolved.c);
        const auto found = verify(plan, resolved, inputs, c_input, d);
        result.verified = {
            found.max_relative_error, found.bound, found.elements, found.not_numbers, {}};
        if (found.not_numbers > 0)
            result.verified->nan_source = source_of_nan(resolved.spec, inputs, c_input, "C");
    }
    if (!request.out_file.empty())
        write_array(request.out_file, d);
    if (!run.json)
        result.machine =
            measure_ceiling(output_type_of(resolved.types.output), result.threads, result.bytes);
    return result;
}

} // namespace tenfold::apps_impl
