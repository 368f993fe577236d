#include "apps/common/conversions.hpp"

#include "transpose/kernels/registry.hpp"

namespace tenfold::apps_impl {

std::string name_of(const element_types &types) {
    std::string text(name(types.a));
    if (types.a != types.b)
        text += "-" + std::string(name(types.b));
    return text;
}

std::vector<element_types> conversions() {
    std::vector<element_types> all;
    for (const data_type a : all_data_types)
        for (const data_type b : all_data_types)
            if (a != b && transpose_impl::converts(a, b))
                all.push_back({a, b});
    return all;
}

} // namespace tenfold::apps_impl
