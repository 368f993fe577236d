// A line of JSON for each request: who, what, with which result, how long.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "apps/server/refusal.hpp"

namespace tenfold::server {

struct audit_line {
    std::string user;
    std::string_view operation;
    std::string target; ///< the tensor, job or transfer of the path; may be empty
    int status;
    double seconds;
    nlohmann::json details = nullptr; ///< further fields
};

class audit_log {
public:
    /// Appends to the file, which only its owner may read; an empty name: does nothing. Throws
    /// std::runtime_error.
    explicit audit_log(const std::string &file) {
        if (file.empty())
            return;
        const int descriptor = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        file_.reset(descriptor < 0 ? nullptr : fdopen(descriptor, "a"));
        if (!file_)
            throw std::runtime_error("cannot write to '" + file + "'");
    }

    /// Thread-safe. Neither bodies nor headers are logged.
    void add(const audit_line &line) {
        if (!file_)
            return;
        nlohmann::json value = {{"time", std::chrono::duration<double>(
                                             std::chrono::system_clock::now().time_since_epoch())
                                             .count()},
                                {"user", line.user},
                                {"operation", line.operation},
                                {"status", line.status},
                                {"seconds", line.seconds}};
        if (!line.target.empty())
            value["target"] = line.target.substr(0, longest_target);
        if (line.details.is_object())
            value.update(line.details);
        const std::lock_guard lock(mutex_);
        value["id"] = ++last_;
        std::fprintf(file_.get(), "%s\n", json_text(value).c_str());
        std::fflush(file_.get());
    }

private:
    static constexpr std::size_t longest_target = 256;

    struct closer {
        void operator()(std::FILE *file) const noexcept { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, closer> file_;
    std::mutex mutex_;
    std::uint64_t last_ = 0;
};

} // namespace tenfold::server
