// Scalar types, sizes and small vocabulary shared by every part of Tenfold.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

namespace [[gnu::visibility("default")]] tenfold {

/// Extents, strides (in elements) and positions. Signed: strides may be negative, and differences
/// of positions never wrap.
using index_t = std::int64_t;

/// Brain floating point: the upper half of an IEEE binary32. A storage type: arithmetic on it
/// happens in f32. Conversion from float rounds to nearest, ties to even; NaN stays NaN.
struct bf16 {
    std::uint16_t bits = 0;

    bf16() = default;
    explicit bf16(float value) noexcept;
    explicit operator float() const noexcept;
};

/// IEEE binary16. A storage type like bf16; conversion from float rounds to nearest even, keeps
/// subnormals, infinities and NaN.
struct f16 {
    std::uint16_t bits = 0;

    f16() = default;
    explicit f16(float value) noexcept;
    explicit operator float() const noexcept;
};

/// The element types of tensors: the one list that all else follows, from the names to what tests
/// run for. `arithmetic` types multiply as they are, and sums are of the same type; `storage` types
/// are widened to f32 for both. Lines: C++ type, name.
#define TENFOLD_ELEMENT_TYPES(arithmetic, storage)                                                 \
    arithmetic(float, f32) arithmetic(double, f64) arithmetic(tenfold::c32, c32)                   \
        arithmetic(tenfold::c64, c64) storage(tenfold::bf16, bf16) storage(tenfold::f16, f16)
#define TENFOLD_FOR_ELEMENT_TYPES(apply) TENFOLD_ELEMENT_TYPES(apply, apply)
#define TENFOLD_FOR_ARITHMETIC_TYPES(apply) TENFOLD_ELEMENT_TYPES(apply, TENFOLD_LEAVE_OUT)
#define TENFOLD_LEAVE_OUT(type, name)

/// Integers, which are in nothing that follows the list above. In contractions D and its sums are
/// i32, as A and B may be; transpositions move each to its own type.
#define TENFOLD_FOR_INTEGER_TYPES(apply)                                                           \
    apply(std::int8_t, i8) apply(std::uint8_t, u8) apply(std::int32_t, i32)

/// f32, f64, c32, c64, bf16, f16, i8, u8, i32.
#define TENFOLD_ENUMERATOR(type, name) name,
enum class data_type : std::uint8_t {
    TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_ENUMERATOR) TENFOLD_FOR_INTEGER_TYPES(TENFOLD_ENUMERATOR)
};
#undef TENFOLD_ENUMERATOR

// Behind the enumerators of these names, which would hide them (-Wshadow).
using c32 = std::complex<float>;
using c64 = std::complex<double>;

/// All but integers, as the list has them.
#define TENFOLD_VALUE(type, name) data_type::name,
inline constexpr data_type all_data_types[] = {TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_VALUE)};
#undef TENFOLD_VALUE

/// What is known of T, an element type.
template <class T> struct element_traits {
#define TENFOLD_NAME_OF(type, name) " " #type
    static_assert(!std::is_same_v<T, T>,
                  "the element types of tensors are" TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_NAME_OF)
                      TENFOLD_FOR_INTEGER_TYPES(TENFOLD_NAME_OF));
#undef TENFOLD_NAME_OF
    // So that nothing else is complained about.
    using real = T;
    using output = T;
    static constexpr data_type value = data_type::f32;
    static constexpr bool is_complex = false;
    static constexpr bool is_arithmetic = false;
    static constexpr bool is_integer = false;
};

namespace types_impl {

template <class T> struct parts_of { using type = T; };
template <class R> struct parts_of<std::complex<R>> { using type = R; };

template <class T, class Output, data_type Value> struct traits {
    using real = typename parts_of<T>::type; ///< of a complex number's parts; T if it is real
    using output = Output;                   ///< of sums of products of T, and hence of D
    static constexpr data_type value = Value;
    static constexpr bool is_complex = !std::is_same_v<real, T>;
    static constexpr bool is_integer = std::is_integral_v<T>;
    static constexpr bool is_arithmetic = std::is_same_v<Output, T> && !is_integer;
};

/// Into<T...>, without what precedes the comma before the first one.
template <template <class...> class Into, class, class... T> struct list {
    using type = Into<T...>;
};

} // namespace types_impl

#define TENFOLD_ARITHMETIC(type, name)                                                             \
    template <> struct element_traits<type> : types_impl::traits<type, type, data_type::name> {};
#define TENFOLD_STORAGE(type, name)                                                                \
    template <> struct element_traits<type> : types_impl::traits<type, float, data_type::name> {};
TENFOLD_ELEMENT_TYPES(TENFOLD_ARITHMETIC, TENFOLD_STORAGE)
#undef TENFOLD_ARITHMETIC
#undef TENFOLD_STORAGE
#define TENFOLD_INTEGER(type, name)                                                                \
    template <> struct element_traits<type>                                                        \
        : types_impl::traits<type, std::int32_t, data_type::name> {};
TENFOLD_FOR_INTEGER_TYPES(TENFOLD_INTEGER)
#undef TENFOLD_INTEGER

/// Into<float, double, ...>: of all element types, and of the arithmetic ones.
#define TENFOLD_TYPE(type, name) , type
template <template <class...> class Into> using list_of_element_types =
    typename types_impl::list<Into, void TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_TYPE)>::type;
template <template <class...> class Into> using list_of_arithmetic_types =
    typename types_impl::list<Into, void TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_TYPE)>::type;
#undef TENFOLD_TYPE

/// The data_type of an element type; `const` is ignored.
template <class T> constexpr data_type data_type_of = element_traits<std::remove_const_t<T>>::value;

/// What element_traits knows, where the type is known at run time only.
struct element_facts {
    index_t bytes = 0; ///< of one element
    data_type real{}, output{};
    bool is_complex = false;
    bool is_arithmetic = false;
    bool is_integer = false;
};

namespace types_impl {

#define TENFOLD_FACTS(T, name)                                                                     \
    {static_cast<index_t>(sizeof(T)),         data_type_of<element_traits<T>::real>,               \
     data_type_of<element_traits<T>::output>, element_traits<T>::is_complex,                       \
     element_traits<T>::is_arithmetic,        element_traits<T>::is_integer},
inline constexpr element_facts all_facts[] = {TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_FACTS)
                                                  TENFOLD_FOR_INTEGER_TYPES(TENFOLD_FACTS)};
#undef TENFOLD_FACTS

} // namespace types_impl

/// Of numbers that are no type: no bytes. A table, because small contractions ask often.
constexpr element_facts facts_of(data_type type) noexcept {
    const auto number = static_cast<std::size_t>(type);
    return number < std::size(types_impl::all_facts) ? types_impl::all_facts[number]
                                                     : element_facts{};
}

/// Bytes of one element.
constexpr index_t size_of(data_type type) noexcept { return facts_of(type).bytes; }
constexpr bool is_complex(data_type type) noexcept { return facts_of(type).is_complex; }
/// i8, u8 and i32, which contractions take only with one another, and transpositions each by
/// itself.
constexpr bool is_integer(data_type type) noexcept { return facts_of(type).is_integer; }
/// Multiplied as they are; others are widened to their output type.
constexpr bool is_arithmetic(data_type type) noexcept { return facts_of(type).is_arithmetic; }
/// Of the parts of a complex type, f64 of c64; of others, the type itself.
constexpr data_type real_type_of(data_type type) noexcept { return facts_of(type).real; }
/// Whose parts are of this type, c64 for f64, if there is one.
constexpr std::optional<data_type> complex_type_of(data_type real) noexcept {
    for (const data_type type : all_data_types)
        if (is_complex(type) && real_type_of(type) == real)
            return type;
    return std::nullopt;
}
/// The element type of D that inputs of this type give: f32 for bf16 and f16, i32 for integers,
/// else the same.
constexpr data_type output_type_of(data_type inputs) noexcept { return facts_of(inputs).output; }

/// Whether every number of `from` is one of `to`: f32 of f64, f64 of c64, bf16 of f32.
constexpr bool converts_exactly(data_type from, data_type to) noexcept {
    if (is_integer(from) || is_integer(to))
        return from == to || (is_integer(from) && to == data_type::i32);
    if (is_complex(from) && !is_complex(to))
        return false;
    const data_type part = real_type_of(from), whole = real_type_of(to);
    return part == whole || (is_arithmetic(whole) && size_of(part) < size_of(whole));
}

/// "f32", "f64", "c32", "c64", "bf16", "f16", "i8", "u8", "i32". parse_data_type() does not accept
/// the last three.
std::string_view name(data_type type) noexcept;
std::optional<data_type> parse_data_type(std::string_view text) noexcept;

/// Real flops of one multiply-add: 2, or 8 when complex.
constexpr double flops_per_multiply_add(data_type type) noexcept {
    return is_complex(type) ? 8.0 : 2.0;
}

/// alpha and beta as they travel through interfaces that do not know the element type: every f32,
/// f64, c32 and c64 value is exactly one of these.
using scalar = std::complex<double>;

/// A number of bytes, so that no element count is passed where bytes are meant.
struct byte_count {
    index_t value = 0;
    friend constexpr auto operator<=>(byte_count, byte_count) = default;
};
constexpr byte_count bytes(index_t n) noexcept { return {n}; }
constexpr byte_count kib(index_t n) noexcept { return {n << 10}; }
constexpr byte_count mib(index_t n) noexcept { return {n << 20}; }
constexpr byte_count gib(index_t n) noexcept { return {n << 30}; }

/// How much time plan creation may spend: `estimate` asks the cost model only, `measure` times a
/// few candidates on scratch memory, `patient` many.
enum class tuning : std::uint8_t { estimate, measure, patient };
std::string_view name(tuning value) noexcept;
std::optional<tuning> parse_tuning(std::string_view text) noexcept;

/// How a contraction is carried out; `automatic` lets the cost model choose.
enum class algorithm : std::uint8_t {
    automatic,
    direct,    ///< one GEMM (or GEMV, GER, dot) on the data as it lies
    gemm_loop, ///< such a call inside loops over batch and left-over modes
    ttgt,      ///< transpose, transpose, GEMM, transpose
    fused,     ///< tile by tile: moved into cache, multiplied there, moved back
    loops,     ///< vector loops over one mode: element-wise products, traces, thin outer products
    reference, ///< plain nested loops
    leaves     ///< sums cut by global extents only: that of reproducible contractions
};
/// "auto", "direct", "gemm-loop", "ttgt", "fused", "loops", "reference", "leaves": the command
/// line's names.
std::string_view name(algorithm value) noexcept;
std::optional<algorithm> parse_algorithm(std::string_view text) noexcept;

/// Who multiplies matrices: Tenfold's own kernels or the BLIS library.
enum class backend : std::uint8_t { native, blis };
std::string_view name(backend value) noexcept;
std::optional<backend> parse_backend(std::string_view text) noexcept;

/// How products of bf16 numbers are summed.
enum class bf16_sums : std::uint8_t {
    /// Allows either mode below, and takes the faster one by the machine's rates: `dot_products` if
    /// the processor has an instruction for them that is faster than multiply-adds of f32. So
    /// results differ between processors, and may change with a calibration. In contexts with
    /// settings::reproducible it is `widened` on every machine.
    automatic,
    /// Converts inputs to f32, which is exact and keeps subnormal numbers, and uses fused
    /// multiply-adds if the ISA has them.
    widened,
    /// Rounds as AVX-512's VDPBF16PS does: k is taken in pairs, the odd product before the even
    /// one, each by a fused multiply-add that treats subnormal numbers as zero. Processors with the
    /// same L1 cache size give the same bits, because that size decides where long sums are split.
    /// Emulated, slowly, without the instruction.
    dot_products
};
/// "automatic", "widened", "dot_products".
std::string_view name(bf16_sums value) noexcept;

/// Instruction sets that kernels are written for, weakest first within a family.
enum class isa : std::uint8_t { generic, avx2, avx512, neon, sve };
inline constexpr isa all_isas[] = {isa::generic, isa::avx2, isa::avx512, isa::neon, isa::sve};
std::string_view name(isa value) noexcept;
std::optional<isa> parse_isa(std::string_view text) noexcept;

} // namespace tenfold
