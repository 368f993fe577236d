// The largest and smallest elements, and the only one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "base/scalar_of.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/magnitude.hpp"
#include "distributed/exchange/own_share.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/element_numbers.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

index_t size_of_whole(const extents_t &extents) { return layout(extents).size(); }

/// An element as ranks exchange it. Of two, the one with the larger key comes first.
template <class T> struct candidate {
    double key = 0;
    index_t number = -1; ///< -1: none
    T value{};
};

template <class T> bool comes_first(const candidate<T> &one, const candidate<T> &other) noexcept {
    if (one.number < 0 || other.number < 0)
        return other.number < 0 && one.number >= 0;
    const bool is_nan = std::isnan(one.key);
    if (is_nan != std::isnan(other.key))
        return is_nan;
    if (!is_nan && one.key != other.key)
        return one.key > other.key;
    return one.number < other.number;
}

template <class T> double key_of(T value, rank_by order) noexcept {
    if (order == rank_by::magnitude)
        return magnitude(value);
    if constexpr (is_complex(data_type_of<T>)) // complex numbers have no order, and no caller
        return 0;
    else
        return order == rank_by::least ? -base::real_value(value) : base::real_value(value);
}

/// Keeps the first n of the candidates that it is shown.
template <class T> class first_ones {
public:
    explicit first_ones(index_t n) : most_(static_cast<std::size_t>(n)) { kept_.reserve(most_); }

    /// Returns true if an element with this key may be one of them.
    bool may_keep(double key) const noexcept {
        return kept_.size() < most_ || (most_ > 0 && !(key < kept_.front().key));
    }
    /// Only of one that may be kept.
    void show(const candidate<T> &one) noexcept {
        if (kept_.size() == most_) {
            if (!comes_first(one, kept_.front()))
                return;
            std::pop_heap(kept_.begin(), kept_.end(), comes_first<T>);
            kept_.pop_back();
        }
        kept_.push_back(one); // there is memory
        std::push_heap(kept_.begin(), kept_.end(), comes_first<T>);
    }
    /// Fills up with none.
    std::vector<candidate<T>> &padded() noexcept {
        kept_.resize(most_);
        return kept_;
    }

private:
    std::size_t most_;
    std::vector<candidate<T>> kept_; ///< a heap, the last one at its front
};

/// Finds the first elements of this rank's share.
template <class T> void find_first(const dist_tensor<T> &x, rank_by order,
                                   const std::function<bool(position_view)> &counts,
                                   first_ones<T> &found) {
    const element_numbers numbers(x.extents(), x.local_slice());
    const base::range mine = own_share(x);
    const T *const elements = x.data();
    extents_t position(x.extents().size());
    for (index_t i = mine.begin; i < mine.end; ++i) {
        const double key = key_of(elements[i], order);
        if (!found.may_keep(key))
            continue;
        const index_t number = numbers.of(i);
        if (counts) {
            set_position(number, x.extents(), position);
            if (!counts(position))
                continue;
        }
        found.show({key, number, elements[i]});
    }
}

void check_count(index_t n, index_t ranks) {
    constexpr index_t most = index_t{1} << 24;
    if (n < 0)
        throw error(errc::invalid_argument, std::to_string(n) + " elements; 0 is the least");
    if (n > most / ranks)
        throw error(errc::invalid_argument, std::to_string(n) + " elements of each of " +
                                                std::to_string(ranks) +
                                                " ranks; 2^24 of all ranks together is the most");
}

} // namespace

namespace dist_impl {

template <class T>
std::vector<dist_element<T>> first_elements(const dist_tensor<T> &x, index_t n, rank_by order,
                                            const std::function<bool(position_view)> &counts) {
    communicator &comm = communicator_of(x.owner());
    constexpr const char *operations[] = {"largest", "minimum", "maximum"};
    const char *const operation = operations[static_cast<std::size_t>(order)];
    const traced_call traced(comm, operation);
    const auto describe = [&](call_description &call) {
        on_tensor(x)(call);
        call.add("number of elements", n).add("positions that count", counts ? "some" : "all");
    };
    std::optional<first_ones<T>> found;
    std::vector<candidate<T>> all;
    std::vector<dist_element<T>> result;
    index_t kept = 0;
    collectively(comm, operation, describe, [&] {
        tensor_access::check_copies(x, "the tensor");
        kept = std::min(n, size_of_whole(x.extents()));
        check_count(kept, comm.size());
        if (kept == 0 && order != rank_by::magnitude)
            throw error(errc::invalid_argument,
                        "the " + std::string(operation) + " of a tensor without elements");
        found.emplace(kept);
        find_first(x, order, counts, *found);
        const index_t gathered = kept * comm.size();
        all.resize(static_cast<std::size_t>(gathered));
        comm.prepare_control(gathered * static_cast<index_t>(sizeof(candidate<T>)));
        result.assign(static_cast<std::size_t>(kept),
                      dist_element<T>{extents_t(x.extents().size()), T{}});
    });
    if (kept == 0)
        return result;
    comm.all_gather(found->padded().data(), kept * static_cast<index_t>(sizeof(candidate<T>)),
                    all.data());
    std::partial_sort(all.begin(), all.begin() + kept, all.end(), comes_first<T>);
    std::size_t there = 0;
    for (; there < result.size() && all[there].number >= 0; ++there) {
        set_position(all[there].number, x.extents(), result[there].position);
        result[there].value = all[there].value;
    }
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(there), result.end());
    return result;
}

} // namespace dist_impl

template <class T> double norm_max(const dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "norm_max");
    collectively(comm, "norm_max", on_tensor(x),
                 [&] { tensor_access::check_copies(x, "the tensor"); });
    const base::range mine = own_share(x);
    double most = 0;
    bool any_nan = false;
    for (index_t i = mine.begin; i < mine.end; ++i) {
        const double size = magnitude(x.data()[i]);
        most = std::max(most, size);
        any_nan = any_nan || std::isnan(size);
    }
    if (any_nan)
        most = std::numeric_limits<double>::quiet_NaN();
    // The bits of numbers that are not negative are in the order of the numbers, NaN last.
    const std::array mine_as_bits{std::bit_cast<std::uint64_t>(most)};
    std::array<std::uint64_t, 1> of_all{};
    comm.maximum(mine_as_bits, of_all);
    return std::bit_cast<double>(of_all[0]);
}

template <class T> T scalar_of(const dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "scalar_of");
    int root = 0;
    collectively(comm, "scalar_of", on_tensor(x), [&] {
        tensor_access::check_copies(x, "the tensor");
        if (size_of_whole(x.extents()) != 1)
            throw error(errc::extent_mismatch,
                        "a tensor with extents " + list(x.extents()) + " is read as a number");
        root = x.distribution().owner(extents_t(x.extents().size(), 0));
    });
    T value = comm.rank() == root ? *x.data() : T{};
    comm.broadcast(&value, sizeof value, root);
    return value;
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template std::vector<dist_element<T>> dist_impl::first_elements(                               \
        const dist_tensor<T> &, index_t, rank_by, const std::function<bool(position_view)> &);     \
    template double norm_max(const dist_tensor<T> &);                                              \
    template T scalar_of(const dist_tensor<T> &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
