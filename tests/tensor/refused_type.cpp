// This file must not compile: see CMakeLists.txt.
#include <tenfold/tensor.hpp>

tenfold::tensor<int> numbers({2, 3});
