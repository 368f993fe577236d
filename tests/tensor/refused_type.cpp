// This file must not compile: see CMakeLists.txt.
#include <tenfold/tensor.hpp>

tenfold::tensor<short> numbers({2, 3});
