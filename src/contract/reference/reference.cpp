#include "contract/reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"
#include "contract/products/position_walker.hpp"
#include "contract/reference/plain_epilogue.hpp"
#include "contract/reference/wide_arithmetic.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::mode_group;

/// Bounds the relative error for any order of summation: sqrt(2) gamma(2 k + 5) for complex
/// numbers, gamma(k + 2) for real ones.
template <class T> double error_bound(index_t terms) noexcept {
    const double unit = epsilon_of<T>() / 2;
    const double k = static_cast<double>(terms);
    const double lost = (is_complex(data_type_of<T>) ? 2 * k + 5 : k + 2) * unit;
    const double gamma = lost < 1 ? lost / (1 - lost) : std::numeric_limits<double>::infinity();
    return is_complex(data_type_of<T>) ? std::sqrt(2.0) * gamma : gamma;
}

/// Concatenates the modes of several groups.
mode_group concatenate(std::initializer_list<const mode_group *> groups) {
    mode_group all;
    for (const mode_group *group : groups)
        all.insert(all.end(), group->begin(), group->end());
    return all;
}

/// Calls body(offsets) for every position of `modes`, the first mode fastest, beginning at offsets
/// `start`. Does not allocate; recursion is at most as deep as the number of modes.
template <class Body> void for_each_position(std::span<const einsum_impl::problem_mode> modes,
                                             const offsets &start, Body &&body) {
    if (modes.empty()) {
        body(start);
        return;
    }
    const einsum_impl::problem_mode &slowest = modes.back();
    offsets at = start;
    for (index_t i = 0; i < slowest.extent; ++i) {
        for_each_position(modes.first(modes.size() - 1), at, body);
        for (std::size_t t = 0; t < at.size(); ++t)
            at[t] += slowest.stride[t];
    }
}

/// One contraction for known element types; TI is void where A and B are not multiplied as they are
/// stored.
template <class TI, class TS, class TD> class reference {
public:
    using wide = typename wider<TS>::type;

    /// An element's value, and the sum of the magnitudes of its terms.
    struct element {
        wide value;
        double magnitude;
    };

    reference(const reference_loops &loops, const sources &from) noexcept
        : problem_(loops.problem), summed_(loops.summed), free_(loops.free),
          alpha_(base::round_to(problem_.type[D], from.alpha)),
          beta_(base::round_to(problem_.type[D], from.beta)), a_(from.a, problem_.type[A]),
          b_(from.b, problem_.type[B]), c_(from.c, problem_.type[C]), finish_(from.finish) {}

    element at(const offsets &position) const noexcept {
        wide sum = 0;
        double magnitude = 0;
        if (alpha_ != 0.0)
            for_each_position(summed_, position, [&](const offsets &at) {
                const wide x = a_.at(at[A], problem_.conjugate[A]);
                const wide y = problem_.unary ? wide(1) : b_.at(at[B], problem_.conjugate[B]);
                const wide product = multiply(x, y);
                sum += product;
                magnitude += static_cast<double>(std::abs(x) * std::abs(y));
            });
        wide value = 0;
        if (alpha_ != 0.0)
            value = multiply(widen_scalar<wide>(alpha_), sum);
        magnitude *= std::abs(alpha_);
        if (beta_ != 0.0) {
            const wide old =
                multiply(widen_scalar<wide>(beta_), c_.at(position[C], problem_.conjugate[C]));
            value += old;
            magnitude += static_cast<double>(std::abs(old));
        }
        return {value, magnitude};
    }

    void contract(TD *d) const noexcept {
        const index_t size = einsum_impl::extent_of(free_);
        base::in_watched_parts({0, size}, size, [&](const base::range &part) {
            position_walker position(free_, part.begin);
            for (index_t i = part.begin; i < part.end; ++i, position.step()) {
                const wide value = at(position.at()).value;
                const index_t place = position.at()[D];
                d[place] = narrow<TD>(finish_ == nullptr ? value : with_finish(value, place));
            }
        });
    }

    verification verify(const TD *d, index_t samples, std::uint64_t seed) const {
        verification result;
        const index_t size = einsum_impl::extent_of(free_);
        result.elements = std::min(samples, size);
        result.bound = with_rounding<TS, TD>(error_bound<TS>(einsum_impl::extent_of(summed_)));

        std::mt19937_64 engine(seed);
        std::uniform_int_distribution<index_t> any(0, std::max<index_t>(size - 1, 0));
        for (index_t i = 0; i < result.elements; ++i) {
            const index_t number = samples >= size ? i : any(engine);
            const offsets position = position_walker(free_, number).at();
            const element expected = at(position);
            const TD stored = d[position[D]];
            const wide found = widen<wide>(stored, false);
            const double difference =
                error_within_range(stored, expected.value, distance(found, expected.value));
            result.not_numbers += is_nan(found) && is_nan(expected.value);
            const double relative = difference == 0 ? 0 : difference / expected.magnitude;
            result.max_relative_error =
                std::max(result.max_relative_error,
                         std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative);
        }
        return result;
    }

private:
    /// Epilogues are of arithmetic types.
    wide with_finish(const wide &value, index_t place) const noexcept {
        if constexpr (element_traits<TD>::is_arithmetic)
            return finished<TD>(value, *finish_, place);
        else
            return value;
    }

    const contraction_problem &problem_;
    const mode_group &summed_, &free_;
    scalar alpha_, beta_;
    wide_elements<TI, wide> a_, b_;
    wide_elements<void, wide> c_;
    const bound_epilogue *finish_; ///< null: none
};

/// The type that A and B both have, if they have one.
std::optional<data_type> type_of_inputs(const contraction_problem &problem) noexcept {
    if (problem.unary || problem.type[A] == problem.type[B])
        return problem.type[A];
    return std::nullopt;
}

template <class F> auto with_types(const contraction_problem &problem, const F &f) {
    return with_types(type_of_inputs(problem), problem.computed, problem.type[D], f);
}

} // namespace

reference_loops::reference_loops(const contraction_problem &of)
    : problem(of), free(concatenate({&of.m, &of.n, &of.batch})),
      summed(concatenate({&of.k, &of.isolated_a, &of.isolated_b})) {}

void reference_contract(const reference_loops &loops, const sources &from, void *d) noexcept {
    if (is_integer(loops.problem.computed))
        return integer_contract(loops, from, d);
    with_types(loops.problem, [&]<class TI, class TS, class TD>(types<TI, TS, TD>) {
        reference<TI, TS, TD>(loops, from).contract(static_cast<TD *>(d));
    });
}

verification verify(const contraction_problem &problem, const sources &from, const void *d,
                    index_t samples, std::uint64_t seed) {
    const reference_loops loops(problem);
    if (is_integer(problem.computed))
        return verify_integers(loops, from, d, samples, seed);
    return with_types(problem, [&]<class TI, class TS, class TD>(types<TI, TS, TD>) {
        return reference<TI, TS, TD>(loops, from).verify(static_cast<const TD *>(d), samples, seed);
    });
}

} // namespace tenfold::contract_impl
