#include "transpose/operation.hpp"

namespace tenfold::transpose_impl {
namespace {

using term = row_operation::term;

term kind_of(scalar factor) noexcept {
    if (factor == scalar(0.0))
        return term::absent;
    return factor.imag() == 0 ? term::straight : term::crossed;
}

/// factor * z, or factor * conj(z), per component: (u + iv)(p + iq) = (up - vq) + i(uq + vp).
void set_factors(double (&straight)[2], double (&crossed)[2], scalar factor, bool conjugate) {
    const double sign = conjugate ? -1 : 1;
    straight[0] = factor.real();
    straight[1] = sign * factor.real();
    crossed[0] = -sign * factor.imag();
    crossed[1] = factor.imag();
}

} // namespace

row_operation make_operation(data_type a, data_type b, bool conjugate, scalar alpha,
                             scalar beta) noexcept {
    const bool conjugates = conjugate && is_complex(b);
    row_operation operation{};
    operation.x = kind_of(alpha);
    operation.y = kind_of(beta);
    operation.copies = a == b && alpha == scalar(1.0) && operation.y == term::absent && !conjugates;
    set_factors(operation.x_straight, operation.x_crossed, alpha, conjugates);
    set_factors(operation.y_straight, operation.y_crossed, beta, false);
    return operation;
}

} // namespace tenfold::transpose_impl
