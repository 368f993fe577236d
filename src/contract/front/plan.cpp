#include <tenfold/contract.hpp>

#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/log.hpp"
#include "base/option_checks.hpp"
#include "base/rate_probe.hpp"
#include "base/text.hpp"
#include "base/work.hpp"
#include "contract/calibrate/copy_probe.hpp"
#include "contract/choose/planner.hpp"
#include "contract/choose/tune.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/products/permute.hpp"
#include "einsum/parser/path_steps.hpp"
#include "einsum/problem/broadcast.hpp"
#include "einsum/problem/checks.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold {
namespace {

using contract_impl::plan_environment;
using contract_impl::plan_from;
using contract_impl::plan_state;
using contract_impl::whole_of;
using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::D;
using einsum_impl::tensor_id;

/// Here, so that every program that plans contractions has the probe.
[[maybe_unused]] const bool probe_is_known = [] {
    base::known_copy_probe = calibrate_impl::probe_copy;
    return true;
}();

/// Refuses alpha, beta and a control, which a plan takes in execute() and would silently ignore
/// here.
void refuse_what_execute_takes(const contraction_spec &spec, const std::string &text,
                               const contract_options &options) {
    if (options.alpha != 1.0 || options.beta)
        throw error(errc::invalid_argument,
                    "make_plan() takes no alpha and beta: give them to execute()");
    if (options.control != nullptr)
        throw error(errc::invalid_argument, "make_plan() takes no control: give it to execute()");
    if (options.record != nullptr)
        throw error(errc::invalid_argument, "make_plan() takes no record: give it to execute()");
    using update = contraction_spec::update;
    if (spec.operation == update::assign)
        return;
    const bool adds = spec.operation == update::add;
    throw error(errc::invalid_argument,
                "'" + text + "' sets beta to 1 by its '" + (adds ? "+" : "-") +
                    "=', but a plan takes beta from execute(): write '=', and give beta = 1 there" +
                    (adds ? "" : ", with alpha negated"));
}

plan_environment resolve(const contract_options &options) {
    const context &ctx = base::context_of(options);
    base::check_threads(options.threads);
    base::check_enumerator(options.algorithm, "algorithm");
    base::check_enumerator(options.tuning, "tuning");
    base::check_enumerator(options.bf16_sums, "bf16_sums");
    plan_environment environment;
    environment.ctx = &ctx;
    environment.threads = options.threads > 0 ? options.threads : ctx.threads();
    environment.backend = options.backend.value_or(ctx.settings().backend);
    base::check_enumerator(environment.backend, "backend");
    environment.workspace_limit = options.workspace_limit.value_or(ctx.settings().workspace_limit);
    base::check_workspace_limit(environment.workspace_limit);
    environment.algorithm = options.algorithm;
    environment.bf16_sums = options.bf16_sums;
    environment.reproducible = options.reproducible.value_or(ctx.settings().reproducible);
    if (!environment.reproducible) // its result must not depend on measurements
        environment.tuning = options.tuning;
    return environment;
}

/// Of one multiply-add. One of a real and a complex number multiplies each part.
double flops_of_step(const einsum_impl::contraction_problem &problem) noexcept {
    const bool has_real_factor =
        !problem.unary && is_complex(problem.type[A]) != is_complex(problem.type[B]);
    const double whole = flops_per_multiply_add(problem.type[D]);
    return has_real_factor ? whole / 2 : whole;
}

plan_summary summarise(const einsum_impl::contraction_problem &problem) {
    plan_summary summary{};
    summary.m = extent_of(problem.m);
    summary.n = extent_of(problem.n);
    einsum_impl::mode_group summed = problem.k;
    for (const auto *isolated : {&problem.isolated_a, &problem.isolated_b})
        summed.insert(summed.end(), isolated->begin(), isolated->end());
    summary.k = extent_of(summed);
    summary.batch = extent_of(problem.batch);
    const auto product = [](std::initializer_list<index_t> factors) {
        double value = 1;
        for (const index_t factor : factors)
            value *= static_cast<double>(factor);
        return value;
    };
    summary.flops =
        flops_of_step(problem) * product({summary.m, summary.n, summary.k, summary.batch});
    summary.flops_at_once = summary.flops;
    for (const tensor_id tensor : einsum_impl::all_but_c)
        if (!(problem.unary && tensor == B))
            summary.bytes +=
                product({problem.touched[tensor].size(), size_of(problem.type[tensor])});
    summary.path = einsum_impl::free_path(problem.unary ? 1 : 2);
    return summary;
}

/// Plans more than two inputs.
void plan_sequence(contract_impl::plan_state &state, const contraction_spec &spec,
                   std::span<const input> inputs, const input &c, const output &d,
                   const contract_options &options) {
    state.sequence = contract_impl::make_sequence(spec, inputs, c, d, options);
    state.summary = summarise(*state.sequence, inputs, d);
}

/// Plans one or two inputs.
void plan_problem(contract_impl::plan_state &state, const contraction_spec &spec,
                  std::span<const input> inputs, const input &c, const output &d,
                  const contract_options &options) {
    if (is_integer(d.type())) {
        state.environment.reproducible = false; // as all contractions of integers are
    }
    const data_type a = inputs.empty() ? d.type() : inputs[0].type();
    state.problem =
        einsum_impl::make_problem(spec, inputs, c, d, options.diagonal_output,
                                  einsum_impl::type_of_sums(spec, a, d.type(), options.f64_sums));
    state.facts = contract_impl::problem_facts(state.problem);
    state.summary = summarise(state.problem);
    if (options.epilogue != nullptr && !options.epilogue->steps().empty()) {
        state.finish = std::make_shared<contract_impl::planned_epilogue>(
            *options.epilogue, spec, d, state.environment.ctx->isa());
        state.environment.finish = state.finish.get();
    }
    contract_impl::choose(state, spec, options.algorithm);
    contract_impl::wisdom *const known = contract_impl::wisdom::of(*state.environment.ctx);
    const bool is_tuned =
        !is_integer(d.type()) && (options.tuning != tuning::estimate || known != nullptr);
    if (is_tuned)
        contract_impl::tune(state, {options.tuning, options.algorithm, known},
                            contract_impl::make_scratch_instrument);
    // Integers are added to any C as they lie.
    const bool copies_c = !is_integer(d.type()) || !state.chosen->reads_any_c();
    if (!state.environment.only_choice && copies_c)
        static_cast<void>(state.copy_c.get(state.problem, state.environment));
}

/// A line about a plan that was made, and one about its tuning.
void tell(const contract_impl::plan_state &state, const contraction_spec &spec, data_type type) {
    const settings &from = state.environment.ctx->settings();
    if (!state.tuning.empty() && base::is_logged(from, base::log_level::info))
        base::log(from, base::log_level::info,
                  state.text + ", " +
                      state.tuning.substr(2, state.tuning.size() - 3)); // one indented line
    if (!base::is_logged(from, base::log_level::debug))
        return;
    const plan_summary &summary = state.summary;
    std::string line = "plan of '" + state.text + "', " + std::string(name(type)) + ": ";
    if (state.sequence)
        line += std::to_string(spec.inputs.size()) + " inputs in " +
                std::to_string(summary.steps.size()) + " steps";
    else
        line += std::string(name(summary.algorithm)) + ", m n k batch " +
                std::to_string(summary.m) + " x " + std::to_string(summary.n) + " x " +
                std::to_string(summary.k) + " x " + std::to_string(summary.batch);
    line += ", predicted " + base::describe_seconds(summary.seconds) + ", workspace " +
            base::describe(summary.workspace) + ", threads " + std::to_string(summary.threads);
    base::log(from, base::log_level::debug, line);
}

/// All of them, those of complex numbers conjugated once more.
std::vector<input> conjugated(std::span<const input> tensors) {
    std::vector<input> all;
    for (const input &one : tensors)
        all.push_back(is_complex(one.type()) ? conj(one) : one);
    return all;
}

/// Plans what the spec alone says: nothing is broadcast, and the options have no path.
std::unique_ptr<const plan_state> make_state_of(bool only_choice, const contraction_spec &spec,
                                                std::span<const input> inputs, const input &c,
                                                const output &d, const contract_options &options) {
    auto state = std::make_unique<plan_state>();
    state->text = einsum_impl::text_of(spec);
    refuse_what_execute_takes(spec, state->text, options);
    state->environment = resolve(options);
    state->environment.only_choice = only_choice;
    state->shared_names = einsum_impl::shared_names(spec);
    state->scale = spec.scale;
    state->conj_output = options.conj_output && is_complex(d.type());
    std::vector<input> other_inputs;
    if (state->conj_output) {
        other_inputs = conjugated(inputs);
        inputs = other_inputs;
    }
    const input own_c = state->conj_output ? conjugated({&c, 1}).front() : c;
    contract_options others = options;
    others.conj_output = false;
    if (is_integer(d.type()) && options.f64_sums)
        throw error(errc::unsupported, "D is " + std::string(name(d.type())) +
                                           ": sums of integers are exact, and not in f64");
    if (inputs.size() > 2)
        plan_sequence(*state, spec, inputs, own_c, d, others);
    else
        plan_problem(*state, spec, inputs, own_c, d, others);
    tell(*state, spec, d.type());
    return state;
}

/// The spec with what the options say about labels and order.
contraction_spec with_options(contraction_spec spec, const contract_options &options) {
    spec.broadcast = spec.broadcast || options.broadcast;
    if (options.path.empty())
        return spec;
    if (!spec.path.empty())
        throw error(errc::invalid_argument,
                    "'" + einsum_impl::text_of(spec) +
                        "' says by its parentheses what is contracted first; do not give a path "
                        "as well");
    spec.path = options.path;
    return spec;
}

std::unique_ptr<const plan_state> make_state_for(bool only_choice, const contraction_spec &spec,
                                                 std::span<const input> inputs, const input &c,
                                                 const output &d, const contract_options &options) {
    if (options.broadcast || !options.path.empty()) {
        einsum_impl::check_spec(spec); // before messages use names of labels
        contract_options others = options;
        others.broadcast = false;
        others.path.clear();
        return make_state_for(only_choice, with_options(spec, options), inputs, c, d, others);
    }
    einsum_impl::check_spec(spec);
    einsum_impl::check_shared_names(spec, inputs, d);
    if (spec.broadcast)
        if (const auto wide = einsum_impl::broadcast(spec, inputs, c, d))
            return make_state_of(only_choice, wide->spec, wide->inputs, wide->c, d, options);
    return make_state_of(only_choice, spec, inputs, c, d, options);
}

} // namespace

std::size_t contract_impl::footprint(const contraction_plan &plan) {
    const plan_state &state = whole_of(plan);
    const plan_summary &summary = state.summary;
    std::size_t sum = sizeof(internals::state_of<contraction_plan>) + sizeof(plan_state) +
                      2 * base::allocation_overhead + allocated_by(state.problem) +
                      base::allocated_by(state.text) + base::allocated_by(state.tuning) +
                      base::allocated_by(summary.candidates) + base::allocated_by(summary.steps) +
                      base::allocated_by(summary.path);
    sum += base::allocated_by(state.shared_names);
    for (const std::vector<int> &step : summary.path)
        sum += base::allocated_by(step);
    for (const candidate_summary &one : summary.candidates)
        sum += base::allocated_by(one.description);
    for (const step_summary &one : summary.steps)
        sum += base::allocated_by(one.expression) + base::allocated_by(one.operands);
    if (state.chosen != nullptr)
        sum += state.chosen->footprint();
    if (state.finish != nullptr)
        sum += state.finish->footprint();
    sum += state.copy_c.footprint();
    return state.sequence ? sum + footprint(*state.sequence) : sum;
}

contraction_plan make_plan(const contraction_spec &spec, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options) {
    return plan_from(make_state_for(false, spec, inputs, c, d, options));
}

std::unique_ptr<const plan_state> contract_impl::make_state(const contraction_spec &spec,
                                                            std::span<const input> inputs,
                                                            const input &c, const output &d,
                                                            const contract_options &options) {
    return make_state_for(false, spec, inputs, c, d, options);
}

contraction_plan contract_impl::make_plain_plan(const contraction_spec &spec,
                                                std::span<const input> inputs, const input &c,
                                                const output &d, const contract_options &options) {
    return plan_from(make_state_for(true, spec, inputs, c, d, options));
}

extents_t output_extents(const contraction_spec &spec, std::span<const layout> inputs) {
    return einsum_impl::extents_of_output(spec, inputs);
}

const transpose_plan &contract_impl::copy_of_c::get(const einsum_impl::contraction_problem &problem,
                                                    const plan_environment &environment) const {
    std::call_once(once_, [&] { plan_ = plan_into_d(problem, C, environment); });
    return *plan_;
}

std::size_t contract_impl::copy_of_c::footprint() const noexcept {
    return plan_ ? internals::of(*plan_).footprint() : 0;
}

const plan_state *contract_impl::kept_plan::find_whole() const noexcept {
    try {
        return &whole();
    } catch (...) {
        return nullptr;
    }
}

const plan_state &contract_impl::kept_plan::make_whole() const {
    std::unique_ptr<const plan_state> made = small_->whole();
    const plan_state *known = nullptr;
    // Two threads may have made it at a time: one of them wins.
    return whole_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)
               ? *made.release()
               : *known;
}

byte_count contraction_plan::workspace_size() const noexcept {
    return state_->small() != nullptr ? byte_count{} : state_->whole().summary.workspace;
}

const plan_summary &contraction_plan::summary() const { return state_->whole().summary; }

status contraction_plan::execute(scalar alpha, const void *a, const void *b, scalar beta,
                                 const void *c, void *d, std::span<std::byte> workspace,
                                 const execution_control *control) const noexcept {
    if (const auto *small = state_->small(); small != nullptr && control == nullptr &&
                                             (c == d || beta == 0.0) &&
                                             small->multiply(alpha, a, b, beta, d))
        return {};
    const plan_state *const state = state_->find_whole();
    if (state == nullptr)
        return status(errc::out_of_memory);
    if (state->sequence)
        return status(errc::invalid_argument);
    const auto work = [&]() noexcept {
        return contract_impl::execute(*state,
                                      {state->own_alpha(alpha), a, b, state->own_beta(beta), c}, d,
                                      {.workspace = workspace});
    };
    if (control == nullptr) // contractions may take only nanoseconds
        return work();
    base::watched_call watched(control, state->summary.seconds);
    return watched.outcome(watched.stops() ? status() : work());
}

status contraction_plan::execute(scalar alpha, std::span<const void *const> inputs, scalar beta,
                                 const void *c, void *d, std::span<std::byte> workspace,
                                 const execution_control *control) const noexcept {
    const plan_state *const state = state_->find_whole();
    if (state == nullptr)
        return status(errc::out_of_memory);
    if (inputs.size() != contract_impl::inputs_of(*state))
        return status(errc::invalid_argument);
    if (!state->sequence)
        return execute(alpha, inputs[0], inputs.size() > 1 ? inputs[1] : nullptr, beta, c, d,
                       workspace, control);
    base::watched_call watched(control, state->summary.seconds);
    if (watched.stops())
        return watched.outcome();
    return watched.outcome(contract_impl::execute_sequence(
        *state, {state->own_alpha(alpha), inputs, state->own_beta(beta), c}, d,
        {.workspace = workspace}));
}

std::string contraction_plan::explain() const {
    const plan_state &state = state_->whole();
    return state.sequence ? contract_impl::explain_sequence(state) : contract_impl::explain(state);
}

} // namespace tenfold
