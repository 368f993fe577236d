// The command `tenfold transpose`.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <nlohmann/json.hpp>

#include <tenfold/transpose.hpp>

#include "apps/common/ceilings.hpp"
#include "apps/common/generate.hpp"
#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/text.hpp"
#include "apps/common/timing.hpp"
#include "apps/common/transposition_check.hpp"
#include "apps/tenfold/array_file.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/contraction_result.hpp"
#include "apps/tenfold/transpose_request.hpp"
#include "apps/tenfold/verification.hpp"

namespace tenfold::apps_impl {
namespace {

/// The arrays of a run; A and B may be parts of them.
struct transpose_arrays {
    host_array a, b;
    std::optional<host_array> previous; ///< B before each run; empty if beta is 0

    transpose_arrays(const transpose_request &request, const resolved_transpose &resolved,
                     int threads)
        : a(load_a(request, resolved, threads)), b(resolved.b.type, resolved.b.whole) {
        if (!resolved.reads_b())
            return;
        if (request.operands.from_files())
            previous = read_array(request.operands.out_file, resolved.b.type);
        else
            previous = generated_array(b.type(), 1, b.shape().extents(), threads);
    }

    /// Sets B to `previous`, or else to NaN, so that an element that is never written is noticed.
    void reset_b() {
        const auto size = static_cast<std::size_t>(b.size().value);
        if (previous)
            std::memcpy(b.data(), previous->data(), size);
        else
            std::memset(b.data(), 0xff, size);
    }

private:
    static host_array load_a(const transpose_request &request, const resolved_transpose &resolved,
                             int threads) {
        if (request.operands.from_files())
            return read_array(request.operands.a_file, resolved.a.type);
        return generated_array(resolved.a.type, 0, resolved.a.whole.extents(), threads);
    }
};

/// The pointer to the first element of an operand in its array.
template <class Byte> Byte *data_of(const array_part &part, Byte *array) {
    return array + part.origin() * size_of(part.type);
}
input as_input(const array_part &part, const host_array &array) {
    return {part.type, data_of(part, array.data()), part.part};
}

/// Throws failure if elements outside B have been written.
void check_surroundings(const resolved_transpose &resolved, const transpose_arrays &arrays) {
    const array_part &b = resolved.b;
    if (b.part.size() == b.whole.size())
        return;
    const auto bytes = static_cast<std::size_t>(size_of(b.type));
    const std::vector<std::byte> untouched(bytes, std::byte{0xff});
    extents_t at(b.offsets.size(), 0);
    for (index_t element = 0; element < b.whole.size(); ++element) {
        bool inside = true;
        for (std::size_t mode = 0; mode < at.size(); ++mode)
            inside = inside && at[mode] >= b.offsets[mode] &&
                     at[mode] < b.offsets[mode] + b.part.extents()[mode];
        // Generated tensors are dense and column-major.
        const auto place = static_cast<std::size_t>(element) * bytes;
        const std::byte *before =
            arrays.previous ? arrays.previous->data() + place : untouched.data();
        if (!inside && std::memcmp(arrays.b.data() + place, before, bytes) != 0)
            throw failure("verification failed: B was written outside of the sub-tensor, at "
                          "element " +
                          std::to_string(element) + " of the outer tensor");
        for (std::size_t mode = 0; mode < at.size() && ++at[mode] == b.whole.extents()[mode];
             ++mode)
            at[mode] = 0;
    }
}

contraction_result::check verify(const resolved_transpose &resolved,
                                 const transpose_arrays &arrays) {
    const input a = as_input(resolved.a, arrays.a);
    const input previous(resolved.b.type,
                         arrays.previous ? data_of(resolved.b, arrays.previous->data()) : nullptr,
                         resolved.b.part);
    const auto found = check({.tensors = {.permutation = resolved.permutation,
                                          .type_a = a.type(),
                                          .a = a.shape(),
                                          .type_b = resolved.b.type,
                                          .b = resolved.b.part},
                              .alpha = resolved.alpha,
                              .a = a.data(),
                              .beta = resolved.beta,
                              .before = previous.data(),
                              .b = data_of(resolved.b, arrays.b.data())},
                             verified_elements);
    contraction_result::check result = {
        found.max_relative_error, found.bound, found.elements, found.not_numbers, {}};
    if (found.not_numbers > 0)
        result.nan_source = source_of_nan(resolved.spec, {&a, 1}, previous, "B");
    return result;
}

struct transpose_result {
    timed_runs timed;
    double gbps = 0;
    double of_ceiling = 0;
    std::optional<contraction_result::check> verified;
};

nlohmann::ordered_json by_label(const labelled_extents &values) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto &[label, value] : values)
        object[label] = value;
    return object;
}

/// Describes the plan without running it: the object that --explain --json prints.
nlohmann::ordered_json describe_plan(const transpose_request &request,
                                     const resolved_transpose &resolved, const transpose_plan &plan,
                                     int threads) {
    return {{"spec", request.operands.spec},
            {"extents", by_label(resolved.extents)},
            {"type", resolved.type_name()},
            {"outer_a", by_label(request.around_a.extents)},
            {"offset_a", by_label(request.around_a.offsets)},
            {"outer_b", by_label(request.around_b.extents)},
            {"offset_b", by_label(request.around_b.offsets)},
            {"threads", threads},
            {"bytes", plan.traffic(resolved.reads_b()).value},
            {"predicted_seconds", plan.predicted_seconds()},
            {"explanation", plan.explain()}};
}

void print(const transpose_request &request, const resolved_transpose &resolved,
           const transpose_plan &plan, int threads, const transpose_result &result) {
    if (request.run.json) {
        nlohmann::ordered_json json = describe_plan(request, resolved, plan, threads);
        json["seconds_min"] = result.timed.seconds_min;
        json["first_call"] = result.timed.first_call;
        json["gbps"] = result.gbps;
        json["of_ceiling"] = result.of_ceiling;
        add_verification(json, result.verified);
        std::printf("%s\n", json.dump().c_str());
        return;
    }
    std::fputs(plan.explain().c_str(), stdout);
    std::printf("  took %s with %d %s: %.4g GB/s, %.2f of the ceiling%s\n",
                describe_seconds(result.timed.seconds_min).c_str(), threads,
                threads == 1 ? "thread" : "threads", result.gbps, result.of_ceiling,
                remark_on(result.timed.first_call));
    if (result.verified)
        std::fputs(describe(*result.verified).c_str(), stdout);
    if (!request.operands.out_file.empty())
        std::printf("  wrote %s\n", request.operands.out_file.c_str());
}

int run(const transpose_request &request) {
    const contraction_request &operands = request.operands;
    const resolved_transpose resolved = resolve(request);
    const int threads =
        operands.execution.threads > 0 ? operands.execution.threads : context::global().threads();
    const transpose_options options{.alpha = resolved.alpha,
                                    .beta = resolved.beta,
                                    .tuning = request.tuning,
                                    .tuning_seconds = request.tuning_seconds,
                                    .threads = threads};
    const transpose_plan plan(resolved.permutation, resolved.a.type, resolved.a.part,
                              resolved.b.type, resolved.b.part, false, options);
    if (request.explain) {
        const std::string text = request.run.json
                                     ? describe_plan(request, resolved, plan, threads).dump() + "\n"
                                     : plan.explain();
        std::fputs(text.c_str(), stdout);
        return exit_success;
    }

    if (!operands.out_file.empty())
        check_array_writable(operands.out_file);
    transpose_arrays arrays(request, resolved, threads);
    transpose_result result;
    progress line("tenfold transpose: run");
    result.timed = time_runs(request.run.repeat, [&](int number) {
        line.show(number, request.run.repeat);
        arrays.reset_b();
        const stopwatch watch;
        plan.execute(resolved.alpha, data_of(resolved.a, arrays.a.data()), resolved.beta,
                     data_of(resolved.b, arrays.b.data()), line.watch(plan.predicted_seconds()))
            .throw_if_failed();
        return watch.seconds();
    });
    line.clear();

    const auto traffic = static_cast<double>(plan.traffic(resolved.reads_b()).value);
    result.gbps = traffic / result.timed.seconds_min * 1e-9;
    const byte_count copied = {resolved.a.part.size() * size_of(resolved.a.type)};
    result.of_ceiling =
        result.gbps / quick_stream_gbps(resolved.reads_b() ? stream::saxpy : stream::copy,
                                        resolved.a.type, context::global().isa(), threads, copied);
    if (request.run.verify) {
        check_surroundings(resolved, arrays);
        result.verified = verify(resolved, arrays);
    }
    if (!operands.out_file.empty())
        write_array(operands.out_file, arrays.b);
    print(request, resolved, plan, threads, result);
    if (result.verified && !result.verified->passed())
        throw failure("verification failed: " + result.verified->complaint());
    return exit_success;
}

} // namespace

int transpose_command(const std::vector<std::string> &arguments) {
    transpose_request request;
    command_line line("tenfold transpose",
                      "SPEC (--extents a=48,b=36,... | --a A.npy --out B.npy) [options]",
                      "Computes B = alpha permuted(A) + beta B, for instance \"ba=ab\". With "
                      "files and beta, the\nfile named by --out is read before it is written.");
    add_transpose_options(line, request);
    if (!line.parse(arguments))
        return exit_success;
    if (launched_ranks() > 1)
        throw usage_error("transpose runs on one process only");
    return run(request);
}

} // namespace tenfold::apps_impl
