#include "distributed/run/run_plan.hpp"

#include <array>
#include <chrono>
#include <set>
#include <span>

#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "base/sum_types.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/run/panels.hpp"

namespace tenfold::dist_impl {

dist_options resolved(dist_options options, const any_dist_tensor &r) {
    const settings &defaults = base::context_of(options).settings();
    if (!options.reproducible)
        options.reproducible = defaults.reproducible;
    if (is_integer(r.type))
        options.reproducible = false;
    if (*options.reproducible && !options.backend)
        options.backend = defaults.backend; // the planner may reject this backend
    return options;
}

dist_options with_threads(dist_options options, const world &where) {
    const int asked = options.ctx != nullptr ? options.ctx->settings().threads : 0;
    if (options.threads == 0)
        options.threads = asked > 0 ? asked : where.threads();
    return options;
}

void plan_epilogue(std::optional<local_epilogue> &finish, const contraction_spec &spec,
                   const any_dist_tensor &r, const dist_options &options) {
    finish.reset();
    if (options.epilogue != nullptr && !options.epilogue->steps().empty())
        finish.emplace(*options.epilogue, spec,
                       block_of_output{r.type, r.spread->extents(), *r.local, r.elements},
                       base::context_of(options).isa());
}

void check_output(const any_dist_tensor &r, const contraction_spec &spec,
                  const scale_factors &factors) {
    const std::set<label_t> distinct(spec.output.begin(), spec.output.end());
    if (factors.beta != scalar(0) || distinct.size() != spec.output.size())
        tensor_access::check_copies(r, "D");
}

namespace {

/// T: the type of the sums.
template <class T> dist_report run_in(const dist_plan &plan, const plan_use &use,
                                      const any_dist_tensor &a, const any_dist_tensor *b,
                                      const any_dist_tensor &r) {
    communicator &comm = internals::of(*r.owner);
    std::optional<panel_contraction<T>> work;
    const auto describe = [&](call_description &call) {
        call.add("plan", plan.hash())
            .add("control", base::work_part::is_watched() ? "given" : "none");
    };
    collectively(comm, "contract (plan)", describe, [&] {
        const timed preparing(comm.recorder(), activity::plan, "local plans and memory");
        work.emplace(*r.owner, internals::of(plan), use.factors, use.ctx,
                     blocks_of_rank{a.elements, b == nullptr ? nullptr : b->elements, r.elements});
    });

    const auto start = std::chrono::steady_clock::now();
    const panel_contraction_counts counts = work->run();
    if (use.finish != nullptr && !base::work_part::stops())
        use.finish->run(use.threads);
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;

    index_t peak = work->buffer_bytes();
    for (const any_dist_tensor *tensor : {&a, b, &r})
        if (tensor != nullptr)
            peak += tensor->local->size() * size_of(tensor->type);
    const std::array<std::uint64_t, 6> mine{counts.received,
                                            counts.redistributed,
                                            static_cast<std::uint64_t>(peak),
                                            static_cast<std::uint64_t>(work->workspace_bytes()),
                                            static_cast<std::uint64_t>(elapsed.count()),
                                            base::work_part::stops() ? 1U : 0U};
    std::array<std::uint64_t, 6> most{};
    const std::size_t words = base::work_part::is_watched() ? 6 : 5;
    comm.maximum(std::span(mine).first(words), std::span(most).first(words));
    if (most[5] != 0) { // the caller stopped the work on some rank
        tensor_access::copies_may_differ(r);
        throw error(errc::stopped, status(errc::stopped).message());
    }
    *r.written_by_hand = false; // check_output()
    return {plan,
            bytes(static_cast<index_t>(most[0])),
            bytes(static_cast<index_t>(most[1])),
            bytes(static_cast<index_t>(most[2])),
            bytes(static_cast<index_t>(most[3])),
            static_cast<double>(most[4]) * 1e-9,
            work->local_algorithm(),
            bytes(static_cast<index_t>(counts.received)),
            bytes(static_cast<index_t>(counts.redistributed))};
}

} // namespace

dist_report run_plan(const dist_plan &plan, const plan_use &use, const any_dist_tensor &a,
                     const any_dist_tensor *b, const any_dist_tensor &r) {
    std::optional<dist_report> report;
    base::with_sum_type(type_of_sums(r),
                        [&]<class T>(T) { report.emplace(run_in<T>(plan, use, a, b, r)); });
    return std::move(*report);
}

} // namespace tenfold::dist_impl
