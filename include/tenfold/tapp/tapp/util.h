// How TAPP's functions are declared, and the integers that they take.
#ifndef TENFOLD_TAPP_UTIL_H
#define TENFOLD_TAPP_UTIL_H

#include <stdint.h>

#ifdef __GNUC__
#define TENFOLD_TAPP_VISIBLE __attribute__((visibility("default")))
#else
#define TENFOLD_TAPP_VISIBLE
#endif

#ifdef __cplusplus
#define TAPP_EXPORT extern "C" TENFOLD_TAPP_VISIBLE
#else
#define TAPP_EXPORT TENFOLD_TAPP_VISIBLE
#endif

#endif
