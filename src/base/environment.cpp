#include "base/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

#include <tenfold/error.hpp>

#include "base/option_checks.hpp"
#include "base/text.hpp"

namespace tenfold {
namespace base {

std::span<const environment_variable> environment_variables() noexcept {
    static constexpr environment_variable list[] = {
        {"TENFOLD_NUM_THREADS", "a number from 1 to 4096", "OMP_NUM_THREADS, else the usable cores",
         "threads per process"},
        {"TENFOLD_ISA", "generic, avx2, avx512, neon or sve", "the best of this machine",
         "instruction set of the kernels"},
        {"TENFOLD_BACKEND", "native or blis", "native", "who multiplies matrices"},
        {"TENFOLD_BLOCKING", "kc=256,mc=96,nc=4080 or some of them, each from 1 to 1048576",
         "as the caches want it", "how much of a matrix product the native kernels pack at a time"},
        {"TENFOLD_WORKSPACE_LIMIT", "an integer with an optional KiB, MiB or GiB", "no limit",
         "the most memory that a plan may use beside the tensors"},
        {"TENFOLD_WISDOM", "a file name", "none", "where tuned plans are kept"},
        {"TENFOLD_CALIBRATION", "a file name, or off", "the user's own, if there is one",
         "the machine's speeds as 'tenfold calibrate' measured them"},
        {"TENFOLD_REPRODUCIBLE", "0 or 1", "0",
         "bitwise the same results for any number of threads, and of distributed contractions for "
         "any number of ranks"},
        {"TENFOLD_WATCHDOG", "a positive number of seconds", "off",
         "abort a distributed operation that makes no progress for so long"},
        {"TENFOLD_PRESENCE", "a positive number of seconds, or off", "30",
         "after how long a rank that waits asks and reports where all ranks stand; off: ranks do "
         "not learn either that others have left"},
        {"TENFOLD_LOG", "quiet, warn, info or debug", "quiet", "messages on stderr"},
    };
    return list;
}

namespace {

/// Returns the member named "kc", "mc" or "nc"; null for any other name.
index_t *member(block_sizes &sizes, std::string_view name) noexcept {
    return name == "kc" ? &sizes.kc : name == "mc" ? &sizes.mc : name == "nc" ? &sizes.nc : nullptr;
}

} // namespace

std::optional<block_sizes> parse_block_sizes(std::string_view text) noexcept {
    block_sizes sizes;
    for (bool more = true; more;) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        more = comma != std::string_view::npos;
        text.remove_prefix(more ? comma + 1 : text.size());

        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            return std::nullopt;
        index_t *const size = member(sizes, item.substr(0, equals));
        if (size == nullptr || *size != 0)
            return std::nullopt;
        const char *const end = item.data() + item.size();
        const auto [rest, status] = std::from_chars(item.data() + equals + 1, end, *size);
        if (status != std::errc() || rest != end || *size < 1 || *size > largest_block)
            return std::nullopt;
    }
    return sizes;
}

} // namespace base

namespace {

/// The variable's value; empty if unset or empty.
std::string value_of(const char *variable) {
    const char *value = std::getenv(variable);
    return value == nullptr ? std::string() : std::string(value);
}

[[noreturn]] void reject(const char *variable, const std::string &value) {
    for (const auto &known : base::environment_variables())
        if (std::string(known.name) == variable)
            throw error(errc::invalid_argument,
                        std::string(variable) + "='" + value + "': expected " + known.values);
    throw error(errc::invalid_argument, std::string(variable) + "='" + value + "' is not valid");
}

/// Returns 0 if the variable is unset. OMP_NUM_THREADS may be a list; its first number is used.
int thread_count(const char *variable, bool list_allowed) {
    const std::string value = value_of(variable);
    if (value.empty())
        return 0;
    int threads = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), threads);
    const bool complete = end == value.data() + value.size() || (list_allowed && *end == ',');
    if (status != std::errc() || !complete || threads < 1 || threads > base::most_threads) {
        if (list_allowed)
            return 0; // OpenMP checks its own variable
        reject(variable, value);
    }
    return threads;
}

double seconds(const char *variable, const std::string &value) {
    double result = 0;
    const char *const end = value.data() + value.size();
    const auto [rest, status] = std::from_chars(value.data(), end, result);
    if (status != std::errc() || rest != end || !(result > 0))
        reject(variable, value);
    return result;
}

} // namespace

settings settings::from_environment() {
    settings result;
    result.threads = thread_count("TENFOLD_NUM_THREADS", false);
    if (result.threads == 0)
        result.threads = thread_count("OMP_NUM_THREADS", true);

    if (const std::string value = value_of("TENFOLD_ISA"); !value.empty()) {
        result.isa = parse_isa(value);
        if (!result.isa)
            reject("TENFOLD_ISA", value);
    }
    if (const std::string value = value_of("TENFOLD_BACKEND"); !value.empty()) {
        const auto parsed = parse_backend(value);
        if (!parsed)
            reject("TENFOLD_BACKEND", value);
        result.backend = *parsed;
    }
    if (const std::string value = value_of("TENFOLD_BLOCKING"); !value.empty()) {
        const auto parsed = base::parse_block_sizes(value);
        if (!parsed)
            reject("TENFOLD_BLOCKING", value);
        result.blocking = *parsed;
    }
    if (const std::string value = value_of("TENFOLD_WORKSPACE_LIMIT"); !value.empty()) {
        const auto parsed = base::parse_byte_count(value);
        if (!parsed)
            reject("TENFOLD_WORKSPACE_LIMIT", value);
        result.workspace_limit = *parsed;
    }
    result.wisdom = value_of("TENFOLD_WISDOM");
    result.calibration = value_of("TENFOLD_CALIBRATION");
    if (const std::string value = value_of("TENFOLD_REPRODUCIBLE"); !value.empty()) {
        if (value != "0" && value != "1")
            reject("TENFOLD_REPRODUCIBLE", value);
        result.reproducible = value == "1";
    }
    if (const std::string value = value_of("TENFOLD_WATCHDOG"); !value.empty())
        result.watchdog_seconds = seconds("TENFOLD_WATCHDOG", value);
    if (const std::string value = value_of("TENFOLD_PRESENCE"); !value.empty())
        result.presence_seconds = value == "off" ? 0 : seconds("TENFOLD_PRESENCE", value);
    if (const std::string value = value_of("TENFOLD_LOG"); !value.empty()) {
        const std::string levels[] = {"quiet", "warn", "info", "debug"};
        result.log_level = -1;
        for (int level = 0; level < 4; ++level)
            if (value == levels[level])
                result.log_level = level;
        if (result.log_level < 0)
            reject("TENFOLD_LOG", value);
    }
    return result;
}

} // namespace tenfold
