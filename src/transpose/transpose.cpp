// transpose(expression, ...): alpha and beta of an expression, a plan, its execution.
#include <tenfold/transpose.hpp>

#include <tenfold/einsum.hpp>

#include "base/scalars.hpp"
#include "base/work.hpp"
#include "transpose/permutation.hpp"

namespace tenfold {

void transpose(std::string_view expression, const input &a, const output &b,
               const transpose_options &options) {
    const int order = a.shape().order(); // of the only input: parse() refuses more
    const contraction_spec spec = parse(expression, {&order, 1});
    const bool accumulates = spec.operation != contraction_spec::update::assign;
    if (accumulates && options.beta)
        throw error(errc::invalid_argument,
                    "'" + spec.text +
                        "' accumulates, and beta is given too: write '=' with beta, "
                        "or leave beta out");
    const scalar beta = options.beta.value_or(accumulates ? 1.0 : 0.0);
    transpose_options planned = options;
    planned.beta = beta; // tuning measures what will run
    const transpose_plan plan(transpose_impl::permutation_of(spec, a.shape(), b.shape()), a.type(),
                              a.shape(), b.type(), b.shape(), a.conjugated(), planned);
    const bool negates = spec.operation == contraction_spec::update::subtract;
    const scalar alpha = base::scaled(negates ? -spec.scale : spec.scale, options.alpha);
    base::watched_call watched(options.control);
    watched.finish(watched.stops() ? status() : plan.execute(alpha, a.data(), beta, b.data()));
}

} // namespace tenfold
