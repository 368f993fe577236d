// Worlds of some ranks, tensors that move between them and the world of all, and pairs of modes.
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <tenfold/dist_pairs.hpp>
#include <tenfold/dist_split.hpp>

#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_tensor;
using tenfold::chem::pair_kind;

/// Makes a collective call, which returns this rank's new world, or none: make(world).
template <class Make> tenfold_error make_part(const tenfold_world *whole, tenfold_world **part,
                                              const Make &make) noexcept {
    return guarded([&] {
        if (part != nullptr)
            *part = nullptr;
        require(whole, "world");
        collective(
            whole->shared,
            [&] { // memory for the handle
                require(part, "part");
                return std::make_unique<tenfold_world>(tenfold_world{whole->shared});
            },
            [&](std::unique_ptr<tenfold_world> &made) {
                std::optional<tenfold::world> own = make(whole->shared);
                if (!own)
                    return;
                made->shared = std::move(*own);
                *part = made.release();
            });
    });
}

pair_kind kind_of(tenfold_pair_kind given) {
    if (given != TENFOLD_PAIRS_SYMMETRIC && given != TENFOLD_PAIRS_ANTISYMMETRIC)
        refuse("kind is " + std::to_string(given) + ", which is no value of its enumeration");
    return given == TENFOLD_PAIRS_SYMMETRIC ? pair_kind::symmetric : pair_kind::antisymmetric;
}

#define TENFOLD_NAME_OF(T, name) " " #name ","

/// A tensor's name in messages.
struct named_handle {
    const tenfold_dist_tensor *tensor;
    const char *name;
};

/// Makes a collective call on tensors of a type that pairs have: work(dist_tensor<T> of `from`,
/// kind, dist_tensor<T> of `to`).
template <class Work> tenfold_error on_pairs(const named_handle &from, tenfold_pair_kind kind,
                                             tenfold_dist_tensor *to, const char *name_of_to,
                                             const Work &work) noexcept {
    const auto prepare = [&]<class T>(dist_tensor<T> &) {
        require_like(from.tensor, from.name, *to, name_of_to);
        if (!tenfold::is_arithmetic(tenfold::data_type_of<T>))
            throw tenfold::error(
                tenfold::errc::type_mismatch,
                "pairs are packed of" TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_NAME_OF) " not of " +
                    std::string(name(tenfold::data_type_of<T>)),
                {.first = {.name = from.name, .type = tenfold::data_type_of<T>}});
        return kind_of(kind);
    };
    return collective_on(to, name_of_to, prepare,
                         [&]<class T>(dist_tensor<T> &own, pair_kind known) {
                             if constexpr (tenfold::element_traits<T>::is_arithmetic)
                                 work(tensor_of<T>(*from.tensor), known, own);
                         });
}

#undef TENFOLD_NAME_OF

} // namespace

tenfold_error tenfold_world_split(const tenfold_world *world, int32_t group, tenfold_world **part) {
    return make_part(world, part,
                     [&](const tenfold::world &whole) { return tenfold::split(whole, group); });
}

tenfold_error tenfold_world_split_by_node(const tenfold_world *world, tenfold_world **part) {
    return make_part(world, part, [](const tenfold::world &whole) {
        return std::optional(tenfold::split_by_node(whole));
    });
}

tenfold_error tenfold_dist_copy_to_part(const tenfold_dist_tensor *x, tenfold_dist_tensor *s) {
    return collective_on(
        x, "x",
        [&]<class T>(const dist_tensor<T> &) -> dist_tensor<T> * {
            if (s == nullptr)
                return nullptr;
            require_like(s, "s", *x, "x");
            return &std::get<dist_tensor<T>>(*s->any);
        },
        []<class T>(const dist_tensor<T> &own, dist_tensor<T> *part) {
            tenfold::copy_to_part(own, part);
        });
}

tenfold_error tenfold_dist_copy_from_part(const tenfold_dist_tensor *s, tenfold_dist_tensor *x) {
    return collective_on(
        x, "x",
        [&]<class T>(dist_tensor<T> &) -> const dist_tensor<T> * {
            if (s == nullptr)
                return nullptr;
            require_like(s, "s", *x, "x");
            return &tensor_of<T>(*s);
        },
        []<class T>(dist_tensor<T> &own, const dist_tensor<T> *part) {
            tenfold::copy_from_part(part, own);
        });
}

tenfold_error tenfold_dist_pack_pairs(const tenfold_dist_tensor *x, int32_t mode,
                                      tenfold_pair_kind kind, tenfold_dist_tensor *p) {
    return on_pairs({x, "x"}, kind, p, "p", [&](const auto &from, pair_kind known, auto &to) {
        tenfold::chem::pack_pairs(from, mode, known, to);
    });
}

tenfold_error tenfold_dist_unpack_pairs(const tenfold_dist_tensor *p, int32_t mode,
                                        tenfold_pair_kind kind, tenfold_dist_tensor *x) {
    return on_pairs({p, "p"}, kind, x, "x", [&](const auto &from, pair_kind known, auto &to) {
        tenfold::chem::unpack_pairs(from, mode, known, to);
    });
}
