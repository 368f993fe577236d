// The command `tenfold contract`.
#include <cstdio>

#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/distributed.hpp"

namespace tenfold::apps_impl {

int contract_command(const std::vector<std::string> &arguments) {
    contraction_request request;
    run_options run;
    command_line line("tenfold contract",
                      "SPEC (--extents a=48,b=36,... | --a A.npy --b B.npy) [options]",
                      "Computes D = alpha A B + beta C, the tensors' modes labelled as SPEC says:\n"
                      "\"abcd=aebf*dfce\", \"aebf,dfce->abcd\", \"abcd-aebf-dfce\" or "
                      "\"C[a,b]=A[a,k]*B[k,b]\".\n"
                      "Under mpirun the tensors are spread over the ranks.");
    add_contraction_options(line, request);
    auto &output = line.group("Output");
    add_run_options(output, run);
    add_trace_option(output, run.trace_file);
    if (!line.parse(arguments))
        return exit_success;

    if (under_launcher())
        refuse_across_ranks(request);
    else if (!run.trace_file.empty())
        throw usage_error("--trace: traces show runs across ranks; start it under mpirun");
    const contraction_result result =
        under_launcher() ? run_distributed(request, run) : run_alone(request, run);
    if (launched_rank() == 0) {
        const std::string text = run.json ? to_json(request, result) : to_text(request, result);
        std::fputs(text.c_str(), stdout);
    }
    if (result.verified && !result.verified->passed())
        throw failure("verification failed: " + result.verified->complaint());
    return exit_success;
}

} // namespace tenfold::apps_impl
