// What a type has that stands in the list of element types and nowhere else: one_type_list adds
// f80.
#include <cstdio>
#include <optional>
#include <type_traits>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"

using namespace tenfold;

// Lists of tests, in which ::testing::Types stands here.
template <class... T> struct types {};
static_assert(
    std::is_same_v<list_of_arithmetic_types<types>, types<float, double, c32, c64, long double>>);
static_assert(std::is_same_v<list_of_element_types<types>,
                             types<float, double, c32, c64, long double, bf16, f16>>);

// What sources define for every type.
template <class T> struct defined_for { static constexpr bool value = false; };
#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template <> struct defined_for<T> { static constexpr bool value = true; };
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE
static_assert(defined_for<long double>::value);

static_assert(data_type_of<const long double> == data_type::f80);
static_assert(size_of(data_type::f80) == sizeof(long double) && !is_complex(data_type::f80));
static_assert(is_arithmetic(data_type::f80) && output_type_of(data_type::f80) == data_type::f80);
static_assert(real_type_of(data_type::f80) == data_type::f80);
static_assert(!complex_type_of(data_type::f80)); // no complex type of it stands in the list

namespace {

int failures = 0;
void expect(bool holds, const char *what) {
    if (!holds) {
        std::fprintf(stderr, "not so: %s\n", what);
        ++failures;
    }
}

} // namespace

int main() {
    expect(name(data_type::f80) == "f80", "it has a name");
    expect(parse_data_type("f80") == data_type::f80, "its name is read");
    expect(base::element_type_names("or") == "f32, f64, c32, c64, f80, bf16 or f16",
           "messages that list types name it");
    expect(base::arithmetic_type_names("or") == "f32, f64, c32, c64 or f80",
           "messages that list arithmetic types name it");
    base::check_enumerator(data_type::f80, "the type"); // throws
    try {
        base::check_enumerator(data_type(7), "the type");
        expect(false, "there are seven types");
    } catch (const error &refused) {
        expect(std::string_view(refused.what()).find("f80 (4)") != std::string_view::npos,
               "refusals of unknown types name it");
    }
    const auto bytes_of = []<class T>(T) { return sizeof(T); };
    expect(base::with_type(data_type::f80, bytes_of) == sizeof(long double), "it is dispatched");
    expect(base::with_arithmetic_type(data_type::f80, bytes_of) == sizeof(long double),
           "it is dispatched to what multiplies");
    expect(*static_cast<const long double *>(base::one_of(data_type::f80)) == 1, "it has a 1");
    expect(base::scalar_cast<long double>({3, 0}) == 3, "scalars become it");
    return failures == 0 ? 0 : 1;
}
