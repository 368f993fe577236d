// MP2, MP3 and LCCD correlation energies (hartree) of a closed-shell molecule from its FCIDUMP
// file. i j k l are occupied orbitals of Hartree-Fock, a b c d virtual ones, t(a,b,i,j) is t_ij^ab.
#include <cstdio>
#include <tenfold/chem.hpp>
#include <tenfold/tenfold.hpp>
using namespace tenfold;

int main(int argc, char **argv) try {
    const chem::integrals all = chem::read_fcidump(argc > 1 ? argv[1] : "FCIDUMP");
    const chem::closed_shell hf = chem::find_closed_shell(all);
    const chem::ordered_integrals g(all, hf.order); // occupied orbitals first
    const index_t o = hf.occupied, v = hf.virtuals();
    const tensor<double> vovo = g.block({o, 0, o, 0}, {v, o, v, o}); // (ai|bj)
    const tensor<double> vvoo = g.block({o, o, 0, 0}, {v, v, o, o});
    const tensor<double> vvvv = g.block({o, o, o, o}, {v, v, v, v});
    const tensor<double> oooo = g.block({0, 0, 0, 0}, {o, o, o, o});
    tensor<double> l({v, v, o, o}), t({v, v, o, o}), x({v, v, o, o}), r({v, v, o, o});
    contract("abij=2*aibj", vovo, l);
    contract("abij-=biaj", vovo, l); // 2 (ai|bj) - (bi|aj)
    chem::diis<tensor<double>> accelerate(8);
    for (int n = 2; n < 4 || (n < 100 && chem::inner_product(r, r) > 1e-22); ++n) {
        contract("abij=aibj", vovo, r);
        contract("abij+=acbd*cdij", vvvv, t, r);
        contract("abij+=kilj*abkl", oooo, t, r);
        contract("abij=2*aick*cbkj", vovo, t, x); // x is added with (a,i) and (b,j) exchanged, too
        contract("abij-=aick*bckj", vovo, t, x);
        contract("abij-=acki*cbkj", vvoo, t, x);
        contract("abij-=bcki*ackj", vvoo, t, x);
        for (index_t k = 0; k < t.size(); ++k) { // r becomes the update of t
            const index_t a = k % v, b = k / v % v, i = k / v / v % o, j = k / v / v / o;
            const double gap = hf.f(i, i) + hf.f(j, j) - hf.f(o + a, o + a) - hf.f(o + b, o + b);
            r.data()[k] = (r.data()[k] + x(a, b, i, j) + x(b, a, j, i)) / gap - t.data()[k];
            t.data()[k] += r.data()[k];
        }
        std::printf(n < 4 ? "MP%d %.12f\n" : "LCCD %d %.12f\n", n, chem::inner_product(l, t));
        accelerate.extrapolate({&t}, {&r});
    }
} catch (const std::exception &problem) {
    return std::fprintf(stderr, "%s\n", problem.what()), 1;
}
