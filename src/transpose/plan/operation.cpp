#include "transpose/plan/operation.hpp"

namespace tenfold::transpose_impl {
namespace {

using term = operation::term;

term kind_of(scalar factor) noexcept {
    if (factor == scalar(0.0))
        return term::absent;
    return factor.imag() == 0 ? term::straight : term::crossed;
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

} // namespace

operation make_operation(data_type a, data_type b, bool conjugate, scalar alpha,
                         scalar beta) noexcept {
    const bool conjugates = conjugate && is_complex(b);
    operation result{};
    result.x = kind_of(alpha);
    result.y = kind_of(beta);
    result.copies = a == b && alpha == scalar(1.0) && result.y == term::absent && !conjugates;
    set_factors(result.x_straight, result.x_crossed, alpha, conjugates);
    set_factors(result.y_straight, result.y_crossed, beta, false);
    return result;
}

} // namespace tenfold::transpose_impl
