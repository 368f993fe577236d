// Names, and the proof that the C interface's numbers are the C++ interface's enumerators.
#include <iterator>

#include <tenfold/epilogue.hpp>
#include <tenfold/gemm_mixed.hpp>
#include <tenfold/tenfold.h>
#include <tenfold/types.hpp>
#include <tenfold/version.hpp>

#include "capi/convert.hpp"
#include "capi/type_numbers.hpp"

namespace tenfold::capi_impl {
namespace {

template <class E> constexpr bool is(std::int32_t number, E value) {
    return number == static_cast<std::int32_t>(value);
}
/// Where 0 is the default.
template <class E> constexpr bool follows(std::int32_t number, E value) {
    return number == static_cast<std::int32_t>(value) + 1;
}

constexpr std::int32_t types[] = {TENFOLD_F32, TENFOLD_F64,  TENFOLD_C32,
                                  TENFOLD_C64, TENFOLD_BF16, TENFOLD_F16};
static_assert(std::size(types) == std::size(all_data_types),
              "every element type has a number in tenfold/c/types.h");
static_assert(is(TENFOLD_F32, data_type::f32) && is(TENFOLD_F64, data_type::f64) &&
              is(TENFOLD_C32, data_type::c32) && is(TENFOLD_C64, data_type::c64) &&
              is(TENFOLD_BF16, data_type::bf16) && is(TENFOLD_F16, data_type::f16));
static_assert(facts_of(static_cast<data_type>(TENFOLD_I8)).bytes == 0, "its number is free");
static_assert(number_of(data_type::i8) == TENFOLD_I8 && number_of(data_type::u8) == TENFOLD_U8 &&
              number_of(data_type::i32) == TENFOLD_I32);
#define TENFOLD_CHECK(T, name)                                                                     \
    static_assert(type_numbered(number_of(data_type::name)) == data_type::name);
TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_CHECK)
TENFOLD_FOR_INTEGER_TYPES(TENFOLD_CHECK)
#undef TENFOLD_CHECK

static_assert(is(TENFOLD_ALGORITHM_AUTO, algorithm::automatic) &&
              is(TENFOLD_ALGORITHM_DIRECT, algorithm::direct) &&
              is(TENFOLD_ALGORITHM_GEMM_LOOP, algorithm::gemm_loop) &&
              is(TENFOLD_ALGORITHM_TTGT, algorithm::ttgt) &&
              is(TENFOLD_ALGORITHM_FUSED, algorithm::fused) &&
              is(TENFOLD_ALGORITHM_LOOPS, algorithm::loops) &&
              is(TENFOLD_ALGORITHM_REFERENCE, algorithm::reference) &&
              is(TENFOLD_ALGORITHM_LEAVES, algorithm::leaves));
static_assert(is(TENFOLD_TUNING_ESTIMATE, tuning::estimate) &&
              is(TENFOLD_TUNING_MEASURE, tuning::measure) &&
              is(TENFOLD_TUNING_PATIENT, tuning::patient));
static_assert(follows(TENFOLD_BACKEND_NATIVE, backend::native) &&
              follows(TENFOLD_BACKEND_BLIS, backend::blis));
static_assert(follows(TENFOLD_ISA_GENERIC, isa::generic) && follows(TENFOLD_ISA_AVX2, isa::avx2) &&
              follows(TENFOLD_ISA_AVX512, isa::avx512) && follows(TENFOLD_ISA_NEON, isa::neon) &&
              follows(TENFOLD_ISA_SVE, isa::sve));
static_assert(is(TENFOLD_BF16_SUMS_AUTO, bf16_sums::automatic) &&
              is(TENFOLD_BF16_SUMS_WIDENED, bf16_sums::widened) &&
              is(TENFOLD_BF16_SUMS_DOT_PRODUCTS, bf16_sums::dot_products));
static_assert(is(TENFOLD_RELU, elementwise::relu) && is(TENFOLD_EXP, elementwise::exp) &&
              is(TENFOLD_TANH, elementwise::tanh) && is(TENFOLD_SIGMOID, elementwise::sigmoid) &&
              is(TENFOLD_GELU_TANH, elementwise::gelu_tanh) &&
              is(TENFOLD_GELU_ERF, elementwise::gelu_erf));
static_assert(is(TENFOLD_OK, errc::ok) && is(TENFOLD_SYNTAX, errc::syntax) &&
              is(TENFOLD_UNKNOWN_LABEL, errc::unknown_label) &&
              is(TENFOLD_REPEATED_LABEL, errc::repeated_label) &&
              is(TENFOLD_ORDER_MISMATCH, errc::order_mismatch) &&
              is(TENFOLD_EXTENT_MISMATCH, errc::extent_mismatch) &&
              is(TENFOLD_TYPE_MISMATCH, errc::type_mismatch) &&
              is(TENFOLD_INVALID_ARGUMENT, errc::invalid_argument) &&
              is(TENFOLD_OVERFLOW, errc::overflow) && is(TENFOLD_OVERLAP, errc::overlap) &&
              is(TENFOLD_NULL_POINTER, errc::null_pointer) &&
              is(TENFOLD_WORKSPACE_TOO_SMALL, errc::workspace_too_small) &&
              is(TENFOLD_OUT_OF_MEMORY, errc::out_of_memory) &&
              is(TENFOLD_UNSUPPORTED, errc::unsupported) && is(TENFOLD_IO, errc::io) &&
              is(TENFOLD_DISAGREEMENT, errc::disagreement) &&
              is(TENFOLD_COMMUNICATION, errc::communication) && is(TENFOLD_STOPPED, errc::stopped));

static_assert(sizeof(tenfold_scalar) == sizeof(scalar) && sizeof(int) == sizeof(std::int32_t));

/// The name of an enumerator, which is a literal; `first` is the number of the first one.
template <class E> const char *name_or_unknown(std::int32_t number, std::int32_t first) noexcept {
    if (number < first || number - first > 255)
        return "unknown";
    return name(static_cast<E>(number - first)).data();
}

} // namespace
} // namespace tenfold::capi_impl

using namespace tenfold::capi_impl;

const char *tenfold_version(void) { return tenfold::version(); }

const char *tenfold_type_name(tenfold_type type) {
    return tenfold::name(type_numbered(type)).data();
}
const char *tenfold_algorithm_name(tenfold_algorithm algorithm) {
    return name_or_unknown<tenfold::algorithm>(algorithm, 0);
}
const char *tenfold_backend_name(tenfold_backend backend) {
    return name_or_unknown<tenfold::backend>(backend, 1);
}
const char *tenfold_isa_name(tenfold_isa isa) { return name_or_unknown<tenfold::isa>(isa, 1); }
