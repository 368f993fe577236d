// The elements of the server's tensors on this rank, by the tensors' ids.
#pragma once

#include <cstdint>
#include <map>
#include <variant>

#include <tenfold/dist.hpp>

namespace tenfold::server {

class tensor_store {
public:
    template <class T> void keep(std::uint64_t id, dist_tensor<T> tensor) {
        tensors_.insert_or_assign(id, any_tensor(std::move(tensor)));
    }
    void drop(std::uint64_t id) { tensors_.erase(id); }
    /// Throws std::logic_error if there is no such tensor of this type.
    template <class T> dist_tensor<T> &edit(std::uint64_t id) {
        const auto found = tensors_.find(id);
        auto *tensor =
            found == tensors_.end() ? nullptr : std::get_if<dist_tensor<T>>(&found->second);
        if (tensor == nullptr)
            throw std::logic_error("a command names a tensor that is not there");
        return *tensor;
    }
    template <class T> const dist_tensor<T> &get(std::uint64_t id) const {
        return const_cast<tensor_store *>(this)->edit<T>(id);
    }

private:
    template <class... T> using variant_of = std::variant<dist_tensor<T>...>;
    using any_tensor = list_of_arithmetic_types<variant_of>;

    std::map<std::uint64_t, any_tensor> tensors_;
};

} // namespace tenfold::server
