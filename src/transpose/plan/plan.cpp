#include "base/context_of.hpp"
#include "transpose/plan/plan_state.hpp"

#include "base/checked.hpp"
#include "base/execution_watch.hpp"
#include "base/footprint.hpp"
#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "base/text.hpp"
#include "base/work.hpp"
#include "tensor/overlap.hpp"
#include "tensor/spanned_bytes.hpp"
#include "transpose/execute.hpp"
#include "transpose/plan/choices.hpp"
#include "transpose/tune.hpp"

namespace tenfold {
namespace {

using namespace transpose_impl;

/// Checks the types before anything is computed from them.
data_type compatible(data_type a, data_type b) {
    if (!is_integer(a))
        base::check_enumerator(a, "the element type of A");
    if (!is_integer(b))
        base::check_enumerator(b, "the element type of B");
    if (!converts(a, b))
        throw error(errc::type_mismatch,
                    "A is " + std::string(name(a)) + ", B is " + std::string(name(b)) +
                        (is_integer(a) || is_integer(b)
                             ? "; integers are only moved to the same type"
                             : "; complex numbers do not become real ones"),
                    {.first = {.name = "A", .type = a}, .second = {.name = "B", .type = b}});
    return a;
}

reduced_problem checked_problem(std::span<const int> permutation, const layout &a,
                                const layout &b) {
    check(permutation, a, b);
    return reduce(permutation, a, b);
}

operation::term kind_of(scalar factor) noexcept {
    if (factor == scalar(0.0))
        return operation::term::absent;
    return factor.imag() == 0 ? operation::term::straight : operation::term::crossed;
}

/// Sets the factors of factor * z, or factor * conj(z), per component: (u + iv)(p + iq) = (up - vq)
/// + i(uq + vp).
void set_factors(double (&straight)[2], double (&crossed)[2], scalar factor, bool conjugate) {
    const double sign = conjugate ? -1 : 1;
    straight[0] = factor.real();
    straight[1] = sign * factor.real();
    crossed[0] = -sign * factor.imag();
    crossed[1] = factor.imag();
}

/// Returns the operation y = alpha op(x) + beta y on these types, as kernels want it. If `b` is
/// real, alpha and beta are real.
operation make_operation(data_type a, data_type b, bool conjugate, scalar alpha,
                         scalar beta) noexcept {
    const bool conjugates = conjugate && is_complex(b);
    operation result{};
    result.x = kind_of(alpha);
    result.y = kind_of(beta);
    result.copies =
        a == b && alpha == scalar(1.0) && result.y == operation::term::absent && !conjugates;
    set_factors(result.x_straight, result.x_crossed, alpha, conjugates);
    set_factors(result.y_straight, result.y_crossed, beta, false);
    return result;
}

} // namespace

transpose_impl::plan_state::plan_state(const transposed_tensors &what,
                                       const transpose_options &options,
                                       const schedule_options &choices)
    : type_a(compatible(what.type_a, what.type_b)), type_b(what.type_b), a(what.a), b(what.b),
      conjugate(what.conjugate) {
    const context &ctx = base::context_of(options);
    base::check_threads(options.threads);
    base::check_enumerator(options.tuning, "tuning");
    if (options.tuning_seconds && !(*options.tuning_seconds > 0))
        throw error(errc::invalid_argument, "tuning_seconds is " +
                                                base::format("%g", *options.tuning_seconds) +
                                                "; it must be more than 0");
    tensor_impl::check_bytes("A", a, type_a);
    tensor_impl::check_bytes("B", b, type_b);
    problem = checked_problem(what.permutation, a, b);
    same_places = problem.same_places && type_a == type_b;
    moved_a = type_a;
    moved_b = type_b;
    const std::optional<data_type> pair_of_a = complex_type_of(type_a);
    const std::optional<data_type> pair_of_b = complex_type_of(type_b);
    if (pair_of_a && pair_of_b && pair_up(problem)) {
        moved_a = *pair_of_a;
        moved_b = *pair_of_b;
    }
    threads = options.threads > 0 ? options.threads : ctx.threads();
    const method how = choose_method(problem);
    kernels = choose_kernels(ctx.isa(), how, moved_a, moved_b);
    overwrites = scheduled(false, base::machine_of(ctx), choices);
    accumulates = scheduled(true, base::machine_of(ctx), choices);
    predict(ctx);
}

schedule transpose_impl::plan_state::scheduled(bool reads_b, const base::machine &machine,
                                               const schedule_options &choices) const {
    return make_schedule(problem, movement_of(reads_b), machine, kernels.shape, choices);
}

std::size_t transpose_impl::plan_state::footprint() const noexcept {
    const auto allocated = [](const auto &modes) {
        std::size_t sum = base::allocated_by(modes);
        for (const auto &mode : modes)
            sum += base::allocated_by(mode.members);
        return sum;
    };
    std::size_t sum = sizeof *this + base::allocation_overhead + base::allocated_by(a) +
                      base::allocated_by(b) + allocated(problem.modes) + base::allocated_by(tuning);
    for (const schedule *one : {&overwrites, &accumulates}) {
        sum += allocated(one->rows) + allocated(one->panel) + allocated(one->run) +
               base::allocated_by(one->loops);
        for (const panel_loop &loop : one->loops)
            sum += base::allocated_by(loop.mode.members);
    }
    return sum;
}

status transpose_impl::plan_state::execute(scalar alpha, const void *data_a, scalar beta,
                                           void *data_b) const noexcept {
    if (!base::fits(type_b, alpha) || !base::fits(type_b, beta))
        return status(errc::type_mismatch, 'B');
    if (b.empty())
        return {};
    if (data_b == nullptr)
        return status(errc::null_pointer, 'B');
    alpha = base::round_to(type_b, alpha);
    beta = base::round_to(type_b, beta);
    operation op = make_operation(type_a, type_b, conjugate, alpha, beta);
    if (op.x != operation::term::absent) {
        if (data_a == nullptr)
            return status(errc::null_pointer, 'A');
        const bool in_place = data_a == data_b && same_places;
        if (!in_place &&
            tensor_impl::share_memory({data_a, size_of(type_a), &a}, {data_b, size_of(type_b), &b}))
            return status(errc::overlap, 'A');
    }
    // Streaming kernels require that elements do not straddle lines.
    const bool element_aligned =
        reinterpret_cast<std::uintptr_t>(data_b) % static_cast<std::uintptr_t>(size_of(moved_b)) ==
        0;
    const schedule &plan = op.y == operation::term::absent ? overwrites : accumulates;
    if (plan.stream && element_aligned)
        op.store = plan.lines_of_b || plan.joins || plan.how == method::rows ? store_kind::streamed
                   : kernels.shape.carries                                   ? store_kind::carried
                                                                             : store_kind::plain;
    const auto move = [&] {
        run(plan, kernels, op, static_cast<const char *>(data_a), static_cast<char *>(data_b));
    };
    if (learner == nullptr || op.y != operation::term::absent || op.x == operation::term::absent) {
        move();
        return {};
    }
    const base::execution_watch watch;
    move();
    if (const auto seconds = watch.undisturbed_seconds(plan.threads))
        learner->saw(plan.threads, as_copied_bytes, *seconds, caches_help);
    return {};
}

transpose_plan::transpose_plan(std::span<const int> permutation, data_type type_a, const layout &a,
                               data_type type_b, const layout &b, bool conjugate,
                               const transpose_options &options) {
    schedule_options choices;
    if (options.bypass_caches)
        choices.stream_threshold = streams_if(*options.bypass_caches);
    const auto made = std::make_shared<state>(
        transposed_tensors{permutation, type_a, a, type_b, b, conjugate}, options, choices);
    state_ = made;
    if (options.bypass_caches)
        return;
    const context &ctx = base::context_of(options);
    wisdom *known = wisdom::of(ctx);
    if (options.tuning != tuning::estimate || known != nullptr)
        tune(*made,
             {.ctx = ctx,
              .level = options.tuning,
              .accumulates = options.beta.value_or(0.0) != 0.0,
              .known = known,
              .seconds = options.tuning_seconds},
             scratch_instruments(ctx));
}

status transpose_plan::execute(scalar alpha, const void *a, scalar beta, void *b,
                               const execution_control *control) const noexcept {
    base::watched_call watched(control);
    if (watched.stops())
        return watched.outcome();
    return watched.outcome(state_->execute(alpha, a, beta, b));
}

std::string transpose_plan::explain() const { return transpose_impl::explain(*state_); }

double transpose_plan::predicted_seconds() const noexcept { return state_->seconds; }

byte_count transpose_plan::traffic(bool reads_b) const noexcept {
    const index_t b = state_->b.size() * size_of(state_->type_b);
    const index_t a = state_->a.size() * size_of(state_->type_a);
    return bytes(base::saturated_add(a, reads_b ? base::saturated_add(b, b) : b));
}

} // namespace tenfold
