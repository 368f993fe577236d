// Which kernels there are, and which one serves a pair of types on an instruction set.
#pragma once

#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "transpose/elementwise.hpp"
#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {

/// All that one transposition needs.
struct kernel_choice {
    move_kernel move = nullptr; ///< elements of A's size
    bool moves_lines = false;   ///< the move's registers are whole cache lines: it can stream
    row_kernel copy = nullptr;  ///< null where types differ
    row_kernel scale = nullptr; ///< from A's type to B's
    element_kernel element = nullptr;
    index_t copy_unit = 1;  ///< copy's n per element (bytes)
    index_t scale_unit = 1; ///< scale's n per element (components)
    std::string name;       ///< "move_4B_16x16_avx512 + rows_f32_avx512"
};

/// True where a transposition from A's type to B's exists.
bool converts(data_type a, data_type b) noexcept;

/// The best for an ISA; one that has no kernels of its own (NEON, SVE) is served by the generic
/// ones.
kernel_choice choose_kernels(isa set, data_type a, data_type b);

/// Names of all kernels of this build.
std::vector<std::string> kernel_names();

} // namespace tenfold::transpose_impl
