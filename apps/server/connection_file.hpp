// The file that tells clients of the server's owner where it is, and the owner's token.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tenfold::server {

/// Written with mode 0600 beside its place and renamed, so that nobody reads half of it; removed by
/// the destructor, unless another server has written its own since.
class connection_file {
public:
    /// Throws std::runtime_error.
    connection_file(std::string path, const nlohmann::json &content);
    ~connection_file();
    connection_file(const connection_file &) = delete;
    connection_file &operator=(const connection_file &) = delete;

private:
    std::string path_;
    std::string text_;
};

} // namespace tenfold::server
