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
#include "apps/tenfold/kernel_list.hpp"
#include "apps/tenfold/rates_text.hpp"
#include "base/context_of.hpp"
#include "base/environment.hpp"
#include "base/machine.hpp"
#include "base/text.hpp"

namespace tenfold::apps_impl {
namespace {

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
