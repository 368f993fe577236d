// Wisdom: the results of measuring, kept in a file from one process to the next.
//
//     {
//      "cpu": "AMD EPYC 9575F 64-Core Processor, caches 48.0 KiB, 1.0 MiB, 256.0 MiB",
//      "tenfold": "0.1.0",
//      "transpose": {"PROBLEM": {"level": "measure", "choices": {"strip": 32}, "gain": 1.12,
//                                "candidates": 9, "seconds": 0.4}, ..},
//      "contract": {"PROBLEM": {"level": "measure", "choice": "ttgt: move A to ..", ..}, ..}
//     }
//
// Each kind of plan has a member of its own and reads no other. The kind defines how it names a
// problem and how it stores a choice: as text, or as named numbers.
//
// A file belongs to one processor and one version of Tenfold. A file of another one is ignored, and
// replaced when something is saved. Unknown members are ignored and kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "base/context_of.hpp"
#include "base/machine.hpp"

namespace tenfold::tuning_impl {

/// Describes a search for the fastest plan, in explain() and in wisdom.
struct search_record {
    double gain = 1;    ///< the estimate's seconds over those of the best; 1: the estimate stands
    int candidates = 0; ///< measured, with the estimate
    double seconds = 0; ///< duration of the search
};

/// Returns "9 candidates, 0.4 s".
std::string effort_text(const search_record &search);

/// The record of a search that is remembered.
struct kept_search : search_record {
    tuning level = tuning::measure;
};

/// The content of a file for one problem, before its kind has interpreted it.
struct wisdom_entry : kept_search {
    std::optional<std::string> choice;
    /// A number is empty if the file has something else in its place.
    std::optional<std::map<std::string, std::optional<index_t>>> choices;
    std::string fault = {}; ///< which part of the entry is damaged; empty if none
};

/// Returns "an entry's 'gain' is damaged".
std::string damaged(const std::string &member);

/// The entries of one kind of plan. Thread-safe. No function throws because of the file, whatever
/// its content and even if it cannot be written.
class wisdom_file {
public:
    /// Reads the file if there is one.
    wisdom_file(std::string file, std::string cpu, std::string version, std::string kind);
    ~wisdom_file();

    struct answer {
        std::optional<wisdom_entry> entry;
        std::string fault; ///< why the file is ignored; empty if it is not
    };
    answer look_up(const std::string &problem) const;

    /// Keeps the entry for this process and writes it into the file, together with what other
    /// processes wrote there. Returns why it could not be written; empty if it was.
    std::string remember(const std::string &problem, const wisdom_entry &entry);

    const std::string &file() const noexcept;

private:
    struct state;
    const std::unique_ptr<state> state_;
};

/// The same with the choices of one kind of plan. `Choice` derives from kept_search and has
///
///     static constexpr const char *kind = "transpose";
///     void write(wisdom_entry &) const;
///     std::string read(const wisdom_entry &); // what is damaged; empty: nothing
template <class Choice> class wisdom {
public:
    wisdom(std::string file, std::string cpu, std::string version)
        : kept_(std::move(file), std::move(cpu), std::move(version), Choice::kind) {}

    /// Returns the wisdom of the context's file, which is read once in a process; null if the
    /// context names no file.
    static wisdom *of(const context &ctx) {
        const std::string &file = ctx.settings().wisdom;
        if (file.empty())
            return nullptr;
        static std::mutex mutex;
        static std::map<std::string, std::unique_ptr<wisdom>>
            all; // by file: there is one processor
        const std::lock_guard lock(mutex);
        std::unique_ptr<wisdom> &known = all[file];
        if (known == nullptr)
            known = std::make_unique<wisdom>(file, base::machine_of(ctx).identity(), version());
        return known.get();
    }

    struct answer {
        std::optional<Choice> found;
        std::string fault; ///< why the file or its entry is ignored; empty if it is not
    };
    answer look_up(const std::string &problem) const {
        const wisdom_file::answer known = kept_.look_up(problem);
        if (!known.entry)
            return {std::nullopt, known.fault};
        Choice choice;
        std::string fault = choice.read(*known.entry);
        if (fault.empty())
            fault = known.entry->fault;
        if (!fault.empty())
            return {std::nullopt, file() + ": " + fault};
        static_cast<kept_search &>(choice) = *known.entry;
        return {std::move(choice), {}};
    }

    std::string remember(const std::string &problem, const Choice &choice) {
        wisdom_entry entry{choice, {}, {}};
        choice.write(entry);
        return kept_.remember(problem, entry);
    }

    const std::string &file() const noexcept { return kept_.file(); }

private:
    wisdom_file kept_;
};

/// Returns how often this process added something to wisdom. Plans made before may not reflect it.
std::uint64_t wisdom_learned() noexcept;
void note_wisdom_learned() noexcept;

} // namespace tenfold::tuning_impl
