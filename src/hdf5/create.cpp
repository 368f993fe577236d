#include <algorithm>
#include <optional>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "hdf5/hdf5_file.hpp"
#include "hdf5/overlay.hpp"
#include "hdf5/types.hpp"

namespace tenfold::hdf5_impl {
namespace {

herr_t refuse_link(const char *, const char *, const char *, const char *, unsigned *, hid_t,
                   void *) {
    return -1;
}

/// The property lists with which datasets are created and opened.
struct properties {
    handle groups, creation, access;

    explicit properties(const std::string &shown) {
        const auto make = [&](hid_t kind) {
            return require({H5Pcreate(kind), H5Pclose}, shown, "cannot be written");
        };
        groups = make(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(groups.get(), 1);
        creation = make(H5P_DATASET_CREATE);
        H5Pset_layout(creation.get(), H5D_CONTIGUOUS);
        H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY); // its address is known at once
        H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
        H5Pset_obj_track_times(creation.get(), false); // the same data makes the same file
        access = make(H5P_DATASET_ACCESS);
        H5Pset_elink_cb(access.get(), refuse_link, nullptr); // elements must go into this file
    }
};

class creator {
public:
    creator(const std::string &shown, hid_t file, const dataset_description &wanted,
            const properties &how)
        : shown_(shown), file_(file), wanted_(wanted), how_(how),
          type_(require(native_type(wanted.type), shown, problem())),
          space_(require({make_space(wanted.extents), H5Sclose}, shown, problem())) {}

    index_t place() {
        handle dataset;
        if (is_there()) {
            dataset = open_if_alike();
            if (!dataset.valid() && H5Ldelete(file_, name(), how_.access.get()) < 0)
                fail(shown_, problem());
        }
        if (!dataset.valid())
            dataset =
                require({H5Dcreate2(file_, name(), type_.get(), space_.get(), how_.groups.get(),
                                    how_.creation.get(), how_.access.get()),
                         H5Dclose},
                        shown_, problem());
        if (std::find(wanted_.extents.begin(), wanted_.extents.end(), 0) != wanted_.extents.end())
            return 0;
        const haddr_t offset = H5Dget_offset(dataset.get());
        if (offset == HADDR_UNDEF)
            fail(shown_, problem());
        return static_cast<index_t>(offset);
    }

private:
    const char *name() const noexcept { return wanted_.path.c_str(); }
    std::string problem() const { return "dataset '" + wanted_.path + "' cannot be written"; }

    static hid_t make_space(const extents_t &extents) {
        if (extents.empty())
            return H5Screate(H5S_SCALAR);
        const std::vector<hsize_t> counts(extents.begin(), extents.end());
        return H5Screate_simple(static_cast<int>(counts.size()), counts.data(), nullptr);
    }

    /// Returns true if a link has the name. Throws if an object on the path is not a group.
    bool is_there() const {
        const std::string &path = wanted_.path;
        for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
            const std::string part = path.substr(0, end);
            const htri_t found = H5Lexists(file_, part.c_str(), how_.access.get());
            if (found < 0)
                fail(shown_, problem());
            if (found == 0 || end == std::string::npos)
                return found > 0;
            if (kind_of(part) != H5O_TYPE_GROUP)
                throw error(errc::invalid_argument, "'" + shown_ + "': '" + part +
                                                        "' is no group and cannot hold '" + path +
                                                        "'");
        }
    }

    /// Returns nothing for a dangling link.
    std::optional<H5O_type_t> kind_of(const std::string &path) const {
        if (H5Oexists_by_name(file_, path.c_str(), how_.access.get()) <= 0)
            return std::nullopt;
        H5O_info_t object{};
        if (H5Oget_info_by_name2(file_, path.c_str(), &object, H5O_INFO_BASIC, how_.access.get()) <
            0)
            fail(shown_, problem());
        return object.type;
    }

    /// Opens the dataset that exists, if its elements can be overwritten in place.
    handle open_if_alike() const {
        const std::optional<H5O_type_t> kind = kind_of(wanted_.path);
        if (!kind)
            return {};
        if (*kind != H5O_TYPE_DATASET)
            throw error(errc::invalid_argument, "'" + shown_ + "': '" + wanted_.path +
                                                    "' is there and no dataset: it is not "
                                                    "replaced by one");
        handle found =
            require({H5Dopen2(file_, name(), how_.access.get()), H5Dclose}, shown_, problem());
        const handle type(H5Dget_type(found.get()), H5Tclose);
        const handle space(H5Dget_space(found.get()), H5Sclose);
        const handle layout(H5Dget_create_plist(found.get()), H5Pclose);
        const bool alike = H5Tequal(type.get(), type_.get()) > 0 &&
                           H5Sextent_equal(space.get(), space_.get()) > 0 &&
                           H5Pget_layout(layout.get()) == H5D_CONTIGUOUS &&
                           H5Pget_external_count(layout.get()) == 0 &&
                           H5Dget_offset(found.get()) != HADDR_UNDEF;
        return alike ? std::move(found) : handle();
    }

    const std::string &shown_;
    hid_t file_;
    const dataset_description &wanted_;
    const properties &how_;
    handle type_, space_;
};

} // namespace

struct file_with_datasets::content {
    std::vector<dataset_description> datasets;
    overlay file;
    std::vector<index_t> places;
};

file_with_datasets::file_with_datasets(const std::string &shown, const std::string &path,
                                       std::vector<dataset_description> datasets) {
    const silence quiet;
    for (const dataset_description &one : datasets)
        if (one.extents.size() > H5S_MAX_RANK)
            throw error(errc::unsupported,
                        "dataset '" + one.path + "' of '" + shown + "' would have " +
                            std::to_string(one.extents.size()) + " axes; HDF5 has " +
                            std::to_string(H5S_MAX_RANK) + " at most");
    content_.reset(new content{std::move(datasets), {shown, path}, {}});
    handle file = content_->file.open();
    const properties how(shown);
    for (const dataset_description &one : content_->datasets)
        content_->places.push_back(creator(shown, file.get(), one, how).place());
    if (!file.close())
        fail(shown, "cannot be written");
}

file_with_datasets::~file_with_datasets() = default;

index_t file_with_datasets::size() const noexcept { return content_->file.size(); }
const std::vector<index_t> &file_with_datasets::places() const noexcept { return content_->places; }

void file_with_datasets::write(
    const std::function<void(index_t offset, const void *data, index_t size)> &put) const {
    std::vector<overlay::range> elements;
    for (std::size_t i = 0; i < content_->places.size(); ++i) {
        const dataset_description &one = content_->datasets[i];
        const index_t size = storage_bytes(layout(one.extents), one.type).value;
        elements.push_back({content_->places[i], content_->places[i] + size});
    }
    content_->file.write(std::move(elements), put);
}

} // namespace tenfold::hdf5_impl
