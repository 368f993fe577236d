#include "apps/common/transposition_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "base/scalars.hpp"
#include "base/with_any_type.hpp"
#include "contract/reference/wide_arithmetic.hpp"

namespace tenfold::apps_impl {
namespace {

/// How a type rounds: by at most `relative` of a number, and of those near 0 by at most `absolute`.
struct rounding {
    double relative, absolute;
};

template <class T> constexpr rounding rounding_of() noexcept {
    if constexpr (std::is_same_v<T, bf16>)
        return {0x1p-8, 0x1p-134};
    else if constexpr (std::is_same_v<T, f16>)
        return {0x1p-11, 0x1p-25};
    else {
        using limits = std::numeric_limits<typename element_traits<T>::real>;
        return {static_cast<double>(limits::epsilon()) / 2,
                static_cast<double>(limits::denorm_min()) / 2};
    }
}

/// The elements of both tensors at one position of B.
struct places {
    index_t a = 0, b = 0;
};

places places_of(const transpose_impl::transposed_tensors &tensors, index_t number) {
    places at;
    for (int mode = 0; mode < tensors.b.order(); ++mode) {
        const index_t index = number % tensors.b.extent(mode);
        number /= tensors.b.extent(mode);
        at.b += index * tensors.b.stride(mode);
        at.a += index * tensors.a.stride(tensors.permutation[static_cast<std::size_t>(mode)]);
    }
    return at;
}

/// The error at each of `samples` places of B, or at all of them.
template <class ErrorAt>
contract_impl::verification sampled(const transpose_impl::transposed_tensors &tensors,
                                    index_t samples, const ErrorAt &error_at) {
    contract_impl::verification result;
    const index_t size = tensors.b.size();
    result.elements = std::min(samples, size);
    std::mt19937_64 engine(1);
    std::uniform_int_distribution<index_t> any(0, std::max<index_t>(size - 1, 0));
    for (index_t i = 0; i < result.elements; ++i) {
        bool not_a_number = false;
        const double error =
            error_at(places_of(tensors, samples >= size ? i : any(engine)), not_a_number);
        result.not_numbers += not_a_number;
        result.max_relative_error = std::max(result.max_relative_error, error);
    }
    return result;
}

/// Integers are exact, modulo what their type holds: the error is 0 or infinite.
template <class T>
contract_impl::verification check_integers(const checked_transposition &what, index_t samples) {
    const std::uint32_t alpha = base::integer_factor(what.alpha);
    const std::uint32_t beta = base::integer_factor(what.beta);
    const auto element = [](const void *data, index_t at) {
        return static_cast<std::uint32_t>(static_cast<const T *>(data)[at]);
    };
    return sampled(what.tensors, samples, [&](const places &at, bool &) {
        const std::uint32_t expected = (alpha == 0 ? 0 : alpha * element(what.a, at.a)) +
                                       (beta == 0 ? 0 : beta * element(what.before, at.b));
        return static_cast<T>(expected) == static_cast<const T *>(what.b)[at.b]
                   ? 0.0
                   : std::numeric_limits<double>::infinity();
    });
}

template <class TB> struct checking {
    using computed = typename element_traits<TB>::output;
    using wide = typename contract_impl::wider<computed>::type;
    /// A converted, two products and a sum; sqrt(2) gamma(7) for complex numbers
    /// (docs/accuracy.md).
    static constexpr double roundings = element_traits<TB>::is_complex ? 10 : 4;

    const checked_transposition &what;

    wide load_a(index_t at) const {
        return base::with_type(what.tensors.type_a, [&]<class TA>(TA) -> wide {
            if constexpr (element_traits<TA>::is_complex && !element_traits<TB>::is_complex)
                return {}; // there is no such transposition
            else
                return contract_impl::widen<wide>(static_cast<const TA *>(what.a)[at],
                                                  what.tensors.conjugate);
        });
    }

    /// Infinite where B's type has no such number.
    static wide rounded(const wide &x) {
        using number = std::conditional_t<element_traits<TB>::is_complex, scalar, double>;
        const scalar narrowed = contract_impl::narrow<number>(x);
        return contract_impl::widen<wide>(base::scalar_cast<TB>(narrowed), false);
    }

    /// |b - expected|, less what B's type loses near 0, over the terms' magnitudes.
    double error_at(const places &at, bool &not_a_number) const {
        wide expected{};
        double magnitude = 0;
        const auto add = [&](scalar factor, const wide &x) {
            const wide term = contract_impl::multiply(contract_impl::widen_scalar<wide>(factor), x);
            expected += term;
            magnitude += static_cast<double>(std::abs(term));
        };
        if (what.alpha != scalar(0.0))
            add(what.alpha, load_a(at.a));
        if (what.beta != scalar(0.0))
            add(what.beta,
                contract_impl::widen<wide>(static_cast<const TB *>(what.before)[at.b], false));
        const wide found = contract_impl::widen<wide>(static_cast<const TB *>(what.b)[at.b], false);
        not_a_number = contract_impl::is_nan(found) && contract_impl::is_nan(expected);
        const double difference = contract_impl::distance(found, expected);
        if (difference <= rounding_of<TB>().absolute || found == rounded(expected))
            return 0;
        const double relative = (difference - rounding_of<TB>().absolute) / magnitude;
        return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
    }

    contract_impl::verification check(index_t samples) const {
        contract_impl::verification result =
            sampled(what.tensors, samples, [this](const places &at, bool &not_a_number) {
                return error_at(at, not_a_number);
            });
        result.bound = roundings * rounding_of<computed>().relative;
        if (!element_traits<TB>::is_arithmetic)
            result.bound += rounding_of<TB>().relative;
        return result;
    }
};

} // namespace

contract_impl::verification check(const checked_transposition &what, index_t samples) {
    return base::with_any_type(what.tensors.type_b, [&]<class TB>(TB) {
        if constexpr (element_traits<TB>::is_integer)
            return check_integers<TB>(what, samples);
        else
            return checking<TB>{what}.check(samples);
    });
}

} // namespace tenfold::apps_impl
