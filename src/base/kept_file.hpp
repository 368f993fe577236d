// Files in which Tenfold keeps for later what it measured: JSON objects that name the version that
// wrote them. Whatever such a file holds or lacks, nobody who reads it comes to harm.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace tenfold::base {

/// A file as it was found.
struct kept_file {
    nlohmann::json content; ///< an object, or null: there is none, or it has a fault
    std::string fault;      ///< why it is ignored; empty: it is not
    bool ours = true;       ///< may be replaced: empty, or written by some version of Tenfold
};

/// `what` names its kind in messages: "it is damaged, or no wisdom file". Throws only for lack of
/// memory.
kept_file read_kept_file(const std::string &file, const std::string &version,
                         const std::string &what);

/// A file that is not of the kind `what`, perhaps of another of ours: it is left as it is.
kept_file not_of_kind(const std::string &what);

/// While it lives, no other thread or process that asks for it changes the file: what is read,
/// changed and replaced meanwhile loses nothing that others add. An empty file comes into being
/// where there is none. Where locking is impossible (no right to, a file system without) or another
/// process keeps the lock for longer than `patience`, one goes on without.
class kept_file_lock {
public:
    /// Of this process. Tests in which many take the lock at once have more of it.
    static inline std::chrono::milliseconds patience{1000};

    explicit kept_file_lock(const std::string &file);
    ~kept_file_lock();
    kept_file_lock(const kept_file_lock &) = delete;
    kept_file_lock &operator=(const kept_file_lock &) = delete;

private:
    std::unique_lock<std::mutex> threads_; ///< of this process
    int descriptor_ = -1;                  ///< closing it unlocks
};

/// Whoever reads the file finds what was there before or all of `content`, never a part; a link
/// stays one, and what it leads to is replaced. Returns why it could not be done; empty: it was.
std::string replace_kept_file(const std::string &file, const nlohmann::json &content);

/// A member of an object, or null.
const nlohmann::json *member(const nlohmann::json &object, const char *name);

bool says(const nlohmann::json *value, const std::string &text);

} // namespace tenfold::base
