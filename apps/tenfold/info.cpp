// The command `tenfold info`.
#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/program.hpp"
#include "apps/common/text.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/rates_text.hpp"
#include "base/context_of.hpp"
#include "base/environment.hpp"
#include "base/machine.hpp"
#include "base/text.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/choose.hpp"
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
           : product == mixed_product::u8_i8       ? "u8-i8"
           : product == mixed_product::i8_u8       ? "i8-u8"
           : product == mixed_product::i32         ? "i32"
           : product == mixed_product::f16_widened ? "f16"
                                                   : "bf16";
}

/// Kernels of products whose inputs are narrower than their output. `in_use` refers to a call with
/// default options; bf16 has two ways to multiply, and a call may ask for the other one.
nlohmann::ordered_json mixed_kernels(const context &ctx) {
    using gemm_impl::mixed_product;
    const base::machine &machine = base::machine_of(ctx);
    const mixed_product bf16 = gemm_impl::choose_bf16(gemm_impl::gemm_plan_options::from(ctx));
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
            in_use += transpose_impl::choose_kernels(ctx.isa(), how, type, type).name() + " ";
    auto list = nlohmann::ordered_json::array();
    for (const std::string &kernel : transpose_impl::kernel_names())
        list.push_back({{"kind", "transpose"},
                        {"name", kernel},
                        {"in_use", in_use.find(kernel) != std::string::npos}});
    return list;
}

/// Returns one object per kernel of this build: "kind" ("gemm" or "transpose"), "name", "in_use"
/// (by the current instruction set), and for gemm also the type and the block sizes on this
/// machine.
nlohmann::ordered_json kernel_list(const context &ctx) {
    nlohmann::ordered_json all = gemm_kernels(ctx);
    for (nlohmann::ordered_json &one : mixed_kernels(ctx))
        all.push_back(std::move(one));
    for (nlohmann::ordered_json &one : transpose_kernels(ctx))
        all.push_back(std::move(one));
    return all;
}

nlohmann::ordered_json describe_cache(const base::cache &cache) {
    return {{"bytes", cache.size},
            {"ways", cache.ways},
            {"line_bytes", cache.line},
            {"shared_by", cache.shared_by}};
}

nlohmann::ordered_json describe_environment() {
    auto list = nlohmann::ordered_json::array();
    for (const base::environment_variable &one : base::environment_variables()) {
        const char *value = std::getenv(one.name);
        nlohmann::ordered_json item = {{"name", one.name},
                                       {"value", nullptr},
                                       {"default", one.standard},
                                       {"values", one.values},
                                       {"meaning", one.meaning}};
        if (value != nullptr)
            item["value"] = value;
        list.push_back(std::move(item));
    }
    return list;
}

nlohmann::ordered_json describe_build() {
#if defined(TENFOLD_HAVE_BLIS)
    const bool blis = true;
#else
    const bool blis = false;
#endif
#if defined(TENFOLD_APPS_DIST)
    const bool mpi = true;
#else
    const bool mpi = false;
#endif
#if defined(TENFOLD_APPS_HDF5)
    const bool hdf5 = true;
#else
    const bool hdf5 = false;
#endif
    return {{"mpi", mpi}, {"blis", blis}, {"hdf5", hdf5}};
}

nlohmann::ordered_json gather(const context &ctx) {
    const base::machine &machine = base::machine_of(ctx);
    auto isas = nlohmann::ordered_json::array();
    for (const isa one : machine.isas)
        isas.push_back(name(one));
    return {{"version", version()},
            {"build", describe_build()},
            {"cpu", machine.cpu},
            {"isa", name(ctx.isa())},
            {"isa_reason", ctx.isa_reason()},
            {"isas", isas},
            {"threads", ctx.threads()},
            {"cores", machine.cores},
            {"caches",
             {{"l1d", describe_cache(machine.l1d)},
              {"l2", describe_cache(machine.l2)},
              {"l3", describe_cache(machine.l3)}}},
            {"page_bytes", machine.page},
            {"backend", name(ctx.settings().backend)},
            {"reproducible", ctx.settings().reproducible},
            {"rates_reason", ctx.rates_reason()},
            {"rates", to_json(base::rates_of(ctx))},
            {"kernels", kernel_list(ctx)},
            {"environment", describe_environment()}};
}

std::string text_of(const nlohmann::ordered_json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_cache(const char *title, const base::cache &cache) {
    if (cache.size == 0)
        return;
    std::printf("  %s %s, %lld ways, lines of %lld bytes, shared by %d hardware %s\n", title,
                base::describe(bytes(cache.size)).c_str(), static_cast<long long>(cache.ways),
                static_cast<long long>(cache.line), cache.shared_by,
                cache.shared_by == 1 ? "thread" : "threads");
}

void print(const context &ctx, const nlohmann::ordered_json &info) {
    const base::machine &machine = base::machine_of(ctx);
    std::string isas;
    for (const isa one : machine.isas)
        isas += (isas.empty() ? "" : ", ") + std::string(name(one));
    std::printf("tenfold %s, %s MPI, %s HDF5, %s BLIS\n", version(),
                info["build"]["mpi"] ? "with" : "without",
                info["build"]["hdf5"] ? "with" : "without",
                info["build"]["blis"] ? "with" : "without");
    std::printf("cpu      %s\n", machine.cpu.c_str());
    std::printf("isa      %s (%s); this machine has %s\n", std::string(name(ctx.isa())).c_str(),
                ctx.isa_reason().c_str(), isas.c_str());
    std::printf("threads  %d (%d usable %s)\n", ctx.threads(), machine.cores,
                machine.cores == 1 ? "core" : "cores");
    std::printf("backend  %s\n", std::string(name(ctx.settings().backend)).c_str());
    std::puts("caches");
    print_cache("L1d", machine.l1d);
    print_cache("L2 ", machine.l2);
    print_cache("L3 ", machine.l3);

    std::printf("rates    %s\n", ctx.rates_reason().c_str());
    for (const base::rate &one : base::all_rates())
        std::printf("  %-38s %s\n", one.meaning,
                    describe(one, base::rates_of(ctx).*one.value).c_str());

    std::puts("kernels (* is in use)");
    for (const auto &kernel : info["kernels"]) {
        std::string line = kernel["in_use"] ? "  * " : "    ";
        line += text_of(kernel["name"]);
        for (const char *block : {"mr", "nr", "kc", "mc", "nc"})
            if (kernel.contains(block))
                line += std::string(", ") + block + " " + text_of(kernel[block]);
        std::puts(line.c_str());
    }

    std::puts("environment");
    for (const base::environment_variable &one : base::environment_variables()) {
        const char *value = std::getenv(one.name);
        const std::string setting = value == nullptr ? "not set" : "= '" + std::string(value) + "'";
        std::printf("  %-24s %s; %s\n  %-24s %s (default: %s)\n", one.name, setting.c_str(),
                    one.meaning, "", one.values, one.standard);
    }
}

} // namespace

int info_command(const std::vector<std::string> &arguments) {
    bool json = false;
    command_line line("tenfold info", "[--json]",
                      "Shows the machine as Tenfold sees it, the kernels that would run, and the "
                      "environment variables.");
    add_json_option(line.group("Output"), json);
    if (!line.parse(arguments))
        return exit_success;
    const context &ctx = context::global();
    if (launched_rank() != 0)
        return exit_success;
    const nlohmann::ordered_json info = gather(ctx);
    if (json)
        std::printf("%s\n", info.dump().c_str());
    else
        print(ctx, info);
    return exit_success;
}

} // namespace tenfold::apps_impl
