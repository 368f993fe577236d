// Files that requests name: below one folder of the server's, and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenfold::server {

/// The parts of "results/T2.npy". Throws refusal (400) for what is no relative path of plain names
/// that ends in .npy, .h5 or .hdf5: nothing else can be read, or replaced.
std::vector<std::string> parse_file_path(std::string_view text);
/// Whether such a file has datasets, which requests name.
bool is_hdf5(const std::vector<std::string> &parts);

/// A file below a folder, found part by part from the open folder: no part may be a link. Who can
/// change these folders by other means than the server is trusted.
class confined_file {
public:
    /// Throws errc::io if a folder on the way is not there or is a link, or if the file is there
    /// and is no regular file.
    confined_file(const std::string &folder, const std::vector<std::string> &parts);
    ~confined_file();
    confined_file(const confined_file &) = delete;
    confined_file &operator=(const confined_file &) = delete;

    const std::string &path() const noexcept { return path_; }
    /// Where it is below the folder, for messages.
    const std::string &name() const noexcept { return name_; }
    bool is_there() const noexcept { return is_there_; }

    struct content {
        std::string start; ///< at most so many bytes
        long long size;
    };
    /// Throws errc::io.
    content read(std::size_t most) const;

private:
    [[noreturn]] void reject(const std::string &problem) const;

    std::string path_, name_, last_;
    int parent_ = -1;
    bool is_there_ = false;
};

} // namespace tenfold::server
