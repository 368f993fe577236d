// Tests that occupied orbitals are found in whatever order the file has them.
#include <gtest/gtest.h>

#include <tenfold/chem_fcidump.hpp>
#include <tenfold/chem_reference.hpp>

#include "../apps/fcidump_file.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

const std::string water = TENFOLD_TEST_DATA "/h2o_sto3g.FCIDUMP";
constexpr double hf_energy = -74.94207992819231; // psi4 1.3.2 (tests/apps/data/README.md)

TEST(Reference, OfWater) {
    const chem::closed_shell found = chem::find_closed_shell(chem::read_fcidump(water));
    EXPECT_EQ(found.occupied, 5);
    EXPECT_EQ(found.virtuals(), 2);
    EXPECT_NEAR(found.energy, hf_energy, 1e-9);
    EXPECT_LT(found.largest_coupling, 1e-6);
    for (index_t p = 1; p < 7; ++p)
        EXPECT_GE(found.f(p, p), found.f(p - 1, p - 1));
    EXPECT_EQ(found.order, (std::vector<index_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Reference, OfOrbitalsInAnotherOrder) {
    fcidump_file file(water);
    file.reorder({5, 3, 6, 0, 4, 1, 2});
    const temporary_folder folder;
    write_into(folder.file("FCIDUMP"), file.text());
    const chem::closed_shell found =
        chem::find_closed_shell(chem::read_fcidump(folder.file("FCIDUMP")));
    EXPECT_NEAR(found.energy, hf_energy, 1e-9);
    EXPECT_EQ(found.order, (std::vector<index_t>{3, 5, 6, 1, 4, 0, 2}));
}

TEST(Reference, OpenShellsAreRefused) {
    chem::integrals all = chem::read_fcidump(water);
    for (const auto &[electrons, spin] :
         {std::pair(9, 1), std::pair(10, 2), std::pair(0, 0), std::pair(16, 0)}) {
        all.electrons = electrons;
        all.spin = spin;
        const std::string text =
            message_of([&] { chem::find_closed_shell(all); }, errc::invalid_argument);
        EXPECT_NE(text.find(std::to_string(electrons) + " electrons with twice the spin " +
                            std::to_string(spin)),
                  std::string::npos)
            << text;
    }
}

} // namespace
} // namespace tenfold::testing
