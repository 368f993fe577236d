#include "apps/bench/record.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "apps/common/program.hpp"
#include "apps/common/text.hpp"
#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/kept_file.hpp"
#include "base/machine.hpp"

namespace tenfold::apps_impl {
namespace {

/// "amd-epyc-9575f-64-core-processor-caches-48-0-kib-1-0-mib-256-0-mib-avx512". Virtual machines
/// may hide instruction sets, so that one processor has results of several.
std::string file_name_of(const std::string &processor, isa instruction_set) {
    std::string name;
    for (const char letter : processor + ' ' + std::string(tenfold::name(instruction_set)))
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    while (!name.empty() && name.back() == '-')
        name.pop_back();
    return name;
}

/// "small --contract, f64, 1 thread, flushed".
std::string run_name(const bench_options &options) {
    std::string name = options.list() + ", " + options.type_name() + ", " +
                       std::to_string(options.threads) +
                       (options.threads == 1 ? " thread" : " threads");
    if (options.beta != 0)
        name += format(", beta %g", options.beta);
    if (options.flush)
        name += ", flushed";
    return name;
}

/// Where the rates came from, without the folders of this machine.
std::string source_of_rates(const context &ctx) {
    std::string text = ctx.rates_reason();
    const std::string file = base::calibration_file(ctx.settings());
    if (const std::size_t at = text.find(file); !file.empty() && at != std::string::npos)
        text.replace(at, file.size(), std::filesystem::path(file).filename().string());
    return text;
}

nlohmann::json read(const std::string &file, const std::string &processor) {
    if (!std::filesystem::exists(file))
        return {{"processor", processor}, {"runs", nlohmann::json::object()}};
    std::ifstream stream(file);
    nlohmann::json content = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
    const nlohmann::json *runs = base::member(content, "runs");
    if (runs == nullptr || !runs->is_object())
        throw failure("'" + file + "' holds no results of tenfold-bench; it is left as it is");
    return content;
}

} // namespace

void record(const std::string &folder, const bench_options &options, const bench_report &report) {
    const context &ctx = context::global();
    const std::string processor = base::machine_of(ctx).identity();
    std::error_code ignored; // writing the file reports the error
    std::filesystem::create_directories(folder, ignored);
    const std::string file =
        (std::filesystem::path(folder) / (file_name_of(processor, ctx.isa()) + ".json")).string();
    nlohmann::json content = read(file, processor);
    nlohmann::json run = nlohmann::json::parse(report_object(options, report).dump());
    run["version"] = version();
    run["rates"] = source_of_rates(ctx);
    content["runs"][run_name(options)] = std::move(run);
    if (const std::string fault = base::replace_kept_file(file, content); !fault.empty())
        throw failure("'" + file + "' cannot be written: " + fault);
}

} // namespace tenfold::apps_impl
