// TTGT and fused packing as kinds of candidates.
#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/tiles/tiled.hpp"

namespace tenfold::contract_impl {
namespace {

constexpr const char *nothing_to_multiply = "one input: there is nothing to multiply";

void offer_forms(planning &with, offers &made, const std::vector<tiled_form> &forms,
                 const char *impossible) {
    if (forms.empty())
        made.refuse(impossible);
    for (const tiled_form &form : forms)
        made.add_unless_too_large(
            [&] { return make_tiled(with.problem, form, with.model(), with.environment); });
}

/// One input of a type that cannot be multiplied as it is, is converted on the way.
void offer_ttgt(planning &with, offers &made) {
    if (with.problem.unary && with.multiplies_as_given())
        return made.refuse(nothing_to_multiply);
    offer_forms(with, made, with.forms().ttgt, "there is nothing to move");
}

void offer_fused(planning &with, offers &made) {
    if (with.problem.unary)
        return made.refuse(nothing_to_multiply);
    offer_forms(with, made, with.forms().fused, "no tile of the tensors fits the cache");
}

} // namespace

constinit const candidate_kind ttgt_kind{algorithm::ttgt, offer_ttgt, copying::everything};
constinit const candidate_kind fused_kind{algorithm::fused, offer_fused, copying::tiles};

} // namespace tenfold::contract_impl
