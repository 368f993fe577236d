#include "gemm/kernel_loops.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/scalars.hpp"

namespace tenfold::gemm_impl {

tile_loop::tile_loop(const kernel_info &kernel, index_t rows, index_t k)
    : kernel_(kernel), rows_(std::max<index_t>(1, rows / kernel.mr) * kernel.mr), k_(k) {
    const index_t element = size_of(kernel.type);
    const index_t of_a = base::aligned_bytes(rows_ * k_ * element);
    const index_t of_b = base::aligned_bytes(kernel.nr * k_ * element);
    const index_t of_d = base::aligned_bytes(rows_ * kernel.nr * element);
    memory_ = pool_.acquire({of_a + of_b + of_d});
    if (!memory_)
        throw std::bad_alloc();
    a_ = memory_.memory().data();
    b_ = a_ + of_a;
    d_ = b_ + of_b;
    std::memset(a_, 0, static_cast<std::size_t>(of_a + of_b + of_d));
}

double tile_loop::flops() const noexcept {
    return flops_per_multiply_add(kernel_.type) * static_cast<double>(rows_ * k_) * kernel_.nr;
}

void tile_loop::run() const noexcept {
    static constexpr std::array<double, 2> zero = {};
    const index_t element = size_of(kernel_.type);
    micro_tile tile{};
    tile.m = kernel_.mr;
    tile.n = kernel_.nr;
    tile.k = k_;
    tile.b = b_;
    tile.alpha = zero.data();
    tile.beta = zero.data();
    tile.row_stride = 1;
    tile.column_stride = rows_;
    for (index_t i = 0; i < rows_; i += kernel_.mr) {
        tile.a = a_ + i * k_ * element;
        tile.d = d_ + i * element;
        kernel_.kernel->multiply(&tile);
    }
}

packing_loop::packing_loop(isa instruction_set, byte_count matrix, byte_count panels) noexcept
    : kernel_(*select(data_type::f64, instruction_set)->kernel) {
    constexpr index_t rows = 240; // about MC
    constexpr auto element = static_cast<index_t>(sizeof(double));
    m_ = std::max<index_t>(1, rows / kernel_.mr) * kernel_.mr;
    depth_ = std::max<index_t>(8, panels.value / element / m_);
    k_ = std::max<index_t>(1, matrix.value / element / m_ / depth_) * depth_;
}

double packing_loop::bytes() const noexcept {
    constexpr double read_and_written = 2;
    constexpr double orders = 2;
    return read_and_written * orders * sizeof(double) * static_cast<double>(matrix_elements());
}

double packing_loop::arrival(double seconds, double cache_bandwidth) const noexcept {
    const double read = bytes() / 2, fastest = read / cache_bandwidth;
    return read / std::max(fastest, seconds - fastest);
}

void packing_loop::run(const double *matrix, double *panels) const noexcept {
    for (index_t at = 0; at < k_; at += depth_) {
        const panel_source columns{matrix + at * m_, m_, depth_, 1, m_, false};
        const panel_source rows{matrix + at, m_, depth_, k_, 1, false};
        kernel_.pack_a(&columns, panels);
        kernel_.pack_a(&rows, panels);
    }
}

} // namespace tenfold::gemm_impl
