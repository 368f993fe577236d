// What TAPP leaves to implementations: codes, and keys of attributes. Programs that should run with
// other implementations, too, need not include this.
#ifndef TENFOLD_TAPP_TENFOLD_H
#define TENFOLD_TAPP_TENFOLD_H

#include "attributes.h"
#include "error.h"

/// Codes of errors. Up to 15, and 33, they are the numbers of TAPP's reference implementation.
enum {
    TENFOLD_TAPP_OK = 0,
    TENFOLD_TAPP_EXTENTS_OF_A_AND_B = 1, ///< one label, two extents
    TENFOLD_TAPP_EXTENTS_OF_A_AND_D = 2,
    TENFOLD_TAPP_EXTENTS_OF_B_AND_D = 3,
    TENFOLD_TAPP_LABEL_OF_D_ONLY = 4,
    TENFOLD_TAPP_ORDER_OF_C = 5,   ///< C has not as many modes as D
    TENFOLD_TAPP_LABELS_OF_C = 6,  ///< C has not D's labels, mode by mode
    TENFOLD_TAPP_EXTENTS_OF_C = 7, ///< C has not D's extents
    TENFOLD_TAPP_ALIASING_IN_D = 8,
    TENFOLD_TAPP_EXTENTS_IN_A = 9, ///< a label twice, with two extents
    TENFOLD_TAPP_EXTENTS_IN_B = 10,
    TENFOLD_TAPP_EXTENTS_IN_D = 11,
    TENFOLD_TAPP_C_IS_NULL = 12, ///< and beta is not 0
    TENFOLD_TAPP_NEGATIVE_ORDER = 14,
    TENFOLD_TAPP_NEGATIVE_EXTENT = 15,
    TENFOLD_TAPP_NULL_POINTER = 16, ///< any other address that is needed
    TENFOLD_TAPP_DATATYPE = 17,     ///< a number that is no type
    TENFOLD_TAPP_PRECISION = 18,    ///< a number that is no precision
    TENFOLD_TAPP_ELEMENT_OP = 19,   ///< a number that is no operation on elements
    TENFOLD_TAPP_REAL_D = 20,       ///< D is real, another tensor is complex
    TENFOLD_TAPP_OVERLAP = 21,      ///< D shares elements with A, B, or a C that is not D
    TENFOLD_TAPP_OVERFLOW = 22,     ///< a size that does not fit 64 bits
    TENFOLD_TAPP_WORKSPACE = 23,    ///< the workspace limit is too small
    TENFOLD_TAPP_MEMORY = 24,       ///< an allocation failed
    TENFOLD_TAPP_UNSUPPORTED = 25,  ///< more than 64 modes, or what this machine or build lacks
    TENFOLD_TAPP_BATCHES = 26,      ///< a negative number of batches
    TENFOLD_TAPP_HANDLE = 27,       ///< a number that is no handle
    TENFOLD_TAPP_TENSOR_INFO = 28,  ///< .. no tensor info
    TENFOLD_TAPP_PRODUCT = 29,      ///< .. no tensor product
    TENFOLD_TAPP_STATUS = 30,       ///< .. no status
    TENFOLD_TAPP_KEY = 31,          ///< the object has no attribute of this key
    TENFOLD_TAPP_NOT_SET = 32,      ///< the attribute was not set
    TENFOLD_TAPP_EXECUTOR = 33,     ///< a number that is no executor
    TENFOLD_TAPP_VALUE = 34         ///< a value that the attribute cannot have
};

/// Keys. Values are the numbers and addresses themselves, cast to void *. An executor's come before
/// its product's handle's.
enum {
    // Of handles and executors.
    TENFOLD_TAPP_THREADS = 0x1000,         ///< 1 to 4096
    TENFOLD_TAPP_WORKSPACE_LIMIT = 0x1001, ///< bytes beside the tensors, from 0
    TENFOLD_TAPP_REPRODUCIBLE = 0x1002,    ///< 1: the same bits for any number of threads; 0
    TENFOLD_TAPP_TUNING = 0x1003, ///< how products are planned: 0 estimate, 1 measure, 2 patient

    // Of executors.
    TENFOLD_TAPP_CONTEXT = 0x1004, ///< a handle, in place of the product's

    // Of handles.
    TENFOLD_TAPP_ISA = 0x1005,     ///< a tenfold_isa of <tenfold/c/types.h>
    TENFOLD_TAPP_BACKEND = 0x1006, ///< a tenfold_backend
    TENFOLD_TAPP_WISDOM = 0x1007,  ///< path of the wisdom file, a text; it is copied

    // Of statuses, which can be read only.
    TENFOLD_TAPP_CODE = 0x1010, ///< what the execution returned
    TENFOLD_TAPP_ENTRY = 0x1011 ///< of the batch, from 0; not set if no entry failed
};

#endif
