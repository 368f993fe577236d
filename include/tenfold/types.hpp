// Scalar types, sizes and small vocabulary shared by every part of Tenfold.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace tenfold {

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

enum class data_type : std::uint8_t { f32, f64, c32, c64, bf16, f16 };

// Behind the enumerators of these names, which would hide them (-Wshadow).
using c32 = std::complex<float>;
using c64 = std::complex<double>;

/// The element types of tensors and what each is called: the list that everything else follows.
#define TENFOLD_FOR_ELEMENT_TYPES(apply)                                                           \
    apply(float, f32) apply(double, f64) apply(tenfold::c32, c32) apply(tenfold::c64, c64)         \
        apply(tenfold::bf16, bf16) apply(tenfold::f16, f16)

template <class T> struct data_type_of_t {
#define TENFOLD_NAME_OF(type, name) " " #type
    static_assert(!std::is_same_v<T, T>,
                  "the element types of tensors are" TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_NAME_OF));
#undef TENFOLD_NAME_OF
    static constexpr data_type value = data_type::f32; // so that nothing else is complained about
};
#define TENFOLD_DATA_TYPE_OF(type, name)                                                           \
    template <> struct data_type_of_t<type> { static constexpr data_type value = data_type::name; };
TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_DATA_TYPE_OF)
#undef TENFOLD_DATA_TYPE_OF

/// The data_type of an element type; `const` is ignored.
template <class T> constexpr data_type data_type_of = data_type_of_t<std::remove_const_t<T>>::value;

/// Bytes of one element.
constexpr index_t size_of(data_type type) noexcept {
    switch (type) {
    case data_type::f32:
        return 4;
    case data_type::f64:
        return 8;
    case data_type::c32:
        return 8;
    case data_type::c64:
        return 16;
    case data_type::bf16:
        return 2;
    case data_type::f16:
        return 2;
    }
    return 0;
}

constexpr bool is_complex(data_type type) noexcept {
    return type == data_type::c32 || type == data_type::c64;
}

/// "f32", "f64", "c32", "c64", "bf16", "f16".
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
    fused,     ///< packing straight from the tensors
    loops,     ///< vector loops over one mode: element-wise products, traces, thin outer products
    reference  ///< plain nested loops
};
/// "auto", "direct", "gemm-loop", "ttgt", "fused", "loops", "reference": the command line's names.
std::string_view name(algorithm value) noexcept;
std::optional<algorithm> parse_algorithm(std::string_view text) noexcept;

/// Who multiplies matrices: Tenfold's own kernels or the BLIS library.
enum class backend : std::uint8_t { native, blis };
std::string_view name(backend value) noexcept;
std::optional<backend> parse_backend(std::string_view text) noexcept;

/// Instruction sets that kernels are written for, weakest first within a family.
enum class isa : std::uint8_t { generic, avx2, avx512, neon, sve };
std::string_view name(isa value) noexcept;
std::optional<isa> parse_isa(std::string_view text) noexcept;

} // namespace tenfold
