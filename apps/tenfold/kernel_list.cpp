#include "apps/tenfold/kernel_list.hpp"

#include <nlohmann/json.hpp>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/blocking.hpp"
#include "transpose/kernels/registry.hpp"

namespace tenfold::apps_impl {
namespace {

nlohmann::ordered_json gemm_kernel(const context &ctx, const gemm_impl::kernel_info &kernel) {
    const gemm_impl::blocking blocks =
        gemm_impl::choose_blocking(base::machine_of(ctx), *kernel.kernel, size_of(kernel.type));
    return {{"kind", "gemm"},  {"name", kernel.name}, {"type", name(kernel.type)},
            {"mr", blocks.mr}, {"nr", blocks.nr},     {"kc", blocks.kc},
            {"mc", blocks.mc}, {"nc", blocks.nc}};
}

/// All kernels of the build that this machine can run, and whether the current instruction set uses
/// them.
nlohmann::ordered_json gemm_kernels(const context &ctx) {
    auto list = nlohmann::ordered_json::array();
    for (const gemm_impl::kernel_info &kernel : gemm_impl::kernels()) {
        if (!runs(base::machine_of(ctx), kernel))
            continue;
        nlohmann::ordered_json item = gemm_kernel(ctx, kernel);
        item["in_use"] = gemm_impl::select(kernel.type, ctx.isa())->name == kernel.name;
        list.push_back(std::move(item));
    }
    return list;
}

std::string_view input_type(gemm_impl::mixed_product product) {
    using gemm_impl::mixed_product;
    return product == mixed_product::i8            ? "i8"
           : product == mixed_product::f16_widened ? "f16"
                                                   : "bf16";
}

/// Kernels of products whose inputs are narrower than their output. `in_use` refers to a call with
/// default options; bf16 has two ways to multiply, and a call may ask for the other one.
nlohmann::ordered_json mixed_kernels(const context &ctx) {
    using gemm_impl::mixed_product;
    const base::machine &machine = base::machine_of(ctx);
    const mixed_product bf16 = gemm_impl::faster_bf16(ctx.isa(), machine);
    auto list = nlohmann::ordered_json::array();
    for (const gemm_impl::mixed_kernel_info &kernel : gemm_impl::mixed_kernels()) {
        if (!runs(machine, kernel))
            continue;
        const auto blocks = gemm_impl::choose_blocking(machine, kernel.loops, kernel.elements.word);
        const bool other_way = kernel.product != bf16 && input_type(kernel.product) == "bf16";
        list.push_back(
            {{"kind", "gemm"},
             {"name", kernel.name},
             {"type", input_type(kernel.product)},
             {"mr", blocks.mr},
             {"nr", blocks.nr},
             {"kc", blocks.kc * kernel.elements.group},
             {"mc", blocks.mc},
             {"nc", blocks.nc},
             {"in_use", !other_way && gemm_impl::select(kernel.product, ctx.isa(), machine).name ==
                                          kernel.name}});
    }
    return list;
}

nlohmann::ordered_json transpose_kernels(const context &ctx) {
    std::string in_use;
    for (const data_type type : all_data_types)
        for (const transpose_impl::method how :
             {transpose_impl::method::tiles, transpose_impl::method::rows})
            in_use += transpose_impl::choose_kernels(ctx.isa(), how, type, type).name + " ";
    auto list = nlohmann::ordered_json::array();
    for (const std::string &kernel : transpose_impl::kernel_names())
        list.push_back({{"kind", "transpose"},
                        {"name", kernel},
                        {"in_use", in_use.find(kernel) != std::string::npos}});
    return list;
}

} // namespace

nlohmann::ordered_json kernel_list(const context &ctx) {
    nlohmann::ordered_json all = gemm_kernels(ctx);
    for (nlohmann::ordered_json &one : mixed_kernels(ctx))
        all.push_back(std::move(one));
    for (nlohmann::ordered_json &one : transpose_kernels(ctx))
        all.push_back(std::move(one));
    return all;
}

} // namespace tenfold::apps_impl
