#include "reproducible/leaf_sum.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "base/cut.hpp"
#include "base/footprint.hpp"
#include "base/work.hpp"

namespace tenfold::reproducible_impl {
namespace {

/// Up to this many elements of a tile, all of its leaves' products are kept at the same time.
constexpr index_t small_tile = 64;

int bits_of(index_t n) noexcept {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
}

/// Computes sum += other.
template <class T> void add(T *sum, const T *other, index_t n, int threads) noexcept {
    constexpr index_t worth_a_thread = 1 << 15;
    const auto team = static_cast<int>(std::clamp<index_t>(n / worth_a_thread, 1, threads));
    base::run_parallel(team, [&](base::team_member me) {
        const base::range mine = base::split(n, me.size(), me.id());
        for (index_t i = mine.begin; i < mine.end; ++i)
            sum[i] += other[i];
    });
}

extents_t extents_of(const label_box &box, const summation &sum) {
    return {box.extents.begin(),
            box.extents.begin() + static_cast<std::ptrdiff_t>(sum.labels().size())};
}

} // namespace

template <class T>
leaf_sum<T>::leaf_sum(const summation &sum, int threads, const context &ctx, tile_budget budget)
    : sum_(sum), threads_(threads), ctx_(ctx), budget_(budget) {}

/// Halves first along batch labels, which costs nothing, then along labels of the operand that is
/// too large.
template <class T> std::size_t leaf_sum<T>::halved_label(const label_box &box) const noexcept {
    const index_t batch = box.size_of(sum_, label_class::batch);
    const index_t m = box.size_of(sum_, label_class::m);
    const index_t n = box.size_of(sum_, label_class::n);
    const index_t k = std::max<index_t>(1, sum_.largest_leaf());
    const bool large_a = batch * m > budget_.copies / k;
    const bool large_b = sum_.kind().has_b && batch * n > budget_.copies / k;
    const bool large_d = batch * m * n > budget_.sums / bits_of(sum_.leaves().count());
    label_class group = label_class::batch;
    if (batch == 1 || !(large_a || large_b || large_d)) {
        if (large_d && m * n > 1)
            group = m >= n ? label_class::m : label_class::n;
        else if (large_a && m > 1)
            group = label_class::m;
        else if (large_b && n > 1)
            group = label_class::n;
        else
            return none;
    }
    std::size_t longest = none;
    for (const std::size_t label : sum_.group(group)) // of equal ones the last, mostly the slowest
        if (longest == none || box.extents[label] >= box.extents[longest])
            longest = label;
    return longest;
}

template <class T> template <class Use>
void leaf_sum<T>::for_both_halves(label_box &box, std::size_t label, const Use &use) {
    const index_t offset = box.offsets[label];
    const index_t extent = box.extents[label];
    for (const index_t half : {0, 1}) {
        const index_t begin = base::cut(extent, half, 2);
        box.offsets[label] = offset + begin;
        box.extents[label] = base::cut(extent, half + 1, 2) - begin;
        use(box);
    }
    box.offsets[label] = offset;
    box.extents[label] = extent;
}

template <class T> template <class Use>
void leaf_sum<T>::for_each_tile(label_box &box, const Use &use) const {
    if (const std::size_t label = halved_label(box); label != none)
        for_both_halves(box, label, [&](label_box &half) { for_each_tile(half, use); });
    else
        use(box);
}

template <class T> auto leaf_sum<T>::cuts_of(const label_box &tile) const noexcept -> leaf_cuts {
    __extension__ using wide = __int128;
    leaf_cuts cuts;
    for (const auto &[label, parts] : sum_.cuts()) {
        const index_t extent = sum_.labels()[label].extent;
        const auto part_at = [&](index_t position) { // the first part that begins at `position` or
                                                     // later
            return extent == 0
                       ? index_t{0}
                       : static_cast<index_t>((wide{position} * parts + extent - 1) / extent);
        };
        const index_t begin = tile.offsets[label];
        const index_t first = part_at(begin);
        const index_t count = std::max<index_t>(1, part_at(begin + tile.extents[label]) - first);
        cuts.all[cuts.size++] = {label, extent, parts, first, count};
        cuts.leaves *= count;
    }
    return cuts;
}

template <class T> template <class Use>
void leaf_sum<T>::for_each_leaf(const label_box &tile, base::range which, const Use &use) const {
    const leaf_cuts cuts = cuts_of(tile);
    label_box box = tile;
    for (index_t leaf = which.begin; leaf < which.end; ++leaf) {
        index_t rest = leaf;
        for (std::size_t i = 0; i < cuts.size; ++i) {
            const leaf_cut &one = cuts.all[i];
            const index_t part = one.first + rest % one.count;
            rest /= one.count;
            box.offsets[one.label] = base::cut(one.extent, part, one.parts);
            box.extents[one.label] =
                base::cut(one.extent, part + 1, one.parts) - box.offsets[one.label];
        }
        use(leaf, box);
    }
}

template <class T> product_loops leaf_sum<T>::loops_of(const label_box &leaf, const summand &a,
                                                       const summand &b) const {
    product_loops loops;
    for (const label_class which : einsum_impl::product_classes) {
        auto &group = loops.groups[static_cast<std::size_t>(which)];
        for (const std::size_t label : sum_.group(which)) {
            group.extents.push_back(leaf.extents[label]);
            group.strides[0].push_back(a.strides[label]);
            group.strides[1].push_back(b.strides.empty() ? 0 : b.strides[label]);
        }
    }
    return loops;
}

template <class T> bool leaf_sum<T>::has_shape(const planned &one, const label_box &leaf,
                                               const summand &a, const summand &b) const noexcept {
    const auto labels = static_cast<std::ptrdiff_t>(sum_.labels().size());
    const auto shape = one.shape.begin();
    return std::equal(shape, shape + labels, leaf.extents.begin()) &&
           std::equal(a.strides.begin(), a.strides.end(), shape + labels) &&
           std::equal(b.strides.begin(), b.strides.end(), shape + 2 * labels);
}

template <class T>
void leaf_sum<T>::set_strides(const label_box &tile, std::span<index_t> strides) const noexcept {
    index_t stride = 1;
    for (const label_class group : {label_class::m, label_class::n, label_class::batch})
        for (const std::size_t label : sum_.group(group)) {
            strides[label] = stride;
            stride *= tile.extents[label];
        }
}

template <class T> bool leaf_sum<T>::is_small(const label_box &tile) const noexcept {
    return sum_.kind().form == product_form::dots && tile.output_size(sum_) <= small_tile;
}

template <class T> const matrix_product<T> *
leaf_sum<T>::product_of(const label_box &leaf, const summand &a, const summand &b) const noexcept {
    for (const planned &one : products_)
        if (has_shape(one, leaf, a, b))
            return &one.product;
    return nullptr;
}

template <class T>
void leaf_sum<T>::prepare(const label_box &box, const summand &a, const summand &b) {
    if (box.output_size(sum_) == 0)
        return;
    label_box part = box;
    known_boxes known; // there may be millions of tiles, of few different shapes
    seconds_ += prepare(part, a, b, known);
}

template <class T> double leaf_sum<T>::prepare(label_box &box, const summand &a, const summand &b,
                                               known_boxes &known) {
    const extents_t extents = extents_of(box, sum_);
    if (const auto found = known.find(extents); found != known.end())
        return found->second;
    double seconds = 0;
    if (const std::size_t label = halved_label(box); label != none)
        for_both_halves(box, label,
                        [&](label_box &half) { seconds += prepare(half, a, b, known); });
    else
        seconds = prepare_tile(box, a, b);
    return known[extents] = seconds;
}

template <class T>
double leaf_sum<T>::prepare_tile(const label_box &tile, const summand &a, const summand &b) {
    const bool together = is_small(tile);
    const int threads = together ? 1 : threads_;
    const index_t leaves = cuts_of(tile).leaves;
    index_t each = 0;
    double seconds = 0;
    for_each_leaf(tile, {0, leaves}, [&](index_t, const label_box &leaf) {
        const matrix_product<T> *product = product_of(leaf, a, b);
        if (product == nullptr) {
            planned one{extents_of(leaf, sum_),
                        matrix_product<T>(sum_.kind(), loops_of(leaf, a, b), threads, ctx_)};
            one.shape.insert(one.shape.end(), a.strides.begin(), a.strides.end());
            one.shape.insert(one.shape.end(), b.strides.begin(), b.strides.end());
            products_.push_back(std::move(one));
            product = &products_.back().product;
        }
        each = std::max(each, product->workspace_size());
        seconds += product->seconds();
    });
    const index_t size = tile.output_size(sum_) * static_cast<index_t>(sizeof(T));
    const index_t needed = together ? base::aligned_bytes(leaves * size) + threads_ * each
                                    : bits_of(leaves) * base::aligned_bytes(size) + each;
    workspace_size_ = std::max(workspace_size_, needed);
    return seconds;
}

template <class T> std::string leaf_sum<T>::describe() const {
    return products_.empty() ? "nothing to sum" : products_.front().product.describe();
}

template <class T> std::size_t leaf_sum<T>::footprint() const noexcept {
    std::size_t sum = sizeof *this + base::allocated_by(products_);
    for (const planned &one : products_)
        sum += base::allocated_by(one.shape) + one.product.footprint() - sizeof one.product;
    return sum;
}

template <class T> status leaf_sum<T>::run(const label_box &box, located a, located b,
                                           std::span<std::byte> workspace,
                                           const use_tile &use) const {
    status result;
    if (box.output_size(sum_) == 0)
        return result;
    std::array<index_t, label_box::most> memory{}; // 0 for labels of k
    const std::span strides(memory.data(), sum_.labels().size());
    const auto all = static_cast<double>(box.output_size(sum_));
    label_box part = box;
    for_each_tile(part, [&](const label_box &tile) {
        if (base::work_part::stops())
            return;
        const base::work_part share(static_cast<double>(tile.output_size(sum_)) / all);
        T *sum = nullptr;
        const status one = is_small(tile) ? add_small(tile, a, b, workspace, sum)
                                          : add_large(tile, a, b, workspace, sum);
        if (!one.ok())
            result = one;
        set_strides(tile, strides);
        use(tile, sum, strides);
    });
    return result;
}

/// Computes one leaf's product after the other, each with all threads.
template <class T> status leaf_sum<T>::add_large(const label_box &tile, located a, located b,
                                                 std::span<std::byte> workspace, T *&sum) const {
    const index_t size = tile.output_size(sum_);
    const index_t leaves = cuts_of(tile).leaves;
    base::arena memory(workspace);
    std::array<T *, 64> sums;
    for (int level = 0; level < bits_of(leaves); ++level)
        sums[static_cast<std::size_t>(level)] = memory.take<T>(size);
    sum = sums[0];
    status result;
    // A binary counter: each digit that is 1 stands for a node that waits for its neighbour.
    std::size_t waiting = 0;
    for_each_leaf(tile, {0, leaves}, [&](index_t i, const label_box &leaf) {
        if (base::work_part::stops())
            return;
        const base::work_part share(1 / static_cast<double>(leaves));
        const status one = product_of(leaf, a.where, b.where)
                               ->run(a.at(leaf), b.at(leaf), sums[waiting], memory.rest());
        if (!one.ok())
            result = one;
        for (int j = std::countr_one(static_cast<std::uint64_t>(i)); j > 0; --j, --waiting)
            add(sums[waiting - 1], sums[waiting], size, threads_);
        ++waiting;
    });
    return result;
}

/// Computes the products of all leaves, shared by the threads, before adding any of them.
template <class T> status leaf_sum<T>::add_small(const label_box &tile, located a, located b,
                                                 std::span<std::byte> workspace, T *&sum) const {
    const index_t leaves = cuts_of(tile).leaves;
    const index_t size = tile.output_size(sum_);
    index_t each = 0;
    for_each_leaf(tile, {0, leaves}, [&](index_t, const label_box &leaf) {
        each = std::max(each, product_of(leaf, a.where, b.where)->workspace_size());
    });
    base::arena memory(workspace);
    sum = memory.take<T>(leaves * size);
    const std::span<std::byte> rest = memory.rest();
    const auto team = static_cast<int>(std::min<index_t>(leaves, threads_));
    std::atomic<bool> failed = false;
    base::run_parallel(team, [&](base::team_member me) {
        const auto own =
            rest.subspan(static_cast<std::size_t>(me.id() * each), static_cast<std::size_t>(each));
        const base::range mine = base::split(leaves, me.size(), me.id());
        for_each_leaf(tile, mine, [&](index_t i, const label_box &leaf) {
            if (base::work_part::stops())
                return;
            const base::work_part share(1 / static_cast<double>(leaves));
            const matrix_product<T> *product = product_of(leaf, a.where, b.where);
            if (!product->run(a.at(leaf), b.at(leaf), sum + i * size, own).ok())
                failed = true;
        });
    });
    for (index_t distance = 1; distance < leaves; distance *= 2)
        for (index_t i = 0; i + distance < leaves; i += 2 * distance)
            for (index_t j = 0; j < size; ++j)
                sum[i * size + j] += sum[(i + distance) * size + j];
    return failed ? status(errc::out_of_memory) : status();
}

#define TENFOLD_INSTANTIATE(T, name) template class leaf_sum<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::reproducible_impl
