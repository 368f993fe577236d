// Files in which Tenfold keeps for later what it measured: JSON objects that name the version that
// wrote them. Whatever such a file holds or lacks, nobody who reads it comes to harm.
#pragma once

#include <filesystem>
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

/// Whoever reads the file finds what was there before or all of `content`, never a part; a link
/// stays one, and what it leads to is replaced. Returns why it could not be done; empty: it was.
std::string replace_kept_file(const std::string &file, const nlohmann::json &content);

/// A member of an object, or null.
const nlohmann::json *member(const nlohmann::json &object, const char *name);

bool says(const nlohmann::json *value, const std::string &text);

} // namespace tenfold::base
