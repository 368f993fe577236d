#include "apps/tenfold/array_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <tenfold/error.hpp>

#include "apps/common/files.hpp"
#include "apps/common/npy.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "base/input_file.hpp"
#include "base/work.hpp"
#include "hdf5/hdf5_file.hpp"

namespace tenfold::apps_impl {
namespace {

using hdf5_impl::dataset_reader;

/// Returns the position behind the name of the HDF5 file that `text` begins with, or npos if it
/// begins with none.
std::size_t end_of_hdf5_name(const std::string &text) {
    for (const std::string ending : {".h5", ".hdf5"}) {
        const std::size_t found = text.find(ending + ":");
        if (found != std::string::npos)
            return found + ending.size();
        if (text.ends_with(ending))
            return text.size();
    }
    return std::string::npos;
}

/// Opens the dataset in the file that was just checked, even if another file has taken its name
/// since.
dataset_reader open_dataset(const array_name &name) {
    const base::input_file file(name.file);
    return {name.file, "/proc/self/fd/" + std::to_string(file.descriptor()), name.dataset};
}

/// The process has only one standard input, and what was read from it cannot be read again.
npy_input &standard_input() {
    static npy_input input;
    return input;
}

/// A file that is removed at the end unless it has been renamed.
class temporary_file {
public:
    explicit temporary_file(std::string path) : path_(std::move(path)) {}
    ~temporary_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    temporary_file(const temporary_file &) = delete;
    temporary_file &operator=(const temporary_file &) = delete;
    const std::string &path() const noexcept { return path_; }

private:
    std::string path_;
};

/// Writes beside the file and then replaces it in one step.
void write_hdf5(const array_name &name, const host_array &array) {
    namespace fs = std::filesystem;
    const hdf5_impl::file_with_datasets whole(
        name.file, name.file,
        {{hdf5_impl::dataset_path(name.dataset), array.type(), array.shape().extents()}});
    std::error_code problem;
    fs::path target = fs::weakly_canonical(name.file, problem); // symbolic links stay links
    if (problem)
        target = name.file;
    const temporary_file temporary(target.string() + ".saving");
    std::ofstream file(temporary.path(), std::ios::binary | std::ios::trunc);
    const auto put = [&](index_t offset, const void *data, index_t size) {
        file.seekp(offset);
        file.write(static_cast<const char *>(data), size);
    };
    whole.write(put);
    put(whole.places().front(), array.data(), array.size().value);
    file.close();
    if (!file)
        reject(name.file, std::string("cannot be written: ") + std::strerror(errno));
    fs::resize_file(temporary.path(), static_cast<std::uintmax_t>(whole.size()), problem);
    if (!problem)
        fs::rename(temporary.path(), target, problem);
    if (problem)
        reject(name.file, "cannot be replaced: " + problem.message());
}

} // namespace

array_name parse_file_name(const std::string &text) {
    const std::size_t end = end_of_hdf5_name(text);
    if (end == std::string::npos)
        return {text, ""};
    return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

array_name parse_array_name(const std::string &text) {
    const array_name name = parse_file_name(text);
    if (name.dataset.empty() && end_of_hdf5_name(text) != std::string::npos)
        throw usage_error("'" + text + "' says no dataset: write " + name.file + ":DATASET");
    return name;
}

array_header read_array_header(const std::string &text) {
    const array_name name = parse_array_name(text);
    if (!name.is_hdf5()) {
        npy_header header = name.is_standard_input() ? standard_input().header()
                                                     : read_npy_header(base::input_file(name.file));
        return {header.element.type(), header.element.adapts(), header.element.name(),
                header.fortran_order, std::move(header.shape)};
    }
    const dataset_reader dataset = open_dataset(name);
    const data_type type = dataset.description().type;
    if (is_integer(type))
        reject(name.file, "dataset '" + name.dataset + "' holds integers (" +
                              std::string(tenfold::name(type)) +
                              "), which are read from .npy files only");
    return {type, false, std::string(tenfold::name(type)), false, dataset.description().extents};
}

host_array read_array(const std::string &text, data_type type) {
    const array_name name = parse_array_name(text);
    if (name.is_standard_input())
        return standard_input().read(type);
    if (!name.is_hdf5()) {
        progress line("tenfold: reading " + name.file);
        return base::run_watched(line.watch(), [&] { return read_npy(name.file, type); });
    }
    const dataset_reader dataset = open_dataset(name);
    const extents_t &extents = dataset.description().extents;
    host_array array(type, layout::row_major(extents));
    if (dataset.description().type != type) // the file has changed since its header was read
        reject(name.file, "was replaced while it was read");
    if (array.size().value > 0)
        dataset.read(extents_t(extents.size(), 0), extents, array.data());
    return array;
}

void check_array_writable(const std::string &text) {
    const array_name name = parse_array_name(text);
    check_writable(name.file);
    if (name.is_hdf5()) {
        hdf5_impl::require_hdf5();
        static_cast<void>(hdf5_impl::dataset_path(name.dataset));
    }
}

void write_array(const std::string &text, const host_array &array) {
    const array_name name = parse_array_name(text);
    if (name.is_hdf5())
        write_hdf5(name, array);
    else
        write_npy(name.file, array);
}

} // namespace tenfold::apps_impl
