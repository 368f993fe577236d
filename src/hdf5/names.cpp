#include <algorithm>

#include <tenfold/error.hpp>

#include "hdf5/hdf5_file.hpp"

namespace tenfold::hdf5_impl {

std::string dataset_path(const std::string &name) {
    const auto reject = [&](const std::string &why) {
        throw error(errc::invalid_argument, "'" + name + "' names no dataset of a file: " + why);
    };
    if (std::any_of(name.begin(), name.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
        reject("it has a control character");
    std::string path;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        if (part == "..")
            reject("HDF5 has no '..'");
        if (!part.empty() && part != ".")
            path += "/" + part;
        begin = end + 1;
    }
    if (path.empty())
        reject("it is empty");
    return path;
}

} // namespace tenfold::hdf5_impl
