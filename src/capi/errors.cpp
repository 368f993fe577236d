#include "capi/errors.hpp"

#include <exception>
#include <new>
#include <utility>

#include "capi/convert.hpp"
#include "capi/structs.hpp"
#include "capi/type_numbers.hpp"

namespace tenfold::capi_impl {
namespace {

struct kept_error {
    errc code = errc::ok;
    std::string message;
    error_details details;
};

thread_local kept_error last;

/// `make` returns the error; if there is no memory for it, that is the error.
template <class Make> tenfold_error keep(const Make &make) noexcept {
    try {
        last = make();
    } catch (...) {
        last.code = errc::out_of_memory;
        last.message.clear(); // tenfold_last_error() has a text for that
        last.details = error_details();
    }
    return static_cast<tenfold_error>(last.code);
}

template <class T> std::int32_t number_or_none(const std::optional<T> &value) noexcept {
    return value ? static_cast<std::int32_t>(*value) : -1;
}

tenfold_error_operand operand_of(const error_operand &from) noexcept {
    return {from.name.c_str(), from.extent.value_or(-1), number_or_none(from.mode),
            number_or_none(from.order), from.type ? number_of(*from.type) : -1};
}

error_operand operand_from(const tenfold_error_operand &given) {
    error_operand own;
    if (given.name != nullptr)
        own.name = given.name;
    if (given.mode >= 0)
        own.mode = given.mode;
    if (given.extent >= 0)
        own.extent = given.extent;
    if (given.order >= 0)
        own.order = given.order;
    if (given.type >= 0) {
        own.type = type_numbered(given.type);
        if (size_of(*own.type) == 0)
            refuse("the type of an operand is " + std::to_string(given.type) +
                   ", which is no value of its enumeration");
    }
    return own;
}

} // namespace

tenfold_error keep_status(const status &failed) noexcept {
    return keep([&] { return kept_error{failed.code(), failed.message(), failed.details()}; });
}

tenfold_error keep_exception() noexcept {
    return keep([]() -> kept_error {
        try {
            throw;
        } catch (const error &known) {
            return {known.code(), known.what(), known.details()};
        } catch (const stopped_by_progress &) {
            return {errc::stopped, status(errc::stopped).message(), {}};
        } catch (const std::bad_alloc &) {
            return {errc::out_of_memory, "out of memory", {}};
        } catch (const std::exception &other) {
            return {errc::invalid_argument, other.what(), {}};
        }
    });
}

} // namespace tenfold::capi_impl

using namespace tenfold::capi_impl;

const char *tenfold_error_name(tenfold_error code) {
    return tenfold::name(static_cast<tenfold::errc>(code)).data();
}

const char *tenfold_last_error(void) {
    const bool lacked_memory = last.code == tenfold::errc::out_of_memory && last.message.empty();
    return lacked_memory ? "out of memory" : last.message.c_str();
}

tenfold_error tenfold_last_error_details(tenfold_error_details *details) {
    return guarded([&] {
        give({.size = 0,
              .code = static_cast<tenfold_error>(last.code),
              .label = last.details.label.c_str(),
              .first = operand_of(last.details.first),
              .second = operand_of(last.details.second),
              .position =
                  last.details.position ? static_cast<std::int64_t>(*last.details.position) : -1,
              .least_bytes = last.details.least ? last.details.least->value : -1},
             details, "details");
    });
}

tenfold_error tenfold_set_last_error(const tenfold_error_details *details, const char *message) {
    return guarded([&] {
        require(details, "details");
        require(message, "message");
        const tenfold_error_details given = taken(details, "details");
        const auto code = enumerator_of<tenfold::errc>(given.code, "code");
        if (code == tenfold::errc::ok || tenfold::name(code) == "unknown")
            refuse("code is " + std::to_string(given.code) + ", which is no error's");
        tenfold::error_details own;
        if (given.label != nullptr)
            own.label = given.label;
        own.first = operand_from(given.first);
        own.second = operand_from(given.second);
        if (given.position >= 0)
            own.position = static_cast<std::size_t>(given.position);
        if (given.least_bytes >= 0)
            own.least = tenfold::bytes(given.least_bytes);
        throw tenfold::error(code, message, std::move(own));
    });
}
