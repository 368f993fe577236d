#include "distributed/capi/collective.hpp"

#include <exception>
#include <new>

#include "capi/errors.hpp"

namespace tenfold::capi_impl {
namespace {

error current_error() {
    try {
        throw;
    } catch (const error &known) {
        return known;
    } catch (const std::bad_alloc &) {
        return {errc::out_of_memory, "out of memory"};
    } catch (const std::exception &other) {
        return {errc::invalid_argument, other.what()};
    }
}

} // namespace

void refuse_call(const world &where) {
    const error mine = current_error();
    agree(where, mine);
    throw mine; // agree() has thrown already
}

} // namespace tenfold::capi_impl
