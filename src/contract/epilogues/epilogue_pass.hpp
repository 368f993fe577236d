// One pass over D that applies an epilogue, for contractions whose products cannot.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "gemm/epilogue.hpp"

namespace tenfold::contract_impl {

/// Immutable. Goes through D block by block, each a matrix along D's fastest mode and another one.
class epilogue_pass {
public:
    using mode = gemm_impl::tensor_places::mode;

    /// `modes`: D's, in falling order of stride, which is positive.
    epilogue_pass(std::span<const epilogue_step> steps, std::span<const mode> modes, data_type type,
                  isa instruction_set);

    /// `others`: by step, the element of its tensor that goes with D's lowest one, or the context
    /// of a function.
    void run(std::span<const void *const> others, void *lowest, int threads) const noexcept;

    std::size_t footprint() const noexcept;

private:
    enum class part : std::uint8_t { position, rows, columns };
    /// A loop over positions of a mode, or over blocks of rows or columns.
    struct loop {
        mode along; ///< its extent counts steps of the loop, its strides lead to the next one
        part of = part::position;
    };
    struct block_walker;

    static mode pick_columns(std::vector<mode> &rest, const mode &rows, std::size_t steps);

    std::size_t steps_;
    index_t element_;                                         ///< bytes, of D
    std::array<index_t, epilogue::most_steps> elements_of_{}; ///< bytes, of each step's tensor
    mode rows_, columns_;
    index_t rows_each_ = 1, columns_each_ = 1; ///< of a block
    std::vector<loop> loops_;                  ///< fastest first
    index_t blocks_ = 1;
    gemm_impl::fused_epilogue matrix_; ///< of a block
};

} // namespace tenfold::contract_impl
