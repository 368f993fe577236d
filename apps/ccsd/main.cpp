// tenfold-ccsd: coupled-cluster energies of closed-shell molecules.
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_tasks.hpp>
#include <tenfold/dist_trace.hpp>
#include <tenfold/error.hpp>

#include "apps/ccsd/canonical.hpp"
#include "apps/ccsd/checkpoint.hpp"
#include "apps/ccsd/memory_plan.hpp"
#include "apps/ccsd/options.hpp"
#include "apps/ccsd/report.hpp"
#include "apps/ccsd/shared_reading.hpp"
#include "apps/ccsd/signals_to_end.hpp"
#include "apps/ccsd/solver.hpp"
#include "apps/ccsd/triples.hpp"
#include "apps/ccsd/user_program.hpp"
#include "apps/common/files.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

using namespace apps_impl;

class calculation {
public:
    calculation(const world &ranks, const options &asked) : ranks_(ranks), tensors_(ranks) {
        results_.asked = asked;
        results_.diis_asked = asked.diis;
        results_.ranks = ranks.size();
        results_.threads = ranks.threads();
    }

    int run() {
        std::optional<signals_to_end> signals;
        if (!results_.asked.checkpoint.empty())
            signals.emplace();
        run_agreed(ranks_, [&] {
            for (const std::string &file : {results_.asked.json, results_.asked.checkpoint})
                if (ranks_.rank() == root && !file.empty())
                    check_writable(file);
        });
        plan();
        find_checkpoint();
        say([&] {
            print_plan(results_);
            if (!absent_checkpoint_.empty())
                print_no_restart(absent_checkpoint_);
        });
        read();
        if (has_pairs())
            correlate();
        else
            say([&] {
                print_reference(results_);
                if (results_.mp2)
                    print_mp2(results_);
            });
        results_.seconds_total = since_start_.seconds();
        return tell();
    }

private:
    bool asks_for(method least) const { return results_.asked.method >= least; }
    bool has_pairs() const { return results_.system.o() > 0 && results_.system.v() > 0; }

    /// Calls `print` on the root only.
    template <class Print> void say(const Print &print) const {
        if (ranks_.rank() == root)
            print();
    }

    /// Looks for the checkpoint before integrals are read, which may take long.
    void find_checkpoint() {
        std::string &file = results_.asked.restart;
        if (file.empty())
            return;
        int is_there = 1;
        run_agreed(ranks_, [&] {
            std::error_code unknown; // loading reports the error
            if (ranks_.rank() == root && !std::filesystem::exists(file, unknown) && !unknown)
                is_there = 0;
            if (is_there == 0 && !results_.asked.restart_if_present)
                throw failure("--restart '" + file +
                              "': there is no such file; --restart-if-present begins anew then");
        });
        broadcast(ranks_, is_there, root);
        if (is_there != 0)
            return;
        absent_checkpoint_ = file;
        file.clear();
    }

    /// Plans memory from the header alone, before anything large is read or allocated.
    void plan() {
        std::array<index_t, 2> counts{};
        agree_on_file(ranks_, [&] {
            if (ranks_.rank() != root)
                return;
            const chem::fcidump_header header = read_header(results_.asked);
            counts = {header.orbitals, header.electrons / 2};
        });
        broadcast(ranks_, counts, root);
        const auto [orbitals, occupied] = counts;
        results_.system.orbitals = orbitals;
        results_.system.occupied = occupied;
        results_.system.frozen = results_.asked.frozen_core;
        size_ = {orbitals, occupied - results_.asked.frozen_core, orbitals - occupied,
                 ranks_.size(), ranks_.threads()};
        plan_again();
    }

    void plan_again() {
        run_agreed(ranks_, [&] {
            options how = results_.asked;
            how.diis = results_.diis_asked;
            memory_ = plan_memory(size_, how);
        });
        results_.planned_bytes = memory_.bytes;
        results_.asked.diis = memory_.diis;
        tensors_.limit_workspace(memory_.workspace_limit);
        tensors_.place(placement(size_.ranks, memory_.replicates));
    }

    void read() {
        const stopwatch watch;
        const options &asked = results_.asked;
        const molecule_source source(
            ranks_, {.path = asked.file,
                     .frozen = asked.frozen_core,
                     .everywhere = memory_.lists_everywhere,
                     .hashes = !asked.checkpoint.empty() || !asked.restart.empty()});
        results_.system = source.shared();
        size_.canonical = is_canonical(results_.system);
        if (!size_.canonical) {
            const index_t before = results_.planned_bytes;
            plan_again();
            if (results_.planned_bytes != before)
                say([&] { print_changed_plan(results_); });
        }
        const auto list = tensors_.hold(memory_.lists_everywhere || ranks_.rank() == root
                                            ? chem::integrals::bytes_needed(size_.orbitals)
                                            : 0);
        if (asks_for(method::mp2) && has_pairs())
            source.make_blocks(tensors_, asks_for(method::ccsd) ? block_choice::all
                                                                : block_choice::pair_energies);
        if (asks_for(method::mp2) && !has_pairs())
            results_.mp2.emplace();
        results_.seconds_read = watch.seconds();
    }

    void correlate() {
        if (!results_.asked.restart.empty()) {
            const int vectors = results_.asked.diis < 2 ? 0 : results_.asked.diis;
            restart_ = load_checkpoint(tensors_, results_.system, results_.asked.restart, vectors);
            results_.restarted_after = restart_.ccsd.iterations.size();
        }
        say([&] { print_reference(results_); });
        if (asks_for(method::mp2)) {
            results_.mp2 = mp2_energy(tensors_, results_.system);
            say([&] { print_mp2(results_); });
        }
        if (asks_for(method::ccsd))
            iterate();
        if (asks_for(method::ccsd_t) && results_.ccsd->converged) {
            const stopwatch watch;
            results_.t_correction = triples();
            results_.seconds_triples = watch.seconds();
        }
    }

    void iterate() {
        const stopwatch watch;
        const options &asked = results_.asked;
        say([&] {
            print_iterations_heading();
            if (results_.restarted_after > 0)
                print_restart(results_, restart_.triples);
        });
        results_.ccsd = solve_ccsd(
            tensors_, results_.system, asked, restart_.ccsd,
            [&](const ccsd_result &now, const diis &history) {
                say([&] { print_iteration(now.iterations.size(), now.iterations.back()); });
                if (asked.checkpoint.empty())
                    return;
                if (std::isfinite(now.energy()))
                    try_to_save([&] {
                        save_iterations(tensors_, results_.system, asked.checkpoint, now, history);
                    });
                if (signals_to_end::came_to_any(ranks_))
                    end_early("iteration " + std::to_string(now.iterations.size()));
            });
        // The triples of the checkpoint belong to amplitudes that have changed since.
        if (results_.ccsd->iterations.size() > results_.restarted_after)
            restart_.triples = {};
        results_.seconds_ccsd = watch.seconds();
    }

    /// Saves a checkpoint. If that fails, for instance because the disk is full, the previous file
    /// remains and all ranks continue: the calculation is worth more than its checkpoint.
    template <class Save> void try_to_save(const Save &save) {
        try {
            save();
            ++results_.checkpoints_saved;
            save_failed_ = false;
        } catch (const error &problem) {
            if (problem.code() != errc::io)
                throw;
            ++results_.checkpoints_failed;
            if (!save_failed_ && ranks_.rank() == root) // warns once until saving succeeds again
                std::fprintf(stderr,
                             "tenfold-ccsd: warning: no checkpoint: %s; the calculation goes on\n",
                             problem.what());
            save_failed_ = true;
        }
    }

    /// Ends the calculation because of a signal. `place`: what was saved last.
    [[noreturn]] void end_early(const std::string &place) const {
        const std::string &file = results_.asked.checkpoint;
        if (save_failed_)
            throw failure("ended by a signal in " + place + ", which could not be saved to '" +
                          file + "'");
        throw to_be_continued("ended by a signal in " + place + "; '" + file +
                              "' is saved, and --restart goes on from there");
    }

    /// Ends early if triples were stopped after they had been saved.
    double triples() {
        try {
            return all_triples();
        } catch (const error &problem) {
            if (problem.code() != errc::stopped || results_.asked.checkpoint.empty())
                throw;
        }
        end_early("(T)");
    }

    double all_triples() {
        const molecule &system = results_.system;
        triples_observer save;
        const bool canonical = is_canonical(system);
        const amplitude_names amplitudes =
            canonical ? amplitude_names{} : amplitude_names{"converged_T1", "converged_T2"};
        if (!results_.asked.checkpoint.empty())
            save = [&, amplitudes](const triples_progress &progress) {
                try_to_save([&] {
                    save_triples(tensors_, system, results_.asked.checkpoint, *results_.ccsd,
                                 progress, amplitudes);
                });
            };
        if (canonical)
            return triples_correction(tensors_, system, memory_.triples_blocks, restart_.triples,
                                      save);
        if (save)
            for (const char *line :
                 {"converged_T1[a,i] = T1[a,i]", "converged_T2[a,b,i,j] = T2[a,b,i,j]"})
                tensors_.run(line);
        semi_canonical orbitals(tensors_, system);
        for (const char *name : {"vvvo", "vooo", "vovo"})
            orbitals.rotate(name, name);
        orbitals.rotate("T1", "vo");
        orbitals.rotate("T2", "vvoo");
        return triples_correction(tensors_, orbitals.system(), memory_.triples_blocks,
                                  restart_.triples, save);
    }

    int tell() {
        results_.peak_bytes = all_reduce(ranks_, tensors_.bytes_peak().value, reduction::max);
        results_.profile = tensors_.profile();
        run_agreed(ranks_, [&] {
            if (ranks_.rank() != root)
                return;
            print_results(results_);
            if (!results_.asked.json.empty())
                write_json(results_, results_.asked.json);
        });
        if (results_.ccsd && !results_.ccsd->converged)
            throw failure("CCSD did not converge in " +
                          std::to_string(results_.ccsd->iterations.size()) + " iterations");
        return exit_success;
    }

    const world &ranks_;
    stopwatch since_start_;
    tensor_set tensors_;
    results results_;
    restart_state restart_;
    std::string absent_checkpoint_; ///< the file of --restart if there is none
    bool save_failed_ = false;      ///< the last time
    problem_size size_;
    memory_plan memory_;
};

/// Keeps freed memory in the process. Every contraction allocates and frees buffers. The C library
/// may return each to the system, and touching fresh pages takes as long as a small contraction.
void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20); // the maximum that it accepts
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int run(const std::vector<std::string> &arguments) {
    keep_freed_memory();
    const auto asked = parse_options(arguments);
    if (!asked)
        return exit_success;
    const mpi_session session;
    const world ranks(MPI_COMM_WORLD);
    std::optional<dist_trace> trace;
    if (!asked->trace.empty())
        trace.emplace(ranks);
    const int status = asked->equations.empty() ? calculation(ranks, *asked).run()
                                                : run_user_program(ranks, *asked);
    if (trace)
        trace->write(asked->trace);
    return status;
}

} // namespace
} // namespace tenfold::ccsd

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return tenfold::apps_impl::run_program("tenfold-ccsd",
                                           [&] { return tenfold::ccsd::run(arguments); });
}
