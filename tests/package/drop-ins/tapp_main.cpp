// The same program as C++.
#include "tapp_main.c"
