// Somebody's program for HPTT, in the C++ of its time.
#include <cstdio>

#include <hptt.h>

int main() {
    const int perm[] = {1, 0}, size[] = {3, 2};
    const float A[] = {1, 2, 3, 4, 5, 6};
    float B[6] = {};
    std::shared_ptr<hptt::Transpose<float>> plan = hptt::create_plan(
        perm, 2, 2.0f, A, size, nullptr, 0.0f, B, nullptr, hptt::ESTIMATE, 1);
    plan->execute();
    sTensorTranspose(perm, 2, 1.0f, A, size, nullptr, 1.0f, B, nullptr, 1);
    const bool right = B[0] == 3 && B[1] == 12 && B[2] == 6 && B[5] == 18;
    if (!right)
        std::fprintf(stderr, "not 3 times the transposed matrix\n");
    return right ? 0 : 1;
}
