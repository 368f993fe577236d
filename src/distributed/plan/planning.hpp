// Planning at given prices, for worlds, whose ranks agree on them; and alpha and beta, which plans
// do not contain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tenfold/dist_sequence.hpp>

#include "distributed/plan/operand_types.hpp"
#include "distributed/plan/prices.hpp"

namespace tenfold::dist_impl {

/// How much of a plan is decided and counted.
enum class plan_detail : std::uint8_t {
    all,
    costs ///< layouts, words and seconds, without memory, bounds and hash: takes less time
};

/// As make_dist_plan(), which takes this process's own prices. `types` and `operands`: of the
/// inputs in order, then of the output.
dist_plan plan_at(const prices &price, const contraction_spec &spec, operand_types types,
                  std::span<const distribution> operands, const dist_options &options);

/// As make_dist_sequence().
dist_sequence plan_sequence_at(const prices &price, const contraction_spec &spec,
                               operand_types types, std::span<const distribution> operands,
                               const dist_options &options, const std::vector<bool> &conjugated);

/// By what an execution of a plan multiplies: D = alpha A B + beta D. Rounded to the type.
struct scale_factors {
    scalar alpha = 1.0; ///< scale, sign and option multiplied
    scalar beta = 0.0;
};

/// `type` is that of the sums. Throws errc::invalid_argument if beta is given twice, or if one is
/// complex and the type is not; errc::type_mismatch if one is no integer of 32 bits and sums are
/// i32.
scale_factors scale_factors_of(const contraction_spec &spec, data_type type,
                               const dist_options &options);

/// What a plan depends on of the factors. One plan serves all factors of a kind.
struct factor_kinds {
    bool multiplies = true; ///< alpha is not 0
    // Only reproducible plans depend on the following; for others it is false.
    bool keeps_a = false; ///< alpha is 1
    bool adds = false;    ///< beta is not 0
    bool keeps_d = false; ///< beta is 1

    static factor_kinds of(const scale_factors &factors, bool reproducible) noexcept;
    friend bool operator==(const factor_kinds &, const factor_kinds &) = default;
};

/// Bytes of memory that a plan occupies, about (base/footprint.hpp).
std::size_t footprint(const dist_plan &plan) noexcept;
std::size_t footprint(const dist_sequence &plan) noexcept;

} // namespace tenfold::dist_impl
