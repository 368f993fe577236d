// TAPP's functions that make, change and destroy handles, executors and statuses.
#include <string>

#include "compat/tapp/encoded.hpp"
#include "compat/tapp/failure.hpp"
#include "compat/tapp/settings.hpp"
#include "tenfold/tapp/tapp.h"

using namespace tenfold::tapp_impl;

namespace {

template <class T> TAPP_error create(std::intptr_t *number, const char *what) noexcept {
    return guarded([&] {
        require(number, what);
        *number = 0;
        *number = publish(std::make_unique<T>());
    });
}

/// Destroys an object of the kind; `code` is for numbers that have none.
template <class T> TAPP_error destroy_if(std::intptr_t number, TAPP_error code) noexcept {
    if (number == 0 || (find<T>(number) != nullptr && destroy(number)))
        return TENFOLD_TAPP_OK;
    return keep(code, sentence_about(code));
}

/// Calls work(object) for the handle or executor that has the number.
template <class Work> void with_attributes(TAPP_attr attr, const Work &work) {
    if (handle *const found = find<handle>(attr))
        return work(*found);
    if (executor *const found = find<executor>(attr))
        return work(*found);
    throw failure(TENFOLD_TAPP_HANDLE,
                  std::to_string(attr) + " is no handle, no executor and no status");
}

std::intptr_t attribute_of_status(TAPP_status status, TAPP_key key) {
    switch (key) {
    case TENFOLD_TAPP_CODE:
        return code_in(status);
    case TENFOLD_TAPP_ENTRY:
        if (const auto entry = entry_in(status))
            return *entry;
        throw failure(TENFOLD_TAPP_NOT_SET, "no entry of a batch failed");
    default:
        throw failure(TENFOLD_TAPP_KEY, "a status has no attribute of key " + std::to_string(key));
    }
}

bool is_status(std::intptr_t number) noexcept { return is_encoded(kind::status, number); }

void refuse_status(TAPP_attr attr) {
    if (is_status(attr))
        throw failure(TENFOLD_TAPP_KEY, "the attributes of a status can only be read");
}

} // namespace

TAPP_error TAPP_create_handle(TAPP_handle *number) { return create<handle>(number, "handle"); }

TAPP_error TAPP_destroy_handle(TAPP_handle number) {
    return destroy_if<handle>(number, TENFOLD_TAPP_HANDLE);
}

TAPP_error TAPP_create_executor(TAPP_executor *exec) { return create<executor>(exec, "exec"); }

TAPP_error TAPP_destroy_executor(TAPP_executor exec) {
    return destroy_if<executor>(exec, TENFOLD_TAPP_EXECUTOR);
}

TAPP_error TAPP_destroy_status(TAPP_status status) {
    if (status == 0 || is_status(status))
        return TENFOLD_TAPP_OK;
    return keep(TENFOLD_TAPP_STATUS, sentence_about(TENFOLD_TAPP_STATUS));
}

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value) {
    return guarded([&] {
        refuse_status(attr);
        with_attributes(
            attr, [&](auto &object) { object.set(key, reinterpret_cast<std::intptr_t>(value)); });
    });
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value) {
    return guarded([&] {
        require(value, "value");
        const auto give = [&](std::intptr_t number) { *value = reinterpret_cast<void *>(number); };
        if (is_status(attr))
            give(attribute_of_status(attr, key));
        else
            with_attributes(attr, [&](const auto &object) { give(object.get(key)); });
    });
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key) {
    return guarded([&] {
        refuse_status(attr);
        with_attributes(attr, [&](auto &object) { object.clear(key); });
    });
}
