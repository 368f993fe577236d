// One distributed contraction on every rank of MPI_COMM_WORLD, checked element by element.
#include <cstdio>

#include <tenfold/dist.hpp>

namespace {

double value_of_a(tenfold::index_t a, tenfold::index_t k) { return double(a % 5 - k % 3); }
double value_of_b(tenfold::index_t k, tenfold::index_t b) { return double(k % 4 + b % 7 - 3); }

/// A fill callback that computes each element of a matrix from its position.
auto by_position(double (*value)(tenfold::index_t, tenfold::index_t)) {
    return [value](const tenfold::extents_t &offsets, tenfold::tensor_view<double> block) {
        for (tenfold::index_t j = 0; j < block.extent(1); ++j)
            for (tenfold::index_t i = 0; i < block.extent(0); ++i)
                block(i, j) = value(offsets[0] + i, offsets[1] + j);
    };
}

int wrong_elements() {
    const tenfold::world world(MPI_COMM_WORLD);
    tenfold::dist_tensor<double> A(world, {13, 11}), B(world, {11, 9}), C(world, {9, 13});
    A.fill(by_position(value_of_a));
    B.fill(by_position(value_of_b));
    tenfold::contract("ba=ak*kb", A, B, C);

    int wrong = 0;
    const tenfold::tensor<double> all = C.gather_all();
    for (tenfold::index_t a = 0; a < 13; ++a)
        for (tenfold::index_t b = 0; b < 9; ++b) {
            double sum = 0;
            for (tenfold::index_t k = 0; k < 11; ++k)
                sum += value_of_a(a, k) * value_of_b(k, b);
            wrong += all(b, a) != sum; // small integers: exact in any order
        }
    return wrong;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int wrong = wrong_elements();
    if (wrong != 0)
        std::printf("%d elements are wrong\n", wrong);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
