#include "compat/tapp/failure.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace tenfold::tapp_impl {
namespace {

std::atomic<std::uint32_t> failures = 0;

struct last_failure {
    std::uint32_t number = 0;
    TAPP_error code = TENFOLD_TAPP_OK;
    std::string message; ///< empty: there was no memory for it
};
thread_local last_failure last;

/// The codes of what the library refuses; what a program cannot cause through TAPP's interface is
/// not listed.
TAPP_error code_of(errc code, const error_details &details) noexcept {
    switch (code) {
    case errc::overlap: // check_rules() has looked at D alone
        return TENFOLD_TAPP_OVERLAP;
    case errc::overflow:
        return TENFOLD_TAPP_OVERFLOW;
    case errc::null_pointer:
        return details.first.name == "C" ? TENFOLD_TAPP_C_IS_NULL : TENFOLD_TAPP_NULL_POINTER;
    case errc::workspace_too_small:
        return TENFOLD_TAPP_WORKSPACE;
    case errc::out_of_memory:
        return TENFOLD_TAPP_MEMORY;
    case errc::unsupported:
        return TENFOLD_TAPP_UNSUPPORTED;
    default:
        return TENFOLD_TAPP_VALUE;
    }
}

} // namespace

TAPP_error keep(TAPP_error code, const std::string &message) noexcept {
    last.number = ++failures;
    last.code = code;
    try {
        last.message = message;
    } catch (const std::bad_alloc &) {
        last.message.clear();
    }
    return code;
}

TAPP_error keep_exception() noexcept {
    try {
        throw;
    } catch (const failure &known) {
        return keep(known.code(), known.what());
    } catch (const error &known) {
        return keep(code_of(known.code(), known.details()), known.what());
    } catch (const std::bad_alloc &) {
        return keep(TENFOLD_TAPP_MEMORY, {});
    } catch (const std::exception &other) {
        return keep(TENFOLD_TAPP_VALUE, other.what());
    }
}

std::uint32_t number_of_last_failure() noexcept { return last.number; }

TAPP_error keep_status(const status &failed) noexcept {
    try {
        return keep(code_of(failed.code(), failed.details()), failed.message());
    } catch (const std::bad_alloc &) {
        return keep(TENFOLD_TAPP_MEMORY, {});
    }
}

const char *sentence_about(TAPP_error code) noexcept {
    switch (code) {
    case TENFOLD_TAPP_OK:
        return "Success.";
    case TENFOLD_TAPP_EXTENTS_OF_A_AND_B:
        return "A label of A and B has two extents.";
    case TENFOLD_TAPP_EXTENTS_OF_A_AND_D:
        return "A label of A and D has two extents.";
    case TENFOLD_TAPP_EXTENTS_OF_B_AND_D:
        return "A label of B and D has two extents.";
    case TENFOLD_TAPP_LABEL_OF_D_ONLY:
        return "D has a label that neither A nor B has.";
    case TENFOLD_TAPP_ORDER_OF_C:
        return "C and D have different numbers of modes.";
    case TENFOLD_TAPP_LABELS_OF_C:
        return "C and D have different labels, or the same ones in another order.";
    case TENFOLD_TAPP_EXTENTS_OF_C:
        return "C and D have different extents.";
    case TENFOLD_TAPP_ALIASING_IN_D:
        return "Two elements of D lie at one address.";
    case TENFOLD_TAPP_EXTENTS_IN_A:
        return "A label that A has twice has two extents.";
    case TENFOLD_TAPP_EXTENTS_IN_B:
        return "A label that B has twice has two extents.";
    case TENFOLD_TAPP_EXTENTS_IN_D:
        return "A label that D has twice has two extents.";
    case TENFOLD_TAPP_C_IS_NULL:
        return "C is null and beta is not 0. Pass D, or TAPP_IN_PLACE, if C is D.";
    case TENFOLD_TAPP_NEGATIVE_ORDER:
        return "The number of modes is negative.";
    case TENFOLD_TAPP_NEGATIVE_EXTENT:
        return "An extent is negative.";
    case TENFOLD_TAPP_NULL_POINTER:
        return "An address that is needed is null.";
    case TENFOLD_TAPP_DATATYPE:
        return "The number is no type of elements: they are 0 to 5.";
    case TENFOLD_TAPP_PRECISION:
        return "The number is no precision: they are -1, 0, 1, 4, 5 and 6.";
    case TENFOLD_TAPP_ELEMENT_OP:
        return "The number is no operation on elements: they are 0 and 1.";
    case TENFOLD_TAPP_REAL_D:
        return "D is real, but A, B or C is complex.";
    case TENFOLD_TAPP_OVERLAP:
        return "D shares elements with A, with B, or with a C that does not lie as D.";
    case TENFOLD_TAPP_OVERFLOW:
        return "A size does not fit 64 bits.";
    case TENFOLD_TAPP_WORKSPACE:
        return "The workspace limit is too small for this product.";
    case TENFOLD_TAPP_MEMORY:
        return "There is not enough memory.";
    case TENFOLD_TAPP_UNSUPPORTED:
        return "A tensor has more than 64 modes that are longer than 1, or this machine or this "
               "build of Tenfold lacks what was asked for.";
    case TENFOLD_TAPP_BATCHES:
        return "The number of batches is negative.";
    case TENFOLD_TAPP_HANDLE:
        return "The number is no handle, or it was destroyed.";
    case TENFOLD_TAPP_TENSOR_INFO:
        return "The number is no tensor info, or it was destroyed.";
    case TENFOLD_TAPP_PRODUCT:
        return "The number is no tensor product, or it was destroyed.";
    case TENFOLD_TAPP_STATUS:
        return "The number is no status.";
    case TENFOLD_TAPP_KEY:
        return "The object has no attribute of this key, or one that can only be read.";
    case TENFOLD_TAPP_NOT_SET:
        return "The attribute was not set.";
    case TENFOLD_TAPP_EXECUTOR:
        return "The number is no executor, or it was destroyed.";
    case TENFOLD_TAPP_VALUE:
        return "The attribute cannot have this value.";
    default:
        return "The number is no code of Tenfold's.";
    }
}

} // namespace tenfold::tapp_impl

using namespace tenfold::tapp_impl;

bool TAPP_check_success(TAPP_error error) { return error == TENFOLD_TAPP_OK; }

std::size_t TAPP_explain_error(TAPP_error error, std::size_t maxlen, char *message) {
    const bool is_last = error == last.code && !last.message.empty();
    const std::string_view text = is_last ? last.message.c_str() : sentence_about(error);
    if (maxlen == 0 || message == nullptr)
        return text.size();
    const std::size_t length = std::min(text.size(), maxlen - 1);
    std::memcpy(message, text.data(), length);
    message[length] = '\0';
    return length;
}
