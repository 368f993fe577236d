// A shared library of another project, loaded at run time.
#pragma once

#include <cstdint>
#include <string>

namespace tenfold::apps_impl {

class library {
public:
    /// Throws failure with the loader's message. Messages call the library `peer`.
    library(std::string peer, const std::string &path);
    ~library();
    library(const library &) = delete;
    library &operator=(const library &) = delete;

    /// Returns null if neither the library nor its dependencies have the symbol.
    void *find(const std::string &symbol) const noexcept;

    /// Throws failure with the names of library and symbol if it is missing.
    template <class Function> Function *require(const std::string &symbol) const {
        return reinterpret_cast<Function *>(require_address(symbol));
    }

    /// Calls the first of these setters that exists. Most take an int, BLIS's a 64-bit integer. It
    /// passes 64 bits; the others read the lower half of the register.
    template <class... Names> void set_threads(int threads, Names... setters) const {
        for (const char *setter : {setters...})
            if (auto *set = reinterpret_cast<void (*)(std::int64_t)>(find(setter))) {
                set(threads);
                return;
            }
    }

private:
    void *require_address(const std::string &symbol) const;

    std::string peer_;
    std::string path_;
    void *handle_;
};

} // namespace tenfold::apps_impl
