#include <algorithm>

#include <tenfold/error.hpp>

#include "hdf5/hdf5_file.hpp"
#include "hdf5/types.hpp"

namespace tenfold::hdf5_impl {
namespace {

using counts = std::vector<hsize_t>;

counts as_counts(const extents_t &numbers) { return {numbers.begin(), numbers.end()}; }

constexpr std::size_t most_names = 8;

/// Collects one name more than the message lists.
herr_t note_dataset(hid_t, const char *name, const H5O_info_t *object, void *names) {
    auto &found = *static_cast<std::vector<std::string> *>(names);
    if (object->type == H5O_TYPE_DATASET)
        found.push_back("'/" + std::string(name) + "'");
    return found.size() > most_names ? 1 : 0;
}

[[noreturn]] void fail_for_absence(const std::string &shown, hid_t file, const std::string &path) {
    std::vector<std::string> found;
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, &found, H5O_INFO_BASIC);
    std::string there;
    for (std::size_t i = 0; i < std::min(most_names, found.size()); ++i)
        there += (i == 0 ? "" : ", ") + found[i];
    if (found.size() > most_names)
        there += " and others";
    throw error(errc::invalid_argument, "'" + shown + "' has no dataset '" + path + "'; there " +
                                            (there.empty() ? "is none" : "is " + there));
}

/// Returns true if every link on the path exists and the last one leads to an object.
bool exists(hid_t file, const std::string &path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        if (H5Lexists(file, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0)
            return false;
        if (end == std::string::npos)
            return H5Oexists_by_name(file, path.c_str(), H5P_DEFAULT) > 0;
    }
}

bool is_dataset(hid_t file, const std::string &path) {
    H5O_info_t object{};
    return H5Oget_info_by_name2(file, path.c_str(), &object, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           object.type == H5O_TYPE_DATASET;
}

} // namespace

std::vector<listed_dataset> datasets(const std::string &shown, const std::string &path) {
    const silence quiet;
    const handle file = open_file(shown, path);
    std::vector<std::string> paths;
    const auto note = [](hid_t, const char *name, const H5O_info_t *object, void *found) -> herr_t {
        if (object->type == H5O_TYPE_DATASET)
            static_cast<std::vector<std::string> *>(found)->push_back("/" + std::string(name));
        return 0;
    };
    if (H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, note, &paths, H5O_INFO_BASIC) < 0)
        fail(shown, "its groups cannot be read");
    std::vector<listed_dataset> found;
    for (const std::string &one : paths) {
        const std::string problem = "dataset '" + one + "' cannot be read";
        const handle dataset =
            require({H5Dopen2(file.get(), one.c_str(), H5P_DEFAULT), H5Dclose}, shown, problem);
        const handle type = require({H5Dget_type(dataset.get()), H5Tclose}, shown, problem);
        found.push_back({one, element_type(type.get()).has_value()});
    }
    return found;
}

struct dataset_reader::open_dataset {
    std::string shown;
    dataset_description description;
    handle file, dataset, type;

    std::string problem() const { return "dataset '" + description.path + "' cannot be read"; }
};

dataset_reader::dataset_reader(std::string shown, const std::string &path,
                               const std::string &dataset)
    : open_(std::make_unique<open_dataset>()) {
    const silence quiet;
    open_dataset &open = *open_;
    open.shown = std::move(shown);
    open.description.path = dataset_path(dataset);
    open.file = open_file(open.shown, path);
    const std::string &name = open.description.path;
    if (!exists(open.file.get(), name) || !is_dataset(open.file.get(), name))
        fail_for_absence(open.shown, open.file.get(), name);
    open.dataset = require({H5Dopen2(open.file.get(), name.c_str(), H5P_DEFAULT), H5Dclose},
                           open.shown, open.problem());

    const handle stored =
        require({H5Dget_type(open.dataset.get()), H5Tclose}, open.shown, open.problem());
    const std::optional<data_type> type = element_type(stored.get());
    if (!type)
        throw error(errc::io, "'" + open.shown + "': dataset '" + name +
                                  "' holds neither numbers of half, single or double precision, "
                                  "complex ones of the latter two (compounds of 'r' and 'i'), "
                                  "bf16, nor integers of i8, u8 or i32");
    open.description.type = *type;
    open.type = require(native_type(*type), open.shown, open.problem());

    const handle space =
        require({H5Dget_space(open.dataset.get()), H5Sclose}, open.shown, open.problem());
    const int order = H5Sget_simple_extent_ndims(space.get());
    if (order < 0 || H5Sget_simple_extent_type(space.get()) == H5S_NULL)
        fail(open.shown, "dataset '" + name + "' has no extents");
    counts extents(static_cast<std::size_t>(order));
    if (order > 0)
        H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    for (const hsize_t extent : extents) {
        if (extent > static_cast<hsize_t>(INT64_MAX))
            throw error(errc::overflow, "'" + open.shown + "': dataset '" + name +
                                            "': an extent does not fit 63 bits");
        open.description.extents.push_back(static_cast<index_t>(extent));
    }
}

dataset_reader::~dataset_reader() {
    if (!open_)
        return;
    const silence quiet;
    open_.reset();
}

dataset_reader::dataset_reader(dataset_reader &&) noexcept = default;
dataset_reader &dataset_reader::operator=(dataset_reader &&) noexcept = default;

const dataset_description &dataset_reader::description() const noexcept {
    return open_->description;
}

void dataset_reader::read(const extents_t &offsets, const extents_t &extents,
                          void *elements) const {
    const silence quiet;
    const open_dataset &open = *open_;
    handle in_memory, in_file;
    if (!extents.empty()) {
        const counts begin = as_counts(offsets), size = as_counts(extents);
        in_file = require({H5Dget_space(open.dataset.get()), H5Sclose}, open.shown, open.problem());
        in_memory = require(
            {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose},
            open.shown, open.problem());
        if (H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, begin.data(), nullptr, size.data(),
                                nullptr) < 0)
            fail(open.shown, open.problem());
    }
    const auto or_all = [](const handle &space) { return space.valid() ? space.get() : H5S_ALL; };
    if (H5Dread(open.dataset.get(), open.type.get(), or_all(in_memory), or_all(in_file),
                H5P_DEFAULT, elements) < 0)
        fail(open.shown, open.problem());
}

} // namespace tenfold::hdf5_impl
