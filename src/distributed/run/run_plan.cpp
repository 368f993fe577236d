#include "distributed/run/run_plan.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "base/sum_types.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/comm/background.hpp"
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

dist_options in_world(dist_options options, const world &where) {
    const int asked = options.ctx != nullptr ? options.ctx->settings().threads : 0;
    if (options.threads == 0)
        options.threads = asked > 0 ? asked : where.threads();
    if (options.ranks_per_node == 0)
        options.ranks_per_node = where.ranks_per_node();
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

/// A planned contraction and its operands; `b` is null with one input.
struct planned_contraction {
    const dist_plan &plan;
    const plan_use &use;
    const any_dist_tensor &a;
    const any_dist_tensor *b;
    const any_dist_tensor &r;
};

const char *control_given() noexcept { return base::work_part::is_watched() ? "given" : "none"; }

/// What executes it on this rank, with all memory. T: the type of the sums.
template <class T>
void prepare(std::optional<panel_contraction<T>> &work, const planned_contraction &of) {
    const timed preparing(internals::of(*of.r.owner).recorder(), activity::plan,
                          "local plans and memory");
    work.emplace(
        *of.r.owner, internals::of(of.plan), of.use.factors, of.use.ctx,
        blocks_of_rank{of.a.elements, of.b == nullptr ? nullptr : of.b->elements, of.r.elements});
}

template <class T> dist_report execute(panel_contraction<T> &work, const planned_contraction &of) {
    const auto start = std::chrono::steady_clock::now();
    const panel_contraction_counts counts = work.run();
    if (of.use.finish != nullptr && !base::work_part::stops())
        of.use.finish->run(of.use.threads);
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;

    index_t peak = work.buffer_bytes();
    for (const any_dist_tensor *tensor : {&of.a, of.b, &of.r})
        if (tensor != nullptr)
            peak += tensor->local->size() * size_of(tensor->type);
    const std::array<std::uint64_t, 6> mine{counts.received,
                                            counts.redistributed,
                                            static_cast<std::uint64_t>(peak),
                                            static_cast<std::uint64_t>(work.workspace_bytes()),
                                            static_cast<std::uint64_t>(elapsed.count()),
                                            base::work_part::stops() ? 1U : 0U};
    std::array<std::uint64_t, 6> most{};
    const std::size_t words = base::work_part::is_watched() ? 6 : 5;
    internals::of(*of.r.owner).maximum(std::span(mine).first(words), std::span(most).first(words));
    if (most[5] != 0) { // the caller stopped the work on some rank
        tensor_access::copies_may_differ(of.r);
        throw error(errc::stopped, status(errc::stopped).message());
    }
    *of.r.written_by_hand = false; // check_output()
    return {of.plan,
            bytes(static_cast<index_t>(most[0])),
            bytes(static_cast<index_t>(most[1])),
            bytes(static_cast<index_t>(most[2])),
            bytes(static_cast<index_t>(most[3])),
            static_cast<double>(most[4]) * 1e-9,
            work.local_algorithm(),
            bytes(static_cast<index_t>(counts.received)),
            bytes(static_cast<index_t>(counts.redistributed))};
}

/// A and B travel in the background; wait() multiplies.
template <class T> class contraction_in_background final : public pending_result<dist_report>,
                                                           public background_work {
public:
    /// Finds the memory.
    explicit contraction_in_background(std::unique_ptr<agreed_contraction> agreed)
        : background_work(*agreed->r.owner, "contract_async", agreed->r.number),
          agreed_(std::move(agreed)), use_(agreed_->use()) {
        prepare(work_, planned());
        comm().prepare_background();
    }
    ~contraction_in_background() override { leave(); }
    contraction_in_background(const contraction_in_background &) = delete;
    contraction_in_background &operator=(const contraction_in_background &) = delete;

    void begin() {
        enter();
        work_->start_arrivals(tag());
    }

    bool test() override {
        const exclusive_use one_thread(comm());
        comm().advance_background();
        return is_through();
    }
    dist_report wait() override {
        const exclusive_use one_thread(comm());
        const traced_call traced(comm(), "contract_async (wait)");
        const reported_waits reported(comm(), agreed_->options.ctx);
        const auto describe = [&](call_description &call) {
            call.add("its collective call", background_work::call())
                .add("control", control_given());
        };
        return base::run_watched(agreed_->options.control, [&] {
            collectively(comm(), "contract_async (wait)", describe, [] {});
            finish();
            return execute(*work_, planned());
        });
    }

    bool advance() override { return work_->advance_arrivals(); }
    bool is_through() const noexcept override { return work_->have_arrived(); }
    std::vector<int> peers() const override { return work_->peers(); }
    void take_back() noexcept override { work_->take_back(); }

private:
    planned_contraction planned() const noexcept {
        return {*agreed_->plan, use_, agreed_->a, agreed_->second(), agreed_->r};
    }

    std::unique_ptr<agreed_contraction> agreed_;
    plan_use use_;
    std::optional<panel_contraction<T>> work_;
};

/// Collective. Agrees on a plan and that all ranks can carry it out, which prepare() finds.
template <class Prepare> void agree_on_plan(const char *operation, const dist_plan &plan,
                                            const any_dist_tensor &r, const Prepare &prepared) {
    const auto describe = [&](call_description &call) {
        call.add("plan", plan.hash()).add("control", control_given());
    };
    collectively(internals::of(*r.owner), operation, describe, prepared);
}

} // namespace

dist_report run_plan(const dist_plan &plan, const plan_use &use, const any_dist_tensor &a,
                     const any_dist_tensor *b, const any_dist_tensor &r) {
    std::optional<dist_report> report;
    base::with_sum_type(internals::of(plan).type, [&]<class T>(T) {
        const planned_contraction of{plan, use, a, b, r};
        std::optional<panel_contraction<T>> work;
        agree_on_plan("contract (plan)", plan, r, [&] { prepare(work, of); });
        report.emplace(execute(*work, of));
    });
    return std::move(*report);
}

std::unique_ptr<pending_result<dist_report>>
start_plan(std::unique_ptr<agreed_contraction> agreed) {
    std::unique_ptr<pending_result<dist_report>> begun;
    const dist_plan plan = *agreed->plan;
    const any_dist_tensor r = agreed->r;
    base::with_sum_type(internals::of(plan).type, [&]<class T>(T) {
        contraction_in_background<T> *work = nullptr;
        agree_on_plan("contract_async (plan)", plan, r, [&] {
            auto made = std::make_unique<contraction_in_background<T>>(std::move(agreed));
            work = made.get();
            begun = std::move(made);
        });
        const inside_library here(internals::of(*r.owner));
        work->begin();
    });
    return begun;
}

} // namespace tenfold::dist_impl
