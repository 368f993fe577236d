#include "distributed/capi/collective.hpp"

#include <exception>
#include <new>

#include "capi/errors.hpp"

namespace tenfold::capi_impl {
namespace {

/// Made before there can be too little memory for it.
const error lack_of_memory(errc::out_of_memory, "out of memory");

error current_error() noexcept {
    try {
        try {
            throw;
        } catch (const error &known) {
            return known;
        } catch (const std::bad_alloc &) {
            return lack_of_memory;
        } catch (const std::exception &other) {
            return {errc::invalid_argument, other.what()};
        }
    } catch (const std::bad_alloc &) { // for the message
        return lack_of_memory;
    }
}

} // namespace

void refuse_call(const world &where) {
    const error mine = current_error();
    agree(where, mine);
    throw mine; // agree() has thrown already
}

} // namespace tenfold::capi_impl
