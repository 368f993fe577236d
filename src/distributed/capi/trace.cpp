// Traces of how ranks spend their time.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tenfold/dist_trace.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/handles.hpp"

using namespace tenfold::capi_impl;

struct tenfold_dist_trace {
    explicit tenfold_dist_trace(tenfold::world world) : where(std::move(world)) {}

    tenfold::world where;
    std::optional<tenfold::dist_trace> own = {}; ///< empty until the collective call that begins it
};

tenfold_error tenfold_dist_trace_create(const tenfold_world *world, tenfold_dist_trace **trace) {
    return guarded([&] {
        if (trace != nullptr)
            *trace = nullptr;
        require(world, "world");
        collective(
            world->shared,
            [&] {
                require(trace, "trace");
                return std::make_unique<tenfold_dist_trace>(world->shared);
            },
            [&](std::unique_ptr<tenfold_dist_trace> &made) {
                made->own.emplace(made->where);
                *trace = made.release();
            });
    });
}

void tenfold_dist_trace_destroy(tenfold_dist_trace *trace) { delete trace; }

tenfold_error tenfold_dist_trace_totals(const tenfold_dist_trace *trace,
                                        tenfold_trace_totals *totals) {
    return guarded([&] {
        require(trace, "trace");
        const tenfold::trace_totals own = trace->own->totals();
        give({.size = 0,
              .calls = own.calls,
              .compute = own.compute,
              .pack = own.pack,
              .communication = own.communication,
              .idle = own.idle,
              .plan = own.plan,
              .under_way = own.under_way,
              .exposed = own.exposed,
              .overlap = own.overlap()},
             totals, "totals");
    });
}

tenfold_error tenfold_dist_trace_reset(tenfold_dist_trace *trace) {
    return guarded([&] {
        require(trace, "trace");
        trace->own->reset_totals();
    });
}

tenfold_error tenfold_dist_trace_write(tenfold_dist_trace *trace, const char *file) {
    return guarded([&] {
        require(trace, "trace");
        collective(
            trace->where,
            [&] {
                require(file, "file");
                return std::string(file);
            },
            [&](const std::string &name) { trace->own->write(name); });
    });
}
