// The one symbol of a kernel source. Included by kernel sources only.
#pragma once

#define TENFOLD_TEXT_(x) #x
#define TENFOLD_TEXT(x) TENFOLD_TEXT_(x)

/// Defines it: a function that returns the address of a constant `type`, which the arguments after
/// it initialise.
#define TENFOLD_DEFINE_ENTRY(type, ...)                                                            \
    extern "C" const type *TENFOLD_KERNEL_ENTRY();                                                 \
    extern "C" const type *TENFOLD_KERNEL_ENTRY() {                                                \
        static constexpr type kernels = __VA_ARGS__;                                               \
        return &kernels;                                                                           \
    }
