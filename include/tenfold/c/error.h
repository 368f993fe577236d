// Error codes, and what the last error of a thread was about.
#ifndef TENFOLD_C_ERROR_H
#define TENFOLD_C_ERROR_H

#include <tenfold/c/types.h>

TENFOLD_BEGIN_C

/// What functions return; see tenfold::errc.
typedef int32_t tenfold_error;
enum {
    TENFOLD_OK = 0,
    TENFOLD_SYNTAX = 1,               ///< an expression could not be parsed
    TENFOLD_UNKNOWN_LABEL = 2,        ///< an output label that no input has
    TENFOLD_REPEATED_LABEL = 3,       ///< a label twice in the output without diagonal_output
    TENFOLD_ORDER_MISMATCH = 4,       ///< a tensor has more or fewer modes than its labels
    TENFOLD_EXTENT_MISMATCH = 5,      ///< one label with two extents
    TENFOLD_TYPE_MISMATCH = 6,        ///< incompatible element types
    TENFOLD_INVALID_ARGUMENT = 7,     ///< any other invalid argument
    TENFOLD_OVERFLOW = 8,             ///< a size or byte count that does not fit 64 bits
    TENFOLD_OVERLAP = 9,              ///< the output overlaps itself or an input
    TENFOLD_NULL_POINTER = 10,        ///< a null pointer to data that is read or written
    TENFOLD_WORKSPACE_TOO_SMALL = 11, ///< no algorithm fits the given limit
    TENFOLD_OUT_OF_MEMORY = 12,       ///< an allocation failed
    TENFOLD_UNSUPPORTED = 13,   ///< an ISA, backend or algorithm that this machine or build lacks
    TENFOLD_IO = 14,            ///< a file cannot be read or written, or is malformed
    TENFOLD_DISAGREEMENT = 15,  ///< ranks passed different arguments to a collective call
    TENFOLD_COMMUNICATION = 16, ///< MPI reported an error
    TENFOLD_STOPPED = 17        ///< the caller's control ended the work
};

/// "extent_mismatch"; "unknown" for numbers that are no code. Never NULL.
const char *tenfold_error_name(tenfold_error code);

/// The message of the last call on this thread that failed, as C++ has it: "label 'e': A mode 1 has
/// extent 24, B mode 2 has extent 20". "" if none has failed. Calls that succeed leave it. Never
/// NULL; valid until the next call on this thread fails, or the thread ends.
const char *tenfold_last_error(void);

/// A tensor or matrix that an error is about. What does not apply is "" or -1.
typedef struct tenfold_error_operand {
    const char *name; ///< "A", "input 3", or the name that the expression gives it
    int64_t extent;   ///< of the mode
    int32_t mode;     ///< from 0; of matrices 0 for rows, 1 for columns
    int32_t order;    ///< number of modes; of `second`: those that `first` should have
    tenfold_type type;
} tenfold_error_operand;

/// The last error of this thread in fields; tenfold::error_details says which codes have which.
/// What does not apply is "" or -1. Texts are valid as long as tenfold_last_error()'s.
typedef struct tenfold_error_details {
    size_t size;
    tenfold_error code; ///< TENFOLD_OK if no call on this thread has failed
    const char *label;
    tenfold_error_operand first;
    tenfold_error_operand second;
    int64_t position;    ///< byte of the expression, from 0
    int64_t least_bytes; ///< the smallest workspace limit that would do
} tenfold_error_details;

/// Fills `details`, whose size must be set. If it returns TENFOLD_INVALID_ARGUMENT, because details
/// is NULL or too small, the last error is that one.
tenfold_error tenfold_last_error_details(tenfold_error_details *details);

/// Makes this the last error of this thread, and returns details->code: for bindings that find an
/// error themselves. Texts are copied; NULL for those of `details` means "". If an argument is
/// wrong (NULL, no code of an error, a type that does not exist), the last error is that one.
tenfold_error tenfold_set_last_error(const tenfold_error_details *details, const char *message);

TENFOLD_END_C

#endif
