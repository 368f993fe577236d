// Tests which process prints if the environment has variables of a launcher, rightly or wrongly.
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string good = " contract ab=ac*cb --extents a=2,b=3,c=4 --json";

/// Runs the program with variables of a launcher, but without the launcher.
program_result run_with(const std::string &variables, const std::string &program,
                        const std::string &arguments) {
    return run_command("env " + variables + " " + program, arguments);
}

std::size_t count(const std::string &text, const std::string &piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
        ++found;
    return found;
}

struct stale_variables {
    const char *variables;
    const char *told; ///< part of the message
};

TEST(Launcher, AProgramThatNothingLaunchedSpeaksAndNamesTheVariables) {
    for (const auto &[variables, told] :
         {stale_variables{"PMI_SIZE=2 PMI_RANK=1", "2 processes (PMI_SIZE)"},
          stale_variables{"OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=2",
                          "3 processes (OMPI_COMM_WORLD_SIZE)"},
          stale_variables{"MPI_LOCALNRANKS=2 MPI_LOCALRANKID=1", "2 processes (MPI_LOCALNRANKS)"},
          stale_variables{"PMIX_RANK=4", "5 processes (PMIX_RANK)"},
          stale_variables{"SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=3",
                          "4 processes (SLURM_STEP_NUM_TASKS)"}})
        for (const std::string &arguments :
             {std::string("contract ad=abc*cbd --a missing.npy --b b.npy"), good.substr(1),
              std::string("info"), std::string("--help"), std::string("contract --bogus")}) {
            SCOPED_TRACE(std::string(variables) + " " + arguments);
            const program_result result = run_with(variables, TENFOLD_PROGRAM, arguments);
            EXPECT_EQ(result.status, 2);
            EXPECT_EQ(result.out, "");
            EXPECT_EQ(count(result.err, "error: "), 1U) << result.err;
            EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
            EXPECT_NE(result.err.find("env -u"), std::string::npos) << result.err;
        }
}

TEST(Launcher, ARankWithoutAJobIsNoReasonToBeSilent) {
    for (const char *variables :
         {"PMI_RANK=1", "OMPI_COMM_WORLD_RANK=1", "SLURM_PROCID=5 SLURM_NTASKS=8",
          "PMI_SIZE=1 PMI_RANK=0", "PMIX_RANK=0"}) {
        SCOPED_TRACE(variables);
        const program_result result = run_with(variables, TENFOLD_PROGRAM, good);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.json()["ranks"], 1);
        const program_result failed =
            run_with(variables, TENFOLD_PROGRAM, "contract ad=abc*cbd --a missing.npy --b b.npy");
        EXPECT_EQ(failed.status, 1);
        EXPECT_NE(failed.err.find("missing.npy"), std::string::npos) << failed.err;
    }
}

TEST(Launcher, ASerialRunInAnAllocationIsServed) {
    // A shell of salloc or a script of sbatch, and a step of one task in it.
    for (const char *variables :
         {"SLURM_JOB_ID=7 SLURM_NTASKS=8 SLURM_NPROCS=8 SLURM_PROCID=0",
          "SLURM_NTASKS=8 SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0"}) {
        SCOPED_TRACE(variables);
        const program_result result = run_with(variables, TENFOLD_PROGRAM, good);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.json()["ranks"], 1);
    }
}

TEST(Launcher, EveryProgramIsRefusedByAnother) {
    for (const std::string &program :
         {std::string(TENFOLD_BENCH_PROGRAM) + " small --cases 4x4x4",
          std::string(TENFOLD_EXAMPLE) + "tucker", std::string(TENFOLD_EXAMPLE) + "attention",
          std::string(TENFOLD_EXAMPLE) + "ground-state",
          std::string(TENFOLD_CCSD_PROGRAM) + " FCIDUMP"}) {
        SCOPED_TRACE(program);
        const program_result result = run_with("PMI_SIZE=2 PMI_RANK=1", program, "");
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(count(result.err, "error: "), 1U) << result.err;
        EXPECT_NE(result.err.find("2 processes (PMI_SIZE)"), std::string::npos) << result.err;
    }
}

/// Returns a launcher of another MPI than the programs were built with; empty if there is none.
std::string other_launcher() {
    const program_result mpi = run_command("ldd", TENFOLD_PROGRAM);
    const std::string launcher =
        mpi.out.find("libmpich") == std::string::npos ? "mpirun.mpich" : "mpirun.openmpi";
    return run_command("command -v", launcher).status == 0 ? launcher : "";
}

TEST(Launcher, AnotherMpisLauncherIsRefusedBeforeAnythingIsWritten) {
    const std::string launcher = other_launcher();
    if (launcher.empty())
        GTEST_SKIP() << "one MPI only";
    const temporary_directory directory;
    const std::string output = directory.file("D.npy");
    const program_result result =
        run_command("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                    "OMPI_MCA_rmaps_base_oversubscribe=1 " +
                        launcher + " -n 2 " + TENFOLD_PROGRAM,
                    "contract ab=ac*cb --extents a=2,b=3,c=4 --out " + output);
    EXPECT_NE(result.status, 0);
    EXPECT_EQ(result.out.find("took"), std::string::npos) << result.out;
    EXPECT_NE((result.out + result.err).find("2 processes ("), std::string::npos)
        << result.out << result.err;
    EXPECT_EQ(read_text(output), "");
}

TEST(Launcher, HelpVersionAndErrorsAreToldOnce) {
    for (const auto &[program, told] :
         {std::pair(std::string(TENFOLD_PROGRAM) + " --help", "Usage: "),
          std::pair(std::string(TENFOLD_PROGRAM) + " --version", "tenfold "),
          std::pair(std::string(TENFOLD_PROGRAM) + " explain --help", "Usage: "),
          std::pair(std::string(TENFOLD_PROGRAM) + " nothing", "error: "),
          std::pair(std::string(TENFOLD_BENCH_PROGRAM) + " --bogus", "error: "),
          std::pair(std::string(TENFOLD_EXAMPLE) + "tucker", "error: "),
          std::pair(std::string(TENFOLD_CCSD_PROGRAM) + " --version", "tenfold ")}) {
        SCOPED_TRACE(program);
        const program_result result = run_ranks(2, program, "");
        EXPECT_EQ(count("\n" + result.out + result.err, std::string("\n") + told) +
                      count(result.out + result.err, std::string(": ") + told),
                  1U)
            << result.out << result.err;
    }
}

} // namespace
} // namespace tenfold::testing
