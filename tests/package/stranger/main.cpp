// One contraction, checked element by element.
#include <cstdio>
#include <cstring>

#include <tenfold/tenfold.hpp>

bool second_source_agrees();

int main(int argc, char **argv) {
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0)
        return std::puts(tenfold::version()) < 0;

    tenfold::tensor<double> A({4, 3, 5}), B({3, 6}), C({6, 5, 4});
    for (int k = 0; k < A.size(); ++k)
        A.data()[k] = k % 7 - 3;
    for (int k = 0; k < B.size(); ++k)
        B.data()[k] = k % 5 - 2;
    tenfold::contract("jca=aec*ej", A, B, C);

    for (int a = 0; a < 4; ++a)
        for (int c = 0; c < 5; ++c)
            for (int j = 0; j < 6; ++j) {
                double sum = 0;
                for (int e = 0; e < 3; ++e)
                    sum += A(a, e, c) * B(e, j);
                if (sum != C(j, c, a)) { // small integers: exact in any order
                    std::printf("C(%d,%d,%d) is %g, not %g\n", j, c, a, C(j, c, a), sum);
                    return 1;
                }
            }
    return second_source_agrees() ? 0 : 1;
}
