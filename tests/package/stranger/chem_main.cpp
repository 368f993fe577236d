// Reads the FCIDUMP file of water in STO-3G and checks a bit of everything that tenfold::chem
// exports.
#include <cmath>
#include <cstdio>
#include <string>

#include <tenfold/chem.hpp>

int main(int argc, char **argv) {
    using namespace tenfold;
    if (argc != 2)
        return 2;
    const chem::integrals all = chem::read_fcidump(argv[1]);
    const chem::closed_shell hf = chem::find_closed_shell(all);
    if (std::abs(hf.energy - -74.94207992819231) > 1e-9) { // psi4 1.3.2
        std::printf("Hartree-Fock energy %.12f\n", hf.energy);
        return 1;
    }
    const chem::ordered_integrals g(all, hf.order);
    const tensor<double> whole = g.block({0, 0, 0, 0}, {7, 7, 7, 7});
    const tensor<double> packed = chem::pack_pairs(whole, 0, chem::pair_kind::symmetric);
    if (packed(chem::pair_index(3, 1), 4, 2) !=
        2 * all(hf.order[3], hf.order[1], hf.order[4], hf.order[2]))
        return std::puts("a packed integral is wrong") < 0 ? 2 : 1;

    tensor<double> x({1}), r({1});
    r(0) = 1;
    chem::diis<tensor<double>>(2).extrapolate({&x}, {&r});
    try { // its type is known across the library's border
        chem::read_fcidump("no/such/file");
    } catch (const chem::fcidump_error &problem) {
        return problem.line() == 0 && problem.code() == errc::io ? 0 : 1;
    }
    return std::puts("nothing was thrown") < 0 ? 2 : 1;
}
