// Tensors that are saved to files, or loaded from them, under names.
#pragma once

#include <type_traits>
#include <utility>

#include <tenfold/dist_files.hpp>
#include <tenfold/error.hpp>

#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

template <class Pointer> using element_of =
    std::remove_const_t<std::remove_pointer_t<decltype(std::declval<Pointer>()->data())>>;

inline std::string quoted(const std::string &name) { return "tensor '" + name + "'"; }

inline void check_world(const world &ranks, const std::string &name, const world &owner) {
    if (!(ranks == owner))
        throw error(errc::invalid_argument, quoted(name) + " belongs to another world");
}

/// Throws errc::type_mismatch, order_mismatch or extent_mismatch if `stored` differs from the
/// arguments.
inline void check_alike(const std::string &file, const stored_tensor &stored, data_type type,
                        const extents_t &extents) {
    const auto reject = [&](errc code, const std::string &there, const std::string &here) {
        throw error(code, "'" + file + "': " + quoted(stored.name) + " has " + there +
                              " in the file, " + here + " in memory");
    };
    if (stored.type != type)
        reject(errc::type_mismatch, "type " + std::string(name(stored.type)),
               std::string(name(type)));
    if (stored.extents.size() != extents.size())
        reject(errc::order_mismatch, "order " + std::to_string(stored.extents.size()),
               std::to_string(extents.size()));
    if (stored.extents != extents)
        reject(errc::extent_mismatch, "extents " + list(stored.extents), list(extents));
}

/// Calls use(tensor, i) for each tensor; its bytes are its share of the watched work.
template <class Named, class Use>
void for_each_watched(const std::vector<Named> &tensors, const Use &use) {
    const auto bytes_of = [](const Named &one) {
        return std::visit(
            [](auto *tensor) {
                double size = sizeof(element_of<decltype(tensor)>);
                for (const index_t extent : tensor->extents())
                    size *= static_cast<double>(extent);
                return size;
            },
            one.tensor);
    };
    double all = 1;
    for (const Named &one : tensors)
        all += bytes_of(one);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const base::work_part part(bytes_of(tensors[i]) / all);
        std::visit([&](auto *tensor) { use(*tensor, i); }, tensors[i].tensor);
    }
}

/// Describes saving or loading, for the ranks to compare. Whether the tensors belong to the world
/// is checked later.
template <class Named>
void describe(call_description &call, const std::string &file, const std::vector<Named> &tensors) {
    call.add_quoted("file", file);
    std::string names;
    for (const Named &one : tensors)
        names += (names.empty() ? "'" : ", '") + one.name + "'";
    call.add("tensors", names);
    for (const Named &one : tensors)
        std::visit(
            [&](auto *tensor) {
                call.add("type of " + quoted(one.name),
                         name(data_type_of<element_of<decltype(tensor)>>));
                call.add(quoted(one.name), *tensor);
            },
            one.tensor);
}

} // namespace tenfold::dist_impl
