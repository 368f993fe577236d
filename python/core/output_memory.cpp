#include "output_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include <malloc.h>
#include <unistd.h>

#include <pybind11/stl.h>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

namespace tenfold::python {
namespace {

/// Of the memory, freed results that stay for the next ones. There may be a process per core.
constexpr std::size_t part_that_is_kept = 32;

struct kept_result {
    void *memory = nullptr;
    std::size_t size = 0;
};

/// What the machine, or this container, has.
std::size_t memory_here() {
    std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (const char *name :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(name);
        if (std::size_t limit = 0; file >> limit) // "max" is none
            bytes = std::min(bytes, limit);
    }
    return bytes;
}

/// Freed results, the one that was freed first in front.
class result_keeper {
public:
    void keep_up_to(std::size_t most) noexcept {
        const std::lock_guard lock(mutex_);
        most_ = most;
        make_room(0);
    }
    std::size_t bytes() noexcept {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }
    /// Null: there is none of that size.
    void *take(std::size_t size) noexcept {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = count_; i-- > 0;) // the caches may have the last one still
            if (idle_[i].size == size)
                return remove(i);
        return nullptr;
    }
    void keep_or_free(void *memory, std::size_t size) noexcept {
        const std::lock_guard lock(mutex_);
        if (size > most_ || size < std::size_t{large_result}) {
            base::free_aligned(memory);
            return;
        }
        make_room(size);
        idle_[count_++] = {memory, size};
        bytes_ += size;
    }
    void free_all() noexcept {
        const std::lock_guard lock(mutex_);
        while (count_ > 0)
            base::free_aligned(remove(0));
    }

private:
    void make_room(std::size_t size) noexcept {
        while (count_ > 0 && (bytes_ + size > most_ || (size > 0 && count_ == idle_.size())))
            base::free_aligned(remove(0));
    }
    void *remove(std::size_t place) noexcept {
        const kept_result what = idle_[place];
        std::move(idle_.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                  idle_.begin() + static_cast<std::ptrdiff_t>(count_),
                  idle_.begin() + static_cast<std::ptrdiff_t>(place));
        --count_;
        bytes_ -= what.size;
        return what.memory;
    }

    std::mutex mutex_; ///< Python's lock is one of an interpreter, of which there may be several
    std::size_t most_ = memory_here() / part_that_is_kept;
    std::array<kept_result, 16> idle_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

/// Never destroyed: arrays may be freed while the process ends.
result_keeper &keeper() noexcept {
    static auto *const made = new result_keeper;
    return *made;
}

void *allocate(void * /*context*/, std::size_t size) noexcept {
    if (void *const kept = keeper().take(size))
        return kept;
    for (const bool again : {false, true}) {
        try {
            return base::allocate_aligned({static_cast<index_t>(size)});
        } catch (const error &) {
            if (!again)
                keeper().free_all();
        }
    }
    return nullptr;
}

void *allocate_zeros(void *context, std::size_t count, std::size_t size) noexcept {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        return nullptr;
    void *const memory = allocate(context, bytes);
    return memory == nullptr ? nullptr : std::memset(memory, 0, bytes);
}

void free_result(void * /*context*/, void *memory, std::size_t size) noexcept {
    if (memory != nullptr)
        keeper().keep_or_free(memory, size);
}

/// numpy.ndarray.resize(), which does not tell the old size.
void *reallocate(void *context, void *before, std::size_t size) noexcept {
    void *const memory = allocate(context, size);
    if (memory != nullptr && before != nullptr) {
        std::memcpy(memory, before, std::min(size, malloc_usable_size(before)));
        base::free_aligned(before);
    }
    return memory;
}

double bytes_of(std::span<const npy_intp> shape, int numpy_number) noexcept {
    PyArray_Descr *const descr = PyArray_DescrFromType(numpy_number);
    double bytes = static_cast<double>(descr->elsize);
    Py_DECREF(descr);
    for (const npy_intp extent : shape)
        bytes *= static_cast<double>(extent);
    return bytes;
}

PyDataMem_Handler handler{.name = "tenfold results",
                          .version = 1,
                          .allocator = {.ctx = nullptr,
                                        .malloc = allocate,
                                        .calloc = allocate_zeros,
                                        .realloc = reallocate,
                                        .free = free_result}};

/// Lets arrays that this thread makes meanwhile have memory of results, unless the program has set
/// a handler of its own.
class in_result_memory {
public:
    in_result_memory() {
        static PyObject *const ours = PyCapsule_New(&handler, "mem_handler", nullptr);
        if (ours == nullptr || (before_ = PyDataMem_SetHandler(ours)) == nullptr)
            throw py::error_already_set();
        if (before_ != PyDataMem_DefaultHandler)
            Py_XDECREF(PyDataMem_SetHandler(before_));
    }
    ~in_result_memory() {
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        Py_XDECREF(PyDataMem_SetHandler(before_));
        Py_DECREF(before_);
        PyErr_Restore(type, value, trace);
    }
    in_result_memory(const in_result_memory &) = delete;
    in_result_memory &operator=(const in_result_memory &) = delete;

private:
    PyObject *before_;
};

} // namespace

py::object new_array(std::span<const npy_intp> shape, int numpy_number, const npy_intp *strides,
                     int flags) {
    const auto made = [&] {
        PyObject *const array =
            PyArray_New(&PyArray_Type, static_cast<int>(shape.size()), shape.data(), numpy_number,
                        strides, nullptr, 0, flags, nullptr);
        if (array == nullptr)
            throw py::error_already_set();
        return py::reinterpret_steal<py::object>(array);
    };
    if (bytes_of(shape, numpy_number) < static_cast<double>(large_result))
        return made();
    const in_result_memory now;
    return made();
}

void define_output_memory(py::module_ &module) {
    module.def("new_array", [](const std::vector<npy_intp> &shape, const py::object &dtype) {
        return new_array(shape, reinterpret_cast<PyArray_Descr *>(dtype.ptr())->type_num);
    });
    module.def("keep_results", [](index_t most) {
        keeper().keep_up_to(static_cast<std::size_t>(std::max<index_t>(0, most)));
    });
    module.def("kept_results", [] { return keeper().bytes(); });
}

} // namespace tenfold::python
