// Runs a method that is written as a program of equations (docs/programs.md), for the FCIDUMP file
// of a closed-shell molecule:
//     mpirun -n 2 method methods/ccd.tenfold FCIDUMP
//     method methods/ccd.tenfold FCIDUMP 64    only plans it, for 64 ranks
// The names of the inputs say what they are: vovo[a,i,b,j] is (ai|bj), and Avvoo[a,b,i,j] is
// <ab||ij>; o is an occupied orbital, v a virtual one; eo and ev are orbital energies. Over ranges
// spin_occupied and spin_virtual they are those of spin orbitals.
#include <cstdio>
#include <cstdlib>
#include <tenfold/chem.hpp>
#include <tenfold/dist_process.hpp>
#include <tenfold/dist_program.hpp>
using namespace tenfold;

namespace {

struct molecule {
    chem::integrals all;
    chem::closed_shell hf = chem::find_closed_shell(all);
    chem::ordered_integrals g{all, hf.order}; // occupied orbitals first
    int spins = 1;                            // of an orbital

    /// (pq|rs); spin orbital p is spatial orbital p / 2 with spin p % 2.
    double coulomb(index_t p, index_t q, index_t r, index_t s) const {
        return p % spins == q % spins && r % spins == s % spins
                   ? g(p / spins, q / spins, r / spins, s / spins)
                   : 0.0;
    }
    /// An element of the input of this name; p are the positions in its modes.
    double element(const std::string &name, extents_t p) const {
        const std::size_t first = name.size() - p.size(); // of the letters o and v
        for (std::size_t mode = 0; mode < p.size(); ++mode)
            p[mode] += name[first + mode] == 'v' ? spins * hf.occupied : 0;
        if (p.size() == 1)
            return hf.f(p[0] / spins, p[0] / spins);
        return first == 0 ? coulomb(p[0], p[1], p[2], p[3])
                          : coulomb(p[0], p[2], p[1], p[3]) - coulomb(p[0], p[3], p[1], p[2]);
    }
    /// Fills each rank's own part.
    fill_callback block_of(const std::string &name) const {
        return [this, name](const extents_t &at, tensor_view<double> block) {
            for (index_t k = 0; k < block.shape().size(); ++k) {
                extents_t p = at;
                index_t rest = k;
                for (std::size_t mode = 0; mode < p.size(); ++mode) {
                    p[mode] += rest % block.shape().extents()[mode];
                    rest /= block.shape().extents()[mode];
                }
                block.data()[k] = element(name, p);
            }
        };
    }
};

int run(const world &everyone, int argc, char **argv) {
    if (argc < 3)
        throw error(errc::invalid_argument, "usage: method PROGRAM FCIDUMP [RANKS]");
    const program method = read_program(argv[1]);
    molecule given{.all = chem::read_fcidump(argv[2])};
    const index_t o = given.hf.occupied, v = given.hf.virtuals();
    range_sizes sizes;
    for (const std::string &range : method.ranges()) {
        given.spins = range.starts_with("spin_") ? 2 : 1;
        sizes[range] = given.spins * (range.ends_with("virtual") ? v : o);
    }
    const int ranks = argc > 3 ? std::atoi(argv[3]) : everyone.size();
    const program_plan plan = make_program_plan(
        method, sizes, ranks,
        {.contraction = {.threads = everyone.threads(),
                         .ranks_per_node = argc > 3 ? 0 : everyone.ranks_per_node()},
         .repetitions = 10});
    if (argc > 3)
        return everyone.rank() == 0 ? std::printf("%s", plan.describe().c_str()) < 0 : 0;

    std::map<std::string, program_input> inputs;
    for (const program_tensor &one : method.tensors())
        if (one.role == tensor_role::input)
            inputs.emplace(one.name, given.block_of(one.name));
    const program_result found = run_program(plan, everyone, inputs);
    if (everyone.rank() != 0)
        return !found.converged;
    for (const auto &[name, value] : found.scalars)
        std::printf("%s %.12f\n", name.c_str(), value);
    std::printf("%s%s", found.converged ? "" : "no convergence\n", found.describe().c_str());
    return !found.converged;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int status = 1;
    try {
        status = run(world(MPI_COMM_WORLD), argc, argv);
    } catch (const std::exception &problem) { // the same on all ranks
        if (place_in_mpi().rank == 0)
            std::fprintf(stderr, "%s\n", problem.what());
    }
    MPI_Finalize();
    return status;
}
