// The folder of a server's checkpoint, as rank 0 uses it: the manifest, and which files there are.
// The tensors' files are written and read by all ranks (execute_files.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace tenfold::server {

/// All files are opened in the folder that was opened first, and no link is followed. All functions
/// throw std::runtime_error, with the path.
class checkpoint_folder {
public:
    /// Makes the folder, for its owner only, if it is not there. Keeps other servers from using it
    /// until it is destroyed, or the process ends.
    explicit checkpoint_folder(const std::string &path);
    ~checkpoint_folder();
    checkpoint_folder(const checkpoint_folder &) = delete;
    checkpoint_folder &operator=(const checkpoint_folder &) = delete;

    /// Absolute.
    const std::string &path() const noexcept { return path_; }
    /// How many servers started with this folder before.
    std::uint64_t count_start() const;
    /// Empty if there is none.
    std::optional<std::string> read_manifest() const;
    /// In one step: if the machine stops, there is the former one or this one.
    void write_manifest(const std::string &text) const;
    /// Removes tensors' files, also unfinished ones, but for these, as far as that is possible.
    void remove_others(const std::set<std::string> &files) const noexcept;

private:
    std::optional<std::string> read(const std::string &name) const;
    void write(const std::string &name, const std::string &text) const;
    [[noreturn]] void reject(const std::string &name) const;

    std::string path_;
    int folder_ = -1;
    int lock_ = -1;
};

} // namespace tenfold::server
