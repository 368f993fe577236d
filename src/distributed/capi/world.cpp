#include <memory>
#include <string>
#include <string_view>

#include "capi/errors.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/handles.hpp"

using namespace tenfold::capi_impl;

tenfold_error tenfold_world_create_with(MPI_Comm comm, const tenfold_context *context,
                                        tenfold_world **world) {
    return guarded([&] {
        if (world != nullptr)
            *world = nullptr;
        const tenfold::world everyone(comm, context != nullptr ? *context->shared
                                                               : tenfold::context::global());
        collective(
            everyone,
            [&] {
                require(world, "world");
                return std::make_unique<tenfold_world>(tenfold_world{everyone});
            },
            [&](std::unique_ptr<tenfold_world> &made) {
                agree(everyone);
                *world = made.release();
            });
    });
}

tenfold_error tenfold_world_create(MPI_Comm comm, tenfold_world **world) {
    return tenfold_world_create_with(comm, nullptr, world);
}

tenfold_error tenfold_world_create_f(MPI_Fint comm, tenfold_world **world) {
    return tenfold_world_create(MPI_Comm_f2c(comm), world);
}

tenfold_error tenfold_world_create_with_f(MPI_Fint comm, const tenfold_context *context,
                                          tenfold_world **world) {
    return tenfold_world_create_with(MPI_Comm_f2c(comm), context, world);
}

void tenfold_world_destroy(tenfold_world *world) { delete world; }

tenfold_error tenfold_world_rank(const tenfold_world *world, int32_t *rank) {
    return guarded([&] {
        require(world, "world");
        require(rank, "rank");
        *rank = world->shared.rank();
    });
}

tenfold_error tenfold_world_size(const tenfold_world *world, int32_t *size) {
    return guarded([&] {
        require(world, "world");
        require(size, "size");
        *size = world->shared.size();
    });
}

tenfold_error tenfold_world_threads(const tenfold_world *world, int32_t *threads) {
    return guarded([&] {
        require(world, "world");
        require(threads, "threads");
        *threads = world->shared.threads();
    });
}

tenfold_error tenfold_world_ranks_per_node(const tenfold_world *world, int32_t *ranks_per_node) {
    return guarded([&] {
        require(world, "world");
        require(ranks_per_node, "ranks_per_node");
        *ranks_per_node = world->shared.ranks_per_node();
    });
}

tenfold_error tenfold_world_comm(const tenfold_world *world, MPI_Comm *comm) {
    return guarded([&] {
        require(world, "world");
        require(comm, "comm");
        *comm = world->shared.comm();
    });
}

tenfold_error tenfold_world_agree(const tenfold_world *world, tenfold_error code,
                                  const char *message) {
    return guarded([&] {
        require(world, "world");
        if (code == TENFOLD_OK)
            return agree(world->shared);
        collective(
            world->shared,
            [&]() -> int {
                if (tenfold_error_name(code) == std::string_view("unknown"))
                    refuse("code is " + std::to_string(code) +
                           ", which is no value of its enumeration");
                throw tenfold::error(static_cast<tenfold::errc>(code),
                                     message != nullptr ? message : tenfold_last_error());
            },
            [](int) {});
    });
}

tenfold_error tenfold_set_fatal_function(tenfold_fatal_function function, void *user) {
    return guarded([&] {
        if (function == nullptr) {
            tenfold::set_fatal_handler({});
            return;
        }
        tenfold::set_fatal_handler([=](int rank, std::string_view message) {
            function(rank, std::string(message).c_str(), user);
        });
    });
}
