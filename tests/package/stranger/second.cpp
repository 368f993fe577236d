// A second source that includes everything: if a header defined what it should only declare, the
// linker would find it twice. The error below also crosses the library's boundary.
#include <tenfold/tenfold.hpp>

bool second_source_agrees() {
    tenfold::tensor<float> A({2, 3}), B({4, 5}), C({2, 5});
    try {
        tenfold::contract("ab=ac*cb", A, B, C);
    } catch (const tenfold::error &problem) {
        return problem.code() == tenfold::errc::extent_mismatch;
    }
    return false;
}
