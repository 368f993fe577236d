// Names of enumerators, their parsers, and the check that a value is an enumerator.
#include "base/integer_types.hpp"
#include "base/option_checks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>
#include <tenfold/version.hpp>

namespace tenfold {
namespace {

template <class E> using name_table_entry = std::pair<E, std::string_view>;

template <class E, std::size_t N>
std::string_view find_name(const std::array<name_table_entry<E>, N> &table, E value) noexcept {
    for (const auto &[candidate, text] : table)
        if (candidate == value)
            return text;
    return "unknown";
}

template <class E, std::size_t N> std::optional<E>
find_value(const std::array<name_table_entry<E>, N> &table, std::string_view text) noexcept {
    for (const auto &[value, candidate] : table)
        if (candidate == text)
            return value;
    return std::nullopt;
}

constexpr std::array<name_table_entry<data_type>, std::size(all_data_types)> data_types{{
#define TENFOLD_ENTRY(type, name) {data_type::name, #name},
    TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_ENTRY)}};
constexpr std::array<name_table_entry<data_type>, 3> integer_types{
    {TENFOLD_FOR_INTEGER_TYPES(TENFOLD_ENTRY)
#undef TENFOLD_ENTRY
    }};

constexpr std::array<name_table_entry<tuning>, 3> tuning_levels{
    {{tuning::estimate, "estimate"}, {tuning::measure, "measure"}, {tuning::patient, "patient"}}};

constexpr std::array<name_table_entry<algorithm>, 8> algorithms{
    {{algorithm::automatic, "auto"},
     {algorithm::direct, "direct"},
     {algorithm::gemm_loop, "gemm-loop"},
     {algorithm::ttgt, "ttgt"},
     {algorithm::fused, "fused"},
     {algorithm::loops, "loops"},
     {algorithm::reference, "reference"},
     {algorithm::leaves, "leaves"}}};

constexpr std::array<name_table_entry<backend>, 2> backends{
    {{backend::native, "native"}, {backend::blis, "blis"}}};

constexpr std::array<name_table_entry<bf16_sums>, 3> sums_of_bf16{
    {{bf16_sums::automatic, "automatic"},
     {bf16_sums::widened, "widened"},
     {bf16_sums::dot_products, "dot_products"}}};

constexpr std::array<name_table_entry<isa>, 5> isas{{{isa::generic, "generic"},
                                                     {isa::avx2, "avx2"},
                                                     {isa::avx512, "avx512"},
                                                     {isa::neon, "neon"},
                                                     {isa::sve, "sve"}}};
static_assert(isas.size() == std::size(all_isas));

constexpr std::array<name_table_entry<errc>, 18> error_codes{
    {{errc::ok, "ok"},
     {errc::syntax, "syntax"},
     {errc::unknown_label, "unknown_label"},
     {errc::repeated_label, "repeated_label"},
     {errc::order_mismatch, "order_mismatch"},
     {errc::extent_mismatch, "extent_mismatch"},
     {errc::type_mismatch, "type_mismatch"},
     {errc::invalid_argument, "invalid_argument"},
     {errc::overflow, "overflow"},
     {errc::overlap, "overlap"},
     {errc::null_pointer, "null_pointer"},
     {errc::workspace_too_small, "workspace_too_small"},
     {errc::out_of_memory, "out_of_memory"},
     {errc::unsupported, "unsupported"},
     {errc::io, "io"},
     {errc::disagreement, "disagreement"},
     {errc::communication, "communication"},
     {errc::stopped, "stopped"}}};

constexpr const auto &table_of(data_type) noexcept { return data_types; }
constexpr const auto &table_of(tuning) noexcept { return tuning_levels; }
constexpr const auto &table_of(algorithm) noexcept { return algorithms; }
constexpr const auto &table_of(backend) noexcept { return backends; }
constexpr const auto &table_of(bf16_sums) noexcept { return sums_of_bf16; }
constexpr const auto &table_of(isa) noexcept { return isas; }

} // namespace

namespace base {

template <class E> void check_enumerator(E value, std::string_view what, const char *function) {
    for (const auto &entry : table_of(value))
        if (entry.first == value)
            return;
    std::string known;
    for (const auto &[one, text] : table_of(value))
        known += (known.empty() ? "" : ", ") + std::string(text) + " (" +
                 std::to_string(static_cast<int>(one)) + ")";
    std::string_view its_name = "unknown";
    if constexpr (std::is_same_v<E, data_type>)
        its_name = name(value); // integers have one, and are no element types
    throw error(errc::invalid_argument,
                (function == nullptr ? "" : std::string(function) + ": ") + std::string(what) +
                    " is " +
                    (its_name == "unknown" ? std::to_string(static_cast<int>(value))
                                           : std::string(its_name)) +
                    "; there are " + known);
}

template void check_enumerator(data_type, std::string_view, const char *);
template void check_enumerator(tuning, std::string_view, const char *);
template void check_enumerator(algorithm, std::string_view, const char *);
template void check_enumerator(backend, std::string_view, const char *);
template void check_enumerator(bf16_sums, std::string_view, const char *);
template void check_enumerator(isa, std::string_view, const char *);

namespace {

/// Of types for which `counts` is true.
std::string join_names(bool (*counts)(data_type), std::string_view last) {
    std::string text;
    std::string_view before; // the name that is next written
    const auto add = [&](const name_table_entry<data_type> &one) {
        if (!counts(one.first))
            return;
        if (!before.empty())
            text += (text.empty() ? "" : ", ") + std::string(before);
        before = one.second;
    };
    std::ranges::for_each(data_types, add);
    std::ranges::for_each(integer_types, add);
    return text + " " + std::string(last) + " " + std::string(before);
}

} // namespace

std::string element_type_names(std::string_view last) {
    return join_names([](data_type type) { return !is_integer(type); }, last);
}
std::string any_type_names(std::string_view last) {
    return join_names([](data_type) { return true; }, last);
}
std::optional<data_type> parse_any_type(std::string_view text) noexcept {
    const auto integers = find_value(integer_types, text);
    return integers ? integers : parse_data_type(text);
}
std::string arithmetic_type_names(std::string_view last) {
    return join_names([](data_type type) { return is_arithmetic(type); }, last);
}

} // namespace base

std::string_view name(data_type type) noexcept {
    return is_integer(type) ? find_name(integer_types, type) : find_name(data_types, type);
}
std::optional<data_type> parse_data_type(std::string_view text) noexcept {
    return find_value(data_types, text);
}
std::string_view name(tuning value) noexcept { return find_name(tuning_levels, value); }
std::optional<tuning> parse_tuning(std::string_view text) noexcept {
    return find_value(tuning_levels, text);
}
std::string_view name(algorithm value) noexcept { return find_name(algorithms, value); }
std::optional<algorithm> parse_algorithm(std::string_view text) noexcept {
    return find_value(algorithms, text);
}
std::string_view name(backend value) noexcept { return find_name(backends, value); }
std::optional<backend> parse_backend(std::string_view text) noexcept {
    return find_value(backends, text);
}
std::string_view name(isa value) noexcept { return find_name(isas, value); }
std::optional<isa> parse_isa(std::string_view text) noexcept { return find_value(isas, text); }

std::string_view name(errc code) noexcept { return find_name(error_codes, code); }

#define TENFOLD_TEXT_(x) #x
#define TENFOLD_TEXT(x) TENFOLD_TEXT_(x)
const char *version() noexcept {
    return TENFOLD_TEXT(TENFOLD_VERSION_MAJOR) "." TENFOLD_TEXT(
        TENFOLD_VERSION_MINOR) "." TENFOLD_TEXT(TENFOLD_VERSION_PATCH);
}

} // namespace tenfold
