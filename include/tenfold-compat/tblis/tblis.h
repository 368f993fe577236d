/* TBLIS's C interface for tensors (of 2023), served by Tenfold: programs that include
   <tblis/tblis.h> compile with this header and link libtenfold_tblis. docs/drop-ins.md says what
   differs. Names are in namespace tblis where the language is C++, but for tblis_comm, tblis_single
   and the threads' functions. */
#ifndef TENFOLD_COMPAT_TBLIS_H
#define TENFOLD_COMPAT_TBLIS_H

#include <stddef.h>

#ifdef __cplusplus
#include <complex>
#endif

#define TENFOLD_TBLIS_PUBLIC __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The threads of a call: null for as many as tblis_set_num_threads() said, or tblis_single for one.
   Communicators of several threads, which TCI makes, are refused. */
typedef struct tci_comm tblis_comm;
extern TENFOLD_TBLIS_PUBLIC const tblis_comm *const tblis_single;

/* At first TBLIS_NUM_THREADS, if that is set, else the number of Tenfold's settings
   (TENFOLD_NUM_THREADS, OMP_NUM_THREADS, or one per core). */
#ifdef __cplusplus
TENFOLD_TBLIS_PUBLIC unsigned tblis_get_num_threads();
#else
TENFOLD_TBLIS_PUBLIC unsigned tblis_get_num_threads(void);
#endif
/* 0: as many as Tenfold's settings say. */
TENFOLD_TBLIS_PUBLIC void tblis_set_num_threads(unsigned num_threads);

#ifdef __cplusplus
}

namespace tblis {
#endif

typedef enum {
    REDUCE_SUM = 0,
    REDUCE_SUM_ABS = 1,
    REDUCE_MAX = 2,
    REDUCE_MAX_ABS = 3,
    REDUCE_MIN = 4,
    REDUCE_MIN_ABS = 5,
    REDUCE_NORM_1 = REDUCE_SUM_ABS,
    REDUCE_NORM_2 = 6,
    REDUCE_NORM_INF = REDUCE_MAX_ABS
} reduce_t;

typedef enum {
    TYPE_SINGLE = 0,
    TYPE_FLOAT = TYPE_SINGLE,
    TYPE_DOUBLE = 1,
    TYPE_SCOMPLEX = 2,
    TYPE_DCOMPLEX = 3
} type_t;

typedef ptrdiff_t len_type;
typedef ptrdiff_t stride_type;
typedef char label_type;

/* Chooses TBLIS's kernels for a processor; Tenfold chooses its own and ignores it. */
typedef struct tblis_config_s tblis_config;

#ifdef __cplusplus
typedef std::complex<float> scomplex;
typedef std::complex<double> dcomplex;
#else
typedef float _Complex scomplex;
typedef double _Complex dcomplex;
#endif

typedef struct tblis_scalar {
    union scalar {
        float s;
        double d;
        scomplex c;
        dcomplex z;
#ifdef __cplusplus
        scalar(float value) : s(value) {}
        scalar(double value) : d(value) {}
        scalar(scomplex value) : c(value) {}
        scalar(dcomplex value) : z(value) {}
#endif
    } data;
    type_t type;

#ifdef __cplusplus
    tblis_scalar() : data(1.0), type(TYPE_DOUBLE) {}
    tblis_scalar(float value) : data(value), type(TYPE_FLOAT) {}
    tblis_scalar(double value) : data(value), type(TYPE_DOUBLE) {}
    tblis_scalar(scomplex value) : data(value), type(TYPE_SCOMPLEX) {}
    tblis_scalar(dcomplex value) : data(value), type(TYPE_DCOMPLEX) {}

    /// The number, which is a T whatever `type` says.
    template <typename T> T &get();
    template <typename T> const T &get() const {
        return const_cast<tblis_scalar *>(this)->get<T>();
    }
#endif
} tblis_scalar;

#ifdef __cplusplus
template <> inline float &tblis_scalar::get<float>() { return data.s; }
template <> inline double &tblis_scalar::get<double>() { return data.d; }
template <> inline scomplex &tblis_scalar::get<scomplex>() { return data.c; }
template <> inline dcomplex &tblis_scalar::get<dcomplex>() { return data.z; }
#endif

/* A view of elements of one type, with a factor and a conjugation that apply when they are read.
   The element at (i0, i1, ..) is data[i0 * stride[0] + i1 * stride[1] + ..]. */
typedef struct tblis_tensor {
    type_t type;
    int conj;
    tblis_scalar scalar; /* of `type`, whatever its own type says */
    void *data;
    unsigned ndim;
    len_type *len;
    stride_type *stride;

#ifdef __cplusplus
    tblis_tensor()
        : type(TYPE_DOUBLE), conj(0), scalar(1.0), data(nullptr), ndim(0), len(nullptr),
          stride(nullptr) {}

    template <typename T> T &alpha() { return scalar.get<T>(); }
    template <typename T> const T &alpha() const { return scalar.get<T>(); }
#endif
} tblis_tensor;

#ifdef __cplusplus
extern "C" {
#endif

TENFOLD_TBLIS_PUBLIC const tblis_config *tblis_get_config(const char *name);

TENFOLD_TBLIS_PUBLIC void tblis_init_scalar_s(tblis_scalar *s, float value);
TENFOLD_TBLIS_PUBLIC void tblis_init_scalar_d(tblis_scalar *s, double value);
TENFOLD_TBLIS_PUBLIC void tblis_init_scalar_c(tblis_scalar *s, scomplex value);
TENFOLD_TBLIS_PUBLIC void tblis_init_scalar_z(tblis_scalar *s, dcomplex value);

/* The arrays are kept by address, not copied. */
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_scaled_s(tblis_tensor *t, float scalar, unsigned ndim,
                                                     len_type *len, float *data,
                                                     stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_scaled_d(tblis_tensor *t, double scalar, unsigned ndim,
                                                     len_type *len, double *data,
                                                     stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_scaled_c(tblis_tensor *t, scomplex scalar,
                                                     unsigned ndim, len_type *len, scomplex *data,
                                                     stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_scaled_z(tblis_tensor *t, dcomplex scalar,
                                                     unsigned ndim, len_type *len, dcomplex *data,
                                                     stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_s(tblis_tensor *t, unsigned ndim, len_type *len,
                                              float *data, stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_d(tblis_tensor *t, unsigned ndim, len_type *len,
                                              double *data, stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_c(tblis_tensor *t, unsigned ndim, len_type *len,
                                              scomplex *data, stride_type *stride);
TENFOLD_TBLIS_PUBLIC void tblis_init_tensor_z(tblis_tensor *t, unsigned ndim, len_type *len,
                                              dcomplex *data, stride_type *stride);

/* In what follows op() conjugates where the tensor's `conj` is not 0, and alpha and beta are the
   factors of the tensors that are named. The tensors of a call have one type. A label twice in a
   tensor means the diagonal of its modes, also where elements are written; a mode of length 1
   counts as absent. What is written has factor 1 and no conjugation afterwards. Wrong arguments
   throw tenfold::error, which is a std::runtime_error; a program without a handler, such as one in
   C, ends with its message. */

/* C = alpha_A alpha_B op(A) op(B) + beta_C op(C). Labels of A or B alone, and labels of both that C
   lacks, are summed over. Refuses labels of C alone. */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_mult(const tblis_comm *comm, const tblis_config *cfg,
                                            const tblis_tensor *A, const label_type *idx_A,
                                            const tblis_tensor *B, const label_type *idx_B,
                                            tblis_tensor *C, const label_type *idx_C);
/* B = alpha_A op(A) + beta_B op(B). A is summed over labels that B lacks, and repeated along those
   that only B has. */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_add(const tblis_comm *comm, const tblis_config *cfg,
                                           const tblis_tensor *A, const label_type *idx_A,
                                           tblis_tensor *B, const label_type *idx_B);
/* result = alpha_A alpha_B (sum of op(A) op(B) over all labels). */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_dot(const tblis_comm *comm, const tblis_config *cfg,
                                           const tblis_tensor *A, const label_type *idx_A,
                                           const tblis_tensor *B, const label_type *idx_B,
                                           tblis_scalar *result);
/* Sums take the factor, or its absolute value; complex numbers are compared by their real parts. A
   factor below 0 turns REDUCE_MIN and REDUCE_MAX into each other; what these and those of absolute
   values find is not multiplied by it. idx: the position of what was found, in elements from
   `data`, the first of several equal ones; -1 for sums, and where nothing exceeds the operation's
   start, which is 0 for REDUCE_MAX_ABS. */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_reduce(const tblis_comm *comm, const tblis_config *cfg,
                                              reduce_t op, const tblis_tensor *A,
                                              const label_type *idx_A, tblis_scalar *result,
                                              len_type *idx);
/* A = alpha_A op(A). */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_scale(const tblis_comm *comm, const tblis_config *cfg,
                                             tblis_tensor *A, const label_type *idx_A);
/* A = alpha, in all elements. */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_set(const tblis_comm *comm, const tblis_config *cfg,
                                           const tblis_scalar *alpha, tblis_tensor *A,
                                           const label_type *idx_A);
/* A = alpha + alpha_A op(A). */
TENFOLD_TBLIS_PUBLIC void tblis_tensor_shift(const tblis_comm *comm, const tblis_config *cfg,
                                             const tblis_scalar *alpha, tblis_tensor *A,
                                             const label_type *idx_A);

#ifdef __cplusplus
}
} // namespace tblis
#endif

#endif
