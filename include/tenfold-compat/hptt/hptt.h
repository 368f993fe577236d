/* The same header by its longer name. */
#include "../hptt.h"
