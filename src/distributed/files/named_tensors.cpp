#include "distributed/files/named_tensors.hpp"

#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

void check_alike(const std::string &file, const stored_tensor &stored, data_type type,
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

} // namespace tenfold::dist_impl
