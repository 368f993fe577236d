// Owns identifiers of the HDF5 library and turns its errors into exceptions.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

namespace tenfold::hdf5_impl {

/// An HDF5 identifier and the function that closes it.
class handle {
public:
    using closer = herr_t (*)(hid_t);

    handle() = default;
    handle(hid_t id, closer close) noexcept : id_(id), close_(close) {}
    ~handle() { static_cast<void>(close()); }
    handle(handle &&other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    handle &operator=(handle &&other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }

    bool valid() const noexcept { return id_ >= 0; }
    hid_t get() const noexcept { return id_; }
    /// Closes early, for callers that need to know whether closing succeeds.
    bool close() noexcept {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id < 0 || close_(id) >= 0;
    }

private:
    hid_t id_ = H5I_INVALID_HID;
    closer close_ = nullptr;
};

/// Keeps HDF5 from printing errors for the lifetime of this object.
class silence {
public:
    silence() noexcept {
        H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
    silence(const silence &) = delete;
    silence &operator=(const silence &) = delete;

private:
    H5E_auto2_t print_ = nullptr;
    void *data_ = nullptr;
};

/// Throws errc::io with the file, the problem, and HDF5's innermost reason for the last failure.
[[noreturn]] void fail(const std::string &shown, const std::string &problem);

/// Returns the handle; throws like fail() if it is not valid.
inline handle require(handle opened, const std::string &shown, const std::string &problem) {
    if (!opened.valid())
        fail(shown, problem);
    return opened;
}

/// Opens a file for reading.
handle open_file(const std::string &shown, const std::string &path);

} // namespace tenfold::hdf5_impl
