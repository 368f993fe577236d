#include <memory>

#include "capi/errors.hpp"
#include "capi/handles.hpp"

using namespace tenfold::capi_impl;

tenfold_error tenfold_stop_create(tenfold_stop **stop) {
    return guarded([&] {
        require(stop, "stop");
        *stop = nullptr;
        *stop = std::make_unique<tenfold_stop>().release();
    });
}

void tenfold_stop_destroy(tenfold_stop *stop) { delete stop; }

tenfold_error tenfold_stop_request(tenfold_stop *stop) {
    return guarded([&] {
        require(stop, "stop");
        stop->source.request_stop();
    });
}
