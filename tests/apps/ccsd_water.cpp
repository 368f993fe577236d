#include "ccsd_water.hpp"

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {

void expect_energies(const nlohmann::json &json, const energies &expected) {
    constexpr double tolerance = energy_tolerance;
    const nlohmann::json &found = json["energies"];
    EXPECT_NEAR(found["hf_total"].get<double>(), expected.hf, tolerance);
    EXPECT_NEAR(found["mp2_correlation"].get<double>(), expected.mp2, tolerance);
    EXPECT_NEAR(found["ccsd_correlation"].get<double>(), expected.ccsd, tolerance);
    EXPECT_NEAR(found["t_correction"].get<double>(), expected.t, tolerance);
    EXPECT_NEAR(found["total"].get<double>(), expected.hf + expected.ccsd + expected.t, tolerance);
}

nlohmann::json run_ccsd(int ranks, const std::string &arguments) {
    const temporary_directory directory;
    const std::string all = arguments + " --json " + directory.file("out.json");
    const program_result result = ranks == 0 ? run_command(TENFOLD_CCSD_PROGRAM, all)
                                             : run_ranks(ranks, TENFOLD_CCSD_PROGRAM, all);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    const auto json = nlohmann::json::parse(read_text(directory.file("out.json")), nullptr, false);
    EXPECT_TRUE(json.is_object());
    return json.is_object() ? json : nlohmann::json::object();
}

} // namespace tenfold::testing
