#include "hdf5/overlay.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <tenfold/error.hpp>

#include "base/input_file.hpp"

namespace tenfold::hdf5_impl {
namespace {

constexpr index_t page_size = 4096;

} // namespace

/// The functions that HDF5 calls instead of the system's. They fail only for lack of memory or if
/// reading fails.
struct overlay::driver {
    H5FD_t base; // HDF5 requires this to be the first member
    overlay *content;

    static overlay &of(const H5FD_t *file) {
        return *reinterpret_cast<const driver *>(file)->content;
    }
    template <class Work> static herr_t attempt(const Work &work) noexcept {
        try {
            work();
            return 0;
        } catch (...) {
            return -1;
        }
    }

    static H5FD_t *open(const char *, unsigned, hid_t access, haddr_t) noexcept {
        const void *content = H5Pget_driver_info(access);
        auto *file = static_cast<driver *>(std::calloc(1, sizeof(driver)));
        if (file == nullptr || content == nullptr)
            return nullptr;
        file->content = *static_cast<overlay *const *>(content);
        return &file->base;
    }
    static herr_t close(H5FD_t *file) noexcept {
        std::free(file);
        return 0;
    }
    static int compare(const H5FD_t *a, const H5FD_t *b) noexcept {
        return static_cast<int>(&of(a) > &of(b)) - static_cast<int>(&of(a) < &of(b));
    }
    static herr_t query(const H5FD_t *, unsigned long *flags) noexcept {
        if (flags != nullptr) // as the ordinary driver, so that files come out equal
            *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                     H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
        return 0;
    }
    static haddr_t end(const H5FD_t *file, H5FD_mem_t) noexcept {
        return static_cast<haddr_t>(of(file).end_);
    }
    static herr_t set_end(H5FD_t *file, H5FD_mem_t, haddr_t end) noexcept {
        of(file).end_ = static_cast<index_t>(end);
        return 0;
    }
    static haddr_t written(const H5FD_t *file, H5FD_mem_t) noexcept {
        return static_cast<haddr_t>(of(file).written_);
    }
    static herr_t read(H5FD_t *file, H5FD_mem_t, hid_t, haddr_t offset, size_t size,
                       void *data) noexcept {
        return attempt([&] {
            of(file).read(static_cast<index_t>(offset), static_cast<char *>(data),
                          static_cast<index_t>(size));
        });
    }
    static herr_t write(H5FD_t *file, H5FD_mem_t, hid_t, haddr_t offset, size_t size,
                        const void *data) noexcept {
        return attempt([&] {
            of(file).change(static_cast<index_t>(offset), static_cast<const char *>(data),
                            static_cast<index_t>(size));
        });
    }
    static herr_t truncate(H5FD_t *file, hid_t, hbool_t) noexcept {
        of(file).written_ = of(file).end_;
        return 0;
    }

    static hid_t make() {
        H5FD_class_t calls{};
#if H5_VERSION_GE(1, 13, 0)
        calls.version = H5FD_CLASS_VERSION;
        calls.value = static_cast<H5FD_class_value_t>(511); // of the range that needs no
                                                            // registration
#endif
        calls.name = "tenfold overlay";
        calls.maxaddr = static_cast<haddr_t>(INT64_MAX);
        calls.fc_degree = H5F_CLOSE_WEAK;
        calls.fapl_size = sizeof(overlay *);
        calls.open = open;
        calls.close = close;
        calls.cmp = compare;
        calls.query = query;
        calls.get_eoa = end;
        calls.set_eoa = set_end;
        calls.get_eof = written;
        calls.read = read;
        calls.write = write;
        calls.truncate = truncate;
        const H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
        std::copy(std::begin(kinds), std::end(kinds), calls.fl_map);
        return H5FDregister(&calls);
    }
};

overlay::overlay(std::string shown, const std::string &path) : shown_(std::move(shown)) {
    const auto reject = [&](const std::string &problem) {
        const std::string message = "'" + shown_ + "': " + problem;
        if (below_ >= 0)
            close(below_);
        throw error(errc::io, message);
    };
    below_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (below_ < 0 && errno != ENOENT)
        reject(std::string("cannot be read: ") + std::strerror(errno));
    if (below_ < 0)
        return;
    struct stat about {};
    if (fstat(below_, &about) != 0)
        reject(std::string("cannot be read: ") + std::strerror(errno));
    if (const char *problem = base::why_no_file(about))
        reject(problem);
    if (flock(below_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) // a lock, which HDF5 would
                                                                       // ignore
        reject("is being written by another program, which holds HDF5's lock on it");
    size_below_ = written_ = about.st_size;
}

overlay::~overlay() {
    if (below_ >= 0)
        close(below_);
}

handle overlay::open() {
    const std::string problem = "cannot be written";
    const std::string name = "/proc/self/fd/" + std::to_string(below_); // the open file, even if
                                                                        // its name now leads
                                                                        // elsewhere
    if (size_below_ > 0 && H5Fis_hdf5(name.c_str()) == 0)
        throw error(errc::io, "'" + shown_ + "': is not an HDF5 file");
    driver_ = require({driver::make(), H5FDunregister}, shown_, problem);
    const handle access = require({H5Pcreate(H5P_FILE_ACCESS), H5Pclose}, shown_, problem);
    overlay *const content = this;
    if (H5Pset_driver(access.get(), driver_.get(), &content) < 0)
        fail(shown_, problem);
    // Ranks write neighbouring parts of a dataset, but pages of elements hold no metadata.
    H5Pset_alignment(access.get(), page_size, page_size);
    return require({size_below_ > 0
                        ? H5Fopen(name.c_str(), H5F_ACC_RDWR, access.get())
                        : H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                    H5Fclose},
                   shown_, problem);
}

void overlay::read_below(index_t offset, char *data, index_t size) const {
    const index_t there = std::clamp<index_t>(size_below_ - offset, 0, size);
    for (index_t done = 0; done < there;) {
        const ssize_t now = pread(below_, data + done, static_cast<std::size_t>(there - done),
                                  static_cast<off_t>(offset + done));
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            throw error(errc::io,
                        "'" + shown_ + "': " +
                            (now == 0 ? "became shorter while it was read"
                                      : std::string("cannot be read: ") + std::strerror(errno)));
        done += now;
    }
    std::fill(data + there, data + size, '\0');
}

void overlay::read(index_t offset, char *data, index_t size) const {
    while (size > 0) {
        const index_t in_page = offset % page_size;
        const index_t part = std::min(size, page_size - in_page);
        const auto found = changed_.find(offset - in_page);
        if (found != changed_.end())
            std::copy_n(found->second.begin() + in_page, part, data);
        else
            read_below(offset, data, part);
        offset += part;
        data += part;
        size -= part;
    }
}

void overlay::change(index_t offset, const char *data, index_t size) {
    written_ = std::max(written_, offset + size);
    while (size > 0) {
        const index_t in_page = offset % page_size;
        const index_t part = std::min(size, page_size - in_page);
        const auto [place, is_new] = changed_.try_emplace(offset - in_page);
        page &bytes = place->second;
        if (is_new) {
            bytes.resize(static_cast<std::size_t>(page_size));
            read_below(offset - in_page, bytes.data(), page_size);
        }
        std::copy_n(data, part, bytes.begin() + in_page);
        offset += part;
        data += part;
        size -= part;
    }
}

void overlay::write(
    std::vector<range> but_for,
    const std::function<void(index_t offset, const void *data, index_t size)> &put) const {
    const index_t kept = std::min(size_below_, end_);
    but_for.push_back({kept, end_});
    std::sort(but_for.begin(), but_for.end(),
              [](const range &a, const range &b) { return a.begin < b.begin; });
    std::vector<char> piece(static_cast<std::size_t>(mib(4).value));
    index_t next = 0;
    for (const range &one : but_for) {
        for (const index_t end = std::min(one.begin, kept); next < end;) {
            const index_t size = std::min(end - next, static_cast<index_t>(piece.size()));
            read_below(next, piece.data(), size);
            put(next, piece.data(), size);
            next += size;
        }
        next = std::max(next, one.end);
    }
    for (const auto &[offset, bytes] : changed_)
        if (offset < end_)
            put(offset, bytes.data(), std::min(page_size, end_ - offset));
}

} // namespace tenfold::hdf5_impl
