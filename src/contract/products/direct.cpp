// What one call does on the data as it lies: a transposition, or a matrix product.
#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/products/permute.hpp"

namespace tenfold::contract_impl {
namespace {

void offer_direct(planning &with, offers &made) {
    if (with.multiplies_as_given() && is_permutation(with.problem))
        return made.add(make_permute(with.problem, with.model(), with.environment));
    if (std::string why = with.no_product_in_place(); !why.empty())
        return made.refuse(std::move(why));
    if (with.nest().looped())
        return made.refuse("the tensors do not lie like three matrices");
    made.add_unless_too_large(
        [&] { return make_gemm_loop(with.matrices(), with.nest(), with.environment); });
}

} // namespace

constinit const candidate_kind direct_kind{algorithm::direct, offer_direct};

} // namespace tenfold::contract_impl
