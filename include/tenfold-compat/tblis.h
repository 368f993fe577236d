/* The same header by its shorter name. */
#include "tblis/tblis.h"
