// JSON files in which Tenfold keeps measurements for later; each names the version that wrote it.
// Missing, damaged and foreign files are all safe to read: they yield a reason instead of content.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace tenfold::base {

/// The content of a file, or its fault.
struct kept_file {
    nlohmann::json content; ///< an object, or null if there is no file or it has a fault
    std::string fault;      ///< why the file is ignored; empty if it is not
    bool ours = true;       ///< may be replaced: empty, or written by a version of Tenfold
};

/// Reads a file. `what` names its kind in messages: "it is damaged, or no wisdom file". Throws only
/// if there is no memory.
kept_file read_kept_file(const std::string &file, const std::string &version,
                         const std::string &what);

/// The result for a file of another kind than `what`, perhaps another of Tenfold's; it must not be
/// replaced.
kept_file not_of_kind(const std::string &what);

/// Locks the file against other threads and processes that use this class, so that reading,
/// changing and replacing it loses none of their entries. Creates an empty file if there is none.
/// If locking is impossible (no permission, no support in the file system), or another process
/// holds the lock for longer than `patience`, the caller continues without a lock.
class kept_file_lock {
public:
    /// For the whole process. Tests that take the lock many times at once set it higher.
    static inline std::chrono::milliseconds patience{1000};

    explicit kept_file_lock(const std::string &file);
    ~kept_file_lock();
    kept_file_lock(const kept_file_lock &) = delete;
    kept_file_lock &operator=(const kept_file_lock &) = delete;

private:
    std::unique_lock<std::mutex> threads_; ///< excludes other threads of this process
    int descriptor_ = -1;                  ///< closing it unlocks
};

/// Replaces the file in one step: readers find the former content or all of `content`, never a
/// part. A symbolic link is kept, and its target is replaced. Returns the reason of a failure, or
/// an empty string.
std::string replace_kept_file(const std::string &file, const nlohmann::json &content);

/// Returns a member of an object, or null.
const nlohmann::json *member(const nlohmann::json &object, const char *name);

bool says(const nlohmann::json *value, const std::string &text);

} // namespace tenfold::base
