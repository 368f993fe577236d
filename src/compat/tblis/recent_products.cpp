#include "compat/tblis/recent_products.hpp"

#include <algorithm>
#include <utility>

namespace tenfold::tblis_impl {
namespace {

/// The places of one thread.
class recent_products {
public:
    static constexpr int log_places = 4;

    ~recent_products() { are_gone() = true; }

    /// A trivial type, so that it can be read after the table was destroyed.
    static bool &are_gone() noexcept {
        static thread_local bool gone = false;
        return gone;
    }

    std::array<recent_product, std::size_t{1} << log_places> places;
};

} // namespace

std::uint64_t product_call::hash() const noexcept {
    // The multiplications of a mode do not wait for one another, nor for those of other modes.
    std::uint64_t sum = static_cast<std::uint64_t>(threads);
    for (const tensor &one : tensors) {
        sum = sum * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(one.head());
        for (unsigned mode = 0; mode < one.view->ndim; ++mode)
            sum = sum * 0x9e3779b97f4a7c15u +
                  static_cast<std::uint64_t>(one.view->len[mode]) * 0xbf58476d1ce4e5b9u +
                  static_cast<std::uint64_t>(one.view->stride[mode]) * 0x94d049bb133111ebu +
                  static_cast<unsigned char>(one.labels[mode]);
    }
    return (sum ^ sum >> 32) * 0x9e3779b97f4a7c15u;
}

recent_product *recent_product::place_of(std::uint64_t hash) noexcept {
    if (recent_products::are_gone())
        return nullptr;
    thread_local recent_products mine;
    return &mine.places[hash >> (64 - recent_products::log_places)];
}

const contraction_plan *recent_product::find(const product_call &call) noexcept {
    if (!plan_)
        return nullptr;
    const index_t *known = key_.data();
    if (*known++ != call.threads)
        return nullptr;
    for (const product_call::tensor &one : call.tensors) {
        if (*known++ != one.head())
            return nullptr;
        index_t differences = 0;
        for (unsigned mode = 0; mode < one.view->ndim; ++mode, known += 3)
            differences |= (known[0] ^ one.view->len[mode]) | (known[1] ^ one.view->stride[mode]) |
                           (known[2] ^ one.labels[mode]);
        if (differences != 0)
            return nullptr;
    }
    calls_of_next_ = 0;
    return &*plan_;
}

bool recent_product::is_due(std::uint64_t hash) noexcept {
    if (next_ != hash)
        calls_of_next_ = 0;
    next_ = hash;
    calls_of_next_ = std::min(calls_of_next_ + 1, calls_before + 1); // due once
    return calls_of_next_ == calls_before;
}

void recent_product::keep(const product_call &call, contraction_plan plan) {
    std::vector<index_t> key{call.threads};
    for (const product_call::tensor &one : call.tensors) {
        key.push_back(one.head());
        for (unsigned mode = 0; mode < one.view->ndim; ++mode)
            key.insert(key.end(), {one.view->len[mode], one.view->stride[mode], one.labels[mode]});
    }
    key_ = std::move(key);
    plan_ = std::move(plan);
}

} // namespace tenfold::tblis_impl
