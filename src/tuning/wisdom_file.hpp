// Wisdom: what was found by measuring, kept in a file from one process to the next.
//
//     {
//      "cpu": "AMD EPYC 9575F 64-Core Processor, caches 48.0 KiB, 1.0 MiB, 256.0 MiB",
//      "tenfold": "0.1.0",
//      "transpose": {"PROBLEM": {..}, ..},
//      "contract": {"PROBLEM": {..}, ..}
//     }
//
// Each kind of plan has a member of its own, and reads no other. What a problem is called and what
// is remembered of it is the kind's affair (transpose/wisdom.hpp, contract/choose/wisdom.hpp).
//
// A file is of one processor and one version of Tenfold: another's is ignored, and replaced when
// something is saved. Members that are not known are ignored, and kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "base/machine.hpp"
#include "tuning/search_record.hpp"

namespace tenfold::base {

/// The entries of one kind. Thread-safe. No member throws for what a file holds, lacks or refuses.
class wisdom_file {
public:
    /// Reads the file, where there is one.
    wisdom_file(std::string file, std::string cpu, std::string version, std::string kind);

    struct answer {
        std::optional<nlohmann::json> entry;
        std::string fault; ///< why the file is ignored; empty: it is not
    };
    answer look_up(const std::string &problem) const;

    /// From now on known to this process, and written into the file beside what others wrote there
    /// meanwhile. Returns why it could not be written; empty: it was.
    std::string remember(const std::string &problem, nlohmann::json entry);

    const std::string &file() const noexcept { return file_; }

private:
    void load();
    std::string save(const std::string &problem, const nlohmann::json &entry) const;

    const std::string file_;
    const std::string cpu_;
    const std::string version_;
    const std::string kind_;
    mutable std::mutex mutex_;
    std::string fault_; ///< of the whole file
    std::map<std::string, nlohmann::json> entries_;
};

/// A kind's wisdom in the context's file, read once in a process; null: none was asked for.
template <class Wisdom> Wisdom *wisdom_of(const context &ctx) {
    const std::string &file = ctx.settings().wisdom;
    if (file.empty())
        return nullptr;
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Wisdom>> all; // by file: there is one processor
    const std::lock_guard lock(mutex);
    std::unique_ptr<Wisdom> &known = all[file];
    if (known == nullptr)
        known = std::make_unique<Wisdom>(file, ctx.machine().identity(), version());
    return known.get();
}

/// A number between two bounds, or the default where there is none; false: something else.
bool read_number(const nlohmann::json *value, index_t least, index_t most, index_t &number);
bool read_number(const nlohmann::json *value, double least, double most, double &number);

/// What every kind's entries say of the search that they come from.
void write(const kept_search &search, nlohmann::json &entry);

/// "an entry's 'gain' is damaged".
std::string damaged(const std::string &member);

/// What is damaged in an entry; empty: nothing.
std::string read(const nlohmann::json &entry, kept_search &search);

} // namespace tenfold::base
