// Prices of dot, matrix-vector and outer products beside their traffic.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/checked.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::divide_up;

/// Cycles of matrix-vector and outer products beside their traffic, fitted to 26 shapes in L2 on an
/// Ice Lake server: the sum across the registers of a row, if they are more than a few; an element
/// of a strided y, which is added up in a copy; one of a strided x; a row, an element and a call
/// for each block of A that is copied because neither of its strides is 1; a column of an outer
/// product. Short rows, and columns that adjoin each other, were fitted on a Zen 4 with AVX2.
constexpr double sum_of_row = 3.5;
constexpr double sum_of_short_row = 0.5;
constexpr double buffered_element = 3.5;
constexpr double gathered_element = 1;
constexpr double copied_row = 1.3;
constexpr double copied_element = 0.4;
constexpr double copied_block = 50;
constexpr double column_of_outer = 11;
constexpr double adjoining_column = 2;
constexpr double register_of_column = 1.5;
constexpr double lone_column = 4.5; ///< a column of one element

} // namespace

double gemm_plan::vector_seconds(const base::machine &machine, const base::machine_rates &rates,
                                 const tensor_sizes &whole) const noexcept {
    const gemm_shape &s = shape_;
    const double cycle = seconds_of_cycle(s.type, kernel_->kernel->vector_length, rates);
    if (form_ == gemm_form::outer) {
        const double each =
            outer_.adjoins
                ? adjoining_column + register_of_column * cycles_of_register(rates) *
                                         real(divide_up(s.m, kernel_->kernel->vector_length))
                : column_of_outer;
        return real(s.n) * each * cycle / threads_;
    }
    const gemv_problem &how = gemv_;
    const double size = real(size_of(s.type));
    const auto on_pages = [&](index_t stride) {
        return std::abs(real(stride)) * size >= real(machine.page);
    };
    double cycles = 0, seconds = 0;
    if (how.gathers_x())
        cycles += real(s.k) * gathered_element;
    if (how.buffers_y())
        cycles += real(s.m) * real(how.leaves()) * buffered_element;
    switch (how.form()) {
    case gemv_problem::access::columns:
        cycles += s.m == 1 ? real(s.k) * lone_column : 0;
        // The pages of so many columns are looked up again in each sum.
        if (on_pages(s.column_stride_a) && real(s.k) * whole.terms > real(machine.tlb_pages))
            seconds = real(s.k) * rates.strided_line;
        break;
    case gemv_problem::access::rows:
        cycles +=
            real(s.m) * (is_complex(s.type) || s.k > short_row * kernel_->kernel->vector_length
                             ? sum_of_row
                             : sum_of_short_row);
        // Each row begins on a page of its own: its first line is not prefetched from memory, and
        // with many rows the page's address is looked up again.
        if (on_pages(s.row_stride_a)) {
            const bool from_memory = leaves_caches(whole.a * size, machine, threads_);
            const double lines_of_row = real(s.k) * size / real(machine.l1d.line);
            const double firsts = s.m > machine.tlb_pages ? 1
                                  : from_memory           ? std::min(1.0, lines_of_row)
                                                          : 0;
            seconds = real(s.m) * firsts * rates.strided_line;
        }
        break;
    case gemv_problem::access::gather: {
        const index_t across = divide_up(s.k, gemv_problem::gathered_columns);
        const index_t blocks = divide_up(s.m, gemv_problem::gathered_rows) * across;
        cycles += real(blocks) * copied_block + real(s.m) * real(across) * copied_row +
                  real(s.m) * real(s.k) * copied_element;
    }
    }
    return (cycles * cycle + seconds) / threads_;
}

} // namespace tenfold::gemm_impl
