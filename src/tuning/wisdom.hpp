// Wisdom: what was found by measuring, kept in a file from one process to the next.
//
//     {
//      "cpu": "AMD EPYC 9575F 64-Core Processor, caches 48.0 KiB, 1.0 MiB, 256.0 MiB",
//      "tenfold": "0.1.0",
//      "transpose": {"PROBLEM": {"level": "measure", "choices": {"strip": 32}, "gain": 1.12,
//                                "candidates": 9, "seconds": 0.4}, ..},
//      "contract": {"PROBLEM": {"level": "measure", "choice": "ttgt: move A to ..", ..}, ..}
//     }
//
// Each kind of plan has a member of its own, and reads no other. The kind says how it names a
// problem and what it has chosen: in words, or by numbers that have names.
//
// A file is of one processor and one version of Tenfold: another's is ignored, and replaced when
// something is saved. Members that are not known are ignored, and kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "base/machine.hpp"

namespace tenfold::tuning_impl {

/// What is told of a search for the fastest plan: by explain(), and by wisdom.
struct search_record {
    double gain = 1;    ///< the estimate's seconds over those of the best; 1: the estimate stands
    int candidates = 0; ///< that were measured, the estimate among them
    double seconds = 0; ///< that the search took
};

/// "9 candidates, 0.4 s".
std::string effort_text(const search_record &search);

/// The same of a search that is remembered.
struct kept_search : search_record {
    tuning level = tuning::measure;
};

/// What a file holds of one problem, before its kind has looked at it.
struct wisdom_entry : kept_search {
    std::optional<std::string> choice;
    /// A number is empty where something else stands in its place.
    std::optional<std::map<std::string, std::optional<index_t>>> choices;
    std::string fault = {}; ///< what is damaged of the search; empty: nothing
};

/// "an entry's 'gain' is damaged".
std::string damaged(const std::string &member);

/// The entries of one kind. Thread-safe. No member throws for what a file holds, lacks or refuses.
class wisdom_file {
public:
    /// Reads the file, where there is one.
    wisdom_file(std::string file, std::string cpu, std::string version, std::string kind);
    ~wisdom_file();

    struct answer {
        std::optional<wisdom_entry> entry;
        std::string fault; ///< why the file is ignored; empty: it is not
    };
    answer look_up(const std::string &problem) const;

    /// From now on known to this process, and written into the file beside what others wrote there
    /// meanwhile. Returns why it could not be written; empty: it was.
    std::string remember(const std::string &problem, const wisdom_entry &entry);

    const std::string &file() const noexcept;

private:
    struct state;
    const std::unique_ptr<state> state_;
};

/// The same in a kind's own choices, which derive from kept_search and have
///
///     static constexpr const char *kind = "transpose";
///     void write(wisdom_entry &) const;
///     std::string read(const wisdom_entry &); // what is damaged; empty: nothing
template <class Choice> class wisdom {
public:
    wisdom(std::string file, std::string cpu, std::string version)
        : kept_(std::move(file), std::move(cpu), std::move(version), Choice::kind) {}

    /// That of the context's file, read once in a process; null: none was asked for.
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
            known = std::make_unique<wisdom>(file, ctx.machine().identity(), version());
        return known.get();
    }

    struct answer {
        std::optional<Choice> found;
        std::string fault; ///< why the file or its entry is ignored; empty: it is not
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

/// How often this process added something to wisdom. Plans that were made before may not know it.
std::uint64_t wisdom_learned() noexcept;
void note_wisdom_learned() noexcept;

} // namespace tenfold::tuning_impl
