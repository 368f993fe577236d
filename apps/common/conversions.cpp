#include "apps/common/conversions.hpp"

#include "apps/common/program.hpp"
#include "transpose/kernels/registry.hpp"

namespace tenfold::apps_impl {

std::string name_of(const element_types &types) {
    std::string text(name(types.a));
    if (types.a != types.b)
        text += "-" + std::string(name(types.b));
    return text;
}

element_types parse_conversion(const std::string &option, const std::string &text) {
    for (const data_type a : all_data_types)
        for (const data_type b : all_data_types)
            if (const element_types both{a, b};
                a != b && transpose_impl::converts(a, b) && name_of(both) == text)
                return both;
    throw usage_error(option + " '" + text +
                      "': expected two types such as f32-f64; complex numbers do not become real "
                      "ones");
}

} // namespace tenfold::apps_impl
