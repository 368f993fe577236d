#include "reproducible/isolated_sum.hpp"

#include <array>

#include "reproducible/finish.hpp"

namespace tenfold::reproducible_impl {

template <class T>
isolated_sum<T>::isolated_sum(const einsum_impl::labelled_problem &problem,
                              einsum_impl::tensor_id input, data_type type, extents_t extents,
                              const extents_t &strides, int threads, const context &ctx,
                              tile_budget budget)
    : threads_(threads), what_(problem, input, type),
      box_(label_box::whole(what_)), from_{0, strides, size_of(type)},
      sum_(what_, threads, ctx, budget) {
    std::copy(extents.begin(), extents.end(), box_.extents.begin());
    for (std::size_t label = 0; label < extents.size(); ++label) {
        const bool stays = what_.labels()[label].group == label_class::m;
        strides_.push_back(stays ? size_ : 0);
        size_ *= stays ? extents[label] : 1;
    }
    sum_.prepare(box_, from_, {});
}

template <class T>
status isolated_sum<T>::run(const void *input, T *to, std::span<std::byte> workspace) const {
    const summand none;
    const auto keep = [&](const label_box &tile, T *sum, numbers strides) {
        std::array<index_t, label_box::most> extents;
        index_t at = 0;
        for (std::size_t label = 0; label < strides_.size(); ++label) {
            const bool stays = what_.labels()[label].group == label_class::m;
            extents[label] = stays ? tile.extents[label] : 1;
            at += tile.offsets[label] * strides_[label];
        }
        finish<T>(numbers(extents).first(strides_.size()), T(1), sum, strides, T(0), to + at,
                  strides_, threads_);
    };
    return sum_.run(box_, {from_, input}, {none, nullptr}, workspace, std::ref(keep));
}

#define TENFOLD_INSTANTIATE(T, name) template class isolated_sum<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::reproducible_impl
