// The vocabulary of the C interface: enumerations, scalars, tensors.
//
// Enumerations are 32-bit integers with named values, so that their size and their values are the
// same for all compilers and languages. Values never change.
#ifndef TENFOLD_C_TYPES_H
#define TENFOLD_C_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TENFOLD_C_LANGUAGE_BEGIN extern "C" {
#define TENFOLD_C_LANGUAGE_END }
#else
#define TENFOLD_C_LANGUAGE_BEGIN
#define TENFOLD_C_LANGUAGE_END
#endif
#ifdef __GNUC__ // the library itself is compiled with hidden visibility
#define TENFOLD_BEGIN_C TENFOLD_C_LANGUAGE_BEGIN _Pragma("GCC visibility push(default)")
#define TENFOLD_END_C _Pragma("GCC visibility pop") TENFOLD_C_LANGUAGE_END
#else
#define TENFOLD_BEGIN_C TENFOLD_C_LANGUAGE_BEGIN
#define TENFOLD_END_C TENFOLD_C_LANGUAGE_END
#endif

/// Initialises a struct that begins with its size:
///     tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
#define TENFOLD_INIT(type)                                                                         \
    { .size = sizeof(type) }

TENFOLD_BEGIN_C

/// Element types. Complex numbers lie as in C: real part, imaginary part.
typedef int32_t tenfold_type;
enum {
    TENFOLD_F32 = 0,
    TENFOLD_F64 = 1,
    TENFOLD_C32 = 2, ///< complex of f32: float complex
    TENFOLD_C64 = 3, ///< complex of f64: double complex
    TENFOLD_BF16 = 4,
    TENFOLD_F16 = 5,
    TENFOLD_I8 = 64, ///< 8-bit integers; see docs/c-interface.md for what takes integers
    TENFOLD_U8 = 65,
    TENFOLD_I32 = 66
};

/// A choice between yes and no that may be left to somebody else.
typedef int32_t tenfold_choice;
enum { TENFOLD_DEFAULT = 0, TENFOLD_YES = 1, TENFOLD_NO = 2 };

/// How a contraction is carried out; see tenfold::algorithm.
typedef int32_t tenfold_algorithm;
enum {
    TENFOLD_ALGORITHM_AUTO = 0, ///< the cost model chooses
    TENFOLD_ALGORITHM_DIRECT = 1,
    TENFOLD_ALGORITHM_GEMM_LOOP = 2,
    TENFOLD_ALGORITHM_TTGT = 3,
    TENFOLD_ALGORITHM_FUSED = 4,
    TENFOLD_ALGORITHM_LOOPS = 5,
    TENFOLD_ALGORITHM_REFERENCE = 6,
    TENFOLD_ALGORITHM_LEAVES = 7
};

/// How much time the making of a plan may take.
typedef int32_t tenfold_tuning;
enum {
    TENFOLD_TUNING_ESTIMATE = 0, ///< asks the cost model only
    TENFOLD_TUNING_MEASURE = 1,  ///< up to about 1 s
    TENFOLD_TUNING_PATIENT = 2   ///< up to about 10 s
};

/// Who multiplies matrices.
typedef int32_t tenfold_backend;
enum {
    TENFOLD_BACKEND_DEFAULT = 0, ///< of options: the context's; of settings: the environment's
    TENFOLD_BACKEND_NATIVE = 1,
    TENFOLD_BACKEND_BLIS = 2
};

/// How products of bf16 numbers are summed; see tenfold::bf16_sums.
typedef int32_t tenfold_bf16_sums;
enum {
    TENFOLD_BF16_SUMS_AUTO = 0,
    TENFOLD_BF16_SUMS_WIDENED = 1,
    TENFOLD_BF16_SUMS_DOT_PRODUCTS = 2
};

/// Instruction sets that kernels are written for.
typedef int32_t tenfold_isa;
enum {
    TENFOLD_ISA_DEFAULT = 0, ///< the environment's, or else the best of this machine
    TENFOLD_ISA_GENERIC = 1,
    TENFOLD_ISA_AVX2 = 2,
    TENFOLD_ISA_AVX512 = 3,
    TENFOLD_ISA_NEON = 4,
    TENFOLD_ISA_SVE = 5
};

/// "f64", "gemm-loop", "blis", "avx2"; "unknown" for other numbers and for defaults. Never NULL;
/// they live as long as the process.
const char *tenfold_type_name(tenfold_type type);
const char *tenfold_algorithm_name(tenfold_algorithm algorithm);
const char *tenfold_backend_name(tenfold_backend backend);
const char *tenfold_isa_name(tenfold_isa isa);

/// alpha and beta, for tensors of every type: every f32, f64, c32 and c64 number is one of these.
/// It lies like C's double complex and Fortran's complex(c_double_complex). For real tensors `im`
/// must be 0, for tensors of integers `re` an integer of 32 bits. Numbers are rounded to the type
/// of the output.
typedef struct tenfold_scalar {
    double re;
    double im;
} tenfold_scalar;

/// A tensor without its data, which executions are given. This struct keeps its form.
typedef struct tenfold_tensor {
    tenfold_type type;
    int32_t order;          ///< number of modes; 0 is a scalar
    const int64_t *extents; ///< `order` of them; may be NULL if order is 0
    const int64_t *strides; ///< in elements, of any sign; NULL: dense, column-major
    int32_t conjugated;     ///< 1: its complex conjugate is read; 0 for outputs
} tenfold_tensor;

/// The tensors of one expression.
typedef struct tenfold_operands {
    const tenfold_tensor *inputs; ///< in the order of the expression
    int32_t input_count;
    const tenfold_tensor *c; ///< what beta multiplies; NULL: C is D
    const tenfold_tensor *d; ///< the output
} tenfold_operands;

/// Their data: for each tensor the address of the element at position 0.
typedef struct tenfold_data {
    const void *const *inputs;
    int32_t input_count;
    const void *c; ///< not used if operands have no c, or if beta is 0
    void *d;
} tenfold_data;

TENFOLD_END_C

#endif
