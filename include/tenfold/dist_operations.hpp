// Operations on distributed tensors beside contractions: copies and sums, permuted slices,
// functions of elements and their positions, reductions, random numbers, lists of elements; and
// what programs tell each other between such calls. Link tenfold::dist.
//
// All functions here are collective: all ranks call them in the same order and with the same
// arguments, unless it says otherwise. They are checked as all collective calls are (dist.hpp): if
// ranks passed different arguments, or if one of them failed, all ranks throw the same
// tenfold::error before anything is written. Functions that write a tensor with copies leave the
// copies equal; functions that read one need copies that are (dist_tensor::refresh()). All of them
// throw errc::extent_mismatch for tensors of different extents, errc::invalid_argument for tensors
// of different worlds, and errc::out_of_memory.
//
// "Position" means the indices of an element in the whole tensor, from 0. The order of elements is
// that of a dense column-major array, mode 0 fastest, on any number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/dist_types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

// Copies and sums of tensors.

/// Collective. Y = X, for any distributions of the two. A rank receives at most its block of Y, and
/// nothing if both have the same blocks.
template <class T>
[[gnu::visibility("default")]] void copy(const dist_tensor<T> &x, dist_tensor<T> &y);

/// A tensor with a factor, which is f32 for bf16 and f16, and i32 for integers. Refers to the
/// tensor.
template <class T> class dist_term {
public:
    using factor_type = typename element_traits<T>::output;
    dist_term(factor_type factor, const dist_tensor<T> &tensor)
        : factor_(factor), tensor_(&tensor) {}

    factor_type factor() const noexcept { return factor_; }
    const dist_tensor<T> &tensor() const noexcept { return *tensor_; }

private:
    factor_type factor_;
    const dist_tensor<T> *tensor_;
};

/// Collective. D = a A + b B + .., for any distributions:
///     combine({{0.7, A}, {0.3, B}}, D);
/// D may be a term, too; its factor is applied first, the other terms are added in their order,
/// each rounded as T. So the bits depend on neither ranks nor distributions. Each sum of bf16 and
/// f16 is computed in f32 and rounded once; integers are modulo what T holds. Terms with factor 0
/// are not read; without other terms D is 0. Terms in other distributions than D's need memory for
/// one block of D, and messages as copy().
template <class T> [[gnu::visibility("default")]] void
combine(std::span<const dist_term<std::type_identity_t<T>>> terms, dist_tensor<T> &d);
template <class T>
void combine(std::initializer_list<dist_term<std::type_identity_t<T>>> terms, dist_tensor<T> &d) {
    combine<T>(std::span(terms.begin(), terms.size()), d);
}

/// Collective. Y = alpha X + Y.
template <class T>
void axpy(typename dist_term<T>::factor_type alpha, const dist_tensor<T> &x, dist_tensor<T> &y) {
    combine<T>({{typename dist_term<T>::factor_type(1), y}, {alpha, x}}, y);
}
/// Collective. X = alpha X.
template <class T> void scale(typename dist_term<T>::factor_type alpha, dist_tensor<T> &x) {
    combine<T>({{alpha, x}}, x);
}

/// Options of transpose() between slices.
struct dist_transpose_options {
    scalar alpha = 1.0;
    std::optional<scalar> beta = std::nullopt; ///< empty: 0, or 1 if the expression says "+="
};

/// Collective. Computes B[slice] = alpha A[slice], permuted, + beta B[slice]:
///     transpose("abij=baji", A, {{0, 0, 4, 4}, {9, 9, 2, 2}}, B, {{0, 0, 0, 0}, {9, 9, 2, 2}});
/// The slices are the same on all ranks. The expression permutes the labels of A; "+=", "-=" and a
/// leading scalar are allowed as in contract(), which moves whole tensors. beta = 0: the slice of B
/// is not read; alpha = 0: A is not read. A and B may be one tensor if the slices have no element
/// in common (errc::overlap). A rank receives at most its part of B's slice. Slices of bf16, f16,
/// i8 and u8 are moved as they are: other factors than alpha = 1 and beta = 0 are
/// errc::type_mismatch. Throws as tenfold::transpose() of one node does, and errc::extent_mismatch,
/// errc::order_mismatch for slices that do not fit their tensors.
template <class T> [[gnu::visibility("default")]] void
transpose(std::string_view expression, const dist_tensor<T> &a, const slice &of_a,
          dist_tensor<T> &b, const slice &of_b, const dist_transpose_options &options = {});

// Functions of elements.

/// The position of an element, as functions of elements get it.
using position_view = std::span<const index_t>;

namespace dist_impl {

template <class... T> using tensor_pointers = std::variant<const dist_tensor<T> *...>;
/// A tensor of any element type.
using any_tensor = list_of_distributed_types<tensor_pointers>;

/// Computes the elements of one block of D, dense, from those of the inputs.
using block_function = std::function<void(const slice &block, void *d, const void *const *inputs)>;
template <class T> [[gnu::visibility("default")]] void
map_blocks(dist_tensor<T> &d, std::span<const any_tensor> inputs, const block_function &compute);

/// What a function of elements returned, as an element.
template <class T, class Value> T converted(const Value &value) {
    if constexpr (element_traits<T>::is_arithmetic || element_traits<T>::is_integer)
        return static_cast<T>(value);
    else
        return static_cast<T>(static_cast<float>(value));
}

/// Calls use(i, position) for the elements of a block in their order, the i-th first.
template <class Use> void for_each_in(const slice &block, const Use &use) {
    extents_t position = block.offsets;
    const index_t size = block.size();
    const index_t row = position.empty() ? 1 : block.extents[0];
    for (index_t i = 0; i < size;) {
        for (index_t k = 0; k < row; ++k, ++i) {
            if (!position.empty())
                position[0] = block.offsets[0] + k;
            use(i, position_view(position));
        }
        for (std::size_t mode = 1; mode < position.size(); ++mode) {
            if (++position[mode] < block.offsets[mode] + block.extents[mode])
                break;
            position[mode] = block.offsets[mode];
        }
    }
}

} // namespace dist_impl

/// Collective. D = f(position, a, b, ..), element by element, from tensors of the same extents:
///     map_elements(T, [&](position_view at, double r, double t) {
///         return t + r / (occupied[at[2]] + occupied[at[3]] - virt[at[0]] - virt[at[1]]);
///     }, R, T);
/// Without inputs D is filled by position. D may be an input. Element types may differ; the result
/// is converted to D's, to bf16 and f16 from f32. f is called once for each element, on the calling
/// thread, by the rank that owns it in D's first copy; further copies receive what it returned. If
/// f throws on one rank, all ranks throw, and D is unspecified. Inputs in other distributions than
/// D's need memory for a block of D each, and messages as copy().
template <class T, class F, class... In>
requires std::is_invocable_v<const F &, position_view, In...>
void map_elements(dist_tensor<T> &d, const F &f, const dist_tensor<In> &...inputs) {
    const std::array<dist_impl::any_tensor, sizeof...(In)> given{dist_impl::any_tensor(&inputs)...};
    const auto compute = [&f](const slice &block, void *to, const void *const *from) {
        [&]<std::size_t... n>(std::index_sequence<n...>) {
            T *const out = static_cast<T *>(to);
            static_cast<void>(from); // without inputs
            dist_impl::for_each_in(block, [&](index_t i, position_view position) {
                out[i] =
                    dist_impl::converted<T>(f(position, static_cast<const In *>(from[n])[i]...));
            });
        }
        (std::index_sequence_for<In...>());
    };
    dist_impl::map_blocks(d, given, std::cref(compute));
}

// Reductions. Every rank gets the same result. Its bits depend on the elements alone, not on ranks,
// threads, distributions and copies. dist_tensor::norm() is the 2-norm; dot() is in dist.hpp.

/// Collective. Sum of all elements, with the error bound of dist_tensor::norm()'s sum.
template <class T> [[gnu::visibility("default")]] T sum(const dist_tensor<T> &x);
/// Collective. Sum of |x|, likewise.
template <class T> [[gnu::visibility("default")]] double norm1(const dist_tensor<T> &x);
/// Collective. Square root of the sum of |x|^2: x.norm().
template <class T> double norm2(const dist_tensor<T> &x) { return x.norm(); }
/// Collective. The largest |x|; NaN if an element is NaN, 0 if there are none.
template <class T> [[gnu::visibility("default")]] double norm_max(const dist_tensor<T> &x);

/// An element and where it is.
template <class T> struct dist_element {
    extents_t position;
    T value;

    friend bool operator==(const dist_element &, const dist_element &) = default;
};

namespace dist_impl {
enum class rank_by : std::uint8_t { magnitude, least, greatest };
/// Returns up to n elements, the first by this order first.
template <class T> [[gnu::visibility("default")]] std::vector<dist_element<T>>
first_elements(const dist_tensor<T> &x, index_t n, rank_by order,
               const std::function<bool(position_view)> &counts);
} // namespace dist_impl

/// Collective. The n largest elements by magnitude, the largest first. Among equal ones the element
/// that comes first in the tensor comes first; NaNs come before all numbers. Fewer if the tensor
/// has fewer. `counts`, on all ranks or on none, leaves out positions for which it returns false. A
/// rank receives n elements of each rank, so n times the number of ranks is at most 2^24
/// (errc::invalid_argument).
template <class T>
std::vector<dist_element<T>> largest(const dist_tensor<T> &x, index_t n,
                                     const std::function<bool(position_view)> &counts = nullptr) {
    return dist_impl::first_elements(x, n, dist_impl::rank_by::magnitude, counts);
}

/// Collective. The least and the greatest element of a real tensor, the first of equal ones; a NaN
/// if there is one. Throw errc::invalid_argument if there are no elements.
template <class T>
requires(!is_complex(data_type_of<T>)) dist_element<T> minimum(const dist_tensor<T> &x) {
    return std::move(dist_impl::first_elements(x, 1, dist_impl::rank_by::least, nullptr).front());
}
template <class T>
requires(!is_complex(data_type_of<T>)) dist_element<T> maximum(const dist_tensor<T> &x) {
    return std::move(
        dist_impl::first_elements(x, 1, dist_impl::rank_by::greatest, nullptr).front());
}

/// Collective. The only element of a tensor, on every rank: of order 0, or with extents of 1.
/// Throws errc::extent_mismatch for other tensors.
template <class T> [[gnu::visibility("default")]] T scalar_of(const dist_tensor<T> &x);

// Random numbers. An element is a function of the seed, of its number in the order of elements, and
// of the two other arguments: the same on any number of ranks, in any distribution. The generator
// is Philox4x32-10, counter-based and without state: Salmon, Moraes, Dror, Shaw, Parallel random
// numbers: as easy as 1, 2, 3, SC 2011. Tensors that should be independent need different seeds.

/// Collective. Uniform numbers of [low, high), in 2^53 steps, rounded to T; both parts of complex
/// ones. Other precisions have the numbers of double precision, rounded. Not for integers.
template <class T>
requires(!element_traits<T>::is_integer)
    [[gnu::visibility("default")]] void fill_uniform(dist_tensor<T> &x, std::uint64_t seed,
                                                     double low = 0, double high = 1);

/// Collective. Normal numbers, both parts of complex ones (Box and Muller 1958). The C library's
/// log(), sin() and cos() decide the last bits. Not for integers.
template <class T>
requires(!element_traits<T>::is_integer)
    [[gnu::visibility("default")]] void fill_normal(dist_tensor<T> &x, std::uint64_t seed,
                                                    double mean = 0, double deviation = 1);

// What the compiler says of others.
template <class T>
requires(element_traits<T>::is_integer) void fill_uniform(dist_tensor<T> &, std::uint64_t,
                                                          double = 0, double = 1) {
    static_assert(!element_traits<T>::is_integer, "integers are not filled with random numbers");
}
template <class T>
requires(element_traits<T>::is_integer) void fill_normal(dist_tensor<T> &, std::uint64_t,
                                                         double = 0, double = 1) {
    static_assert(!element_traits<T>::is_integer, "integers are not filled with random numbers");
}

// Elements by lists. Every rank passes a list of its own, which may be empty: the positions of n
// elements, one after the other (x.order() numbers each), and n values. Positions may repeat. Ranks
// exchange 8 bytes and a value for each element, and need memory for as much. A position outside
// the tensor is errc::invalid_argument, lists of other lengths errc::extent_mismatch.

/// Collective. Reads elements into `values`.
template <class T>
[[gnu::visibility("default")]] void read_elements(const dist_tensor<T> &x,
                                                  std::span<const index_t> positions,
                                                  std::span<std::type_identity_t<T>> values);
/// Collective. Sets elements. One that occurs several times gets the last value of the highest rank
/// that writes it.
template <class T>
[[gnu::visibility("default")]] void write_elements(dist_tensor<T> &x,
                                                   std::span<const index_t> positions,
                                                   std::span<const std::type_identity_t<T>> values);
/// Collective. Adds to elements: first the values of rank 0 in the order of its list, then those of
/// rank 1, and so on.
template <class T>
[[gnu::visibility("default")]] void add_elements(dist_tensor<T> &x,
                                                 std::span<const index_t> positions,
                                                 std::span<const std::type_identity_t<T>> values);

// Between the ranks of a program.

namespace dist_impl {

/// Memory for `count` items of any type, which may be resized.
struct resizable {
    std::function<void(std::size_t count)> resize;
    std::function<void *()> data;
    std::size_t count;
    std::size_t item_bytes;
};
void broadcast_bytes(const world &where, void *data, std::size_t size, int root);
void broadcast_resizable(const world &where, const resizable &values, int root);
void gather_bytes(const world &where, const void *mine, std::size_t size,
                  const std::function<void *()> &allocate);
void run_agreed(const world &where, const std::function<void()> &work);

/// Values that are sent as their bytes.
template <class V>
concept plain_value =
    std::is_trivially_copyable_v<V> && !std::is_pointer_v<V> && !std::ranges::view<V>;

} // namespace dist_impl

/// Collective. Runs work() on every rank. If it throws on any of them, all ranks throw the error of
/// the lowest such rank. For what ranks do by themselves, such as reading a file on one of them;
/// work() makes no collective calls:
///     agree(everyone, [&] { if (everyone.rank() == 0) list = read(file); });
template <class Work>
requires std::is_invocable_v<Work &>
void agree(const world &where, Work &&work) {
    dist_impl::run_agreed(where, [&work] { static_cast<void>(work()); });
}

/// Collective. Gives every rank the value of `root`. Throws errc::invalid_argument for a root that
/// is no rank.
template <dist_impl::plain_value V> void broadcast(const world &where, V &value, int root) {
    dist_impl::broadcast_bytes(where, &value, sizeof value, root);
}
/// Collective. The same for arrays of one length on all ranks.
template <dist_impl::plain_value V>
void broadcast(const world &where, std::span<V> values, int root) {
    dist_impl::broadcast_bytes(where, values.data(), values.size_bytes(), root);
}
/// Collective. The same for vectors and strings, which get the length of the root's.
template <dist_impl::plain_value V>
requires(!std::is_same_v<V, bool>) void broadcast(const world &where, std::vector<V> &values,
                                                  int root) {
    dist_impl::broadcast_resizable(where,
                                   {[&](std::size_t count) { values.resize(count); },
                                    [&] { return static_cast<void *>(values.data()); },
                                    values.size(), sizeof(V)},
                                   root);
}
inline void broadcast(const world &where, std::string &text, int root) {
    dist_impl::broadcast_resizable(where,
                                   {[&](std::size_t count) { text.resize(count); },
                                    [&] { return static_cast<void *>(text.data()); }, text.size(),
                                    1},
                                   root);
}

/// Collective. Returns the values of all ranks, in the order of the ranks.
template <dist_impl::plain_value V>
requires(!std::is_same_v<V, bool>) std::vector<V> all_gather(const world &where, const V &mine) {
    std::vector<V> all;
    dist_impl::gather_bytes(where, &mine, sizeof mine, [&] {
        all.resize(static_cast<std::size_t>(where.size()));
        return static_cast<void *>(all.data());
    });
    return all;
}
/// Collective. The same for arrays of one length on all ranks: those of rank 0, then those of rank
/// 1, and so on.
template <dist_impl::plain_value V>
requires(!std::is_same_v<V, bool>) std::vector<V> all_gather(const world &where,
                                                             std::span<const V> mine) {
    std::vector<V> all;
    dist_impl::gather_bytes(where, mine.data(), mine.size_bytes(), [&] {
        all.resize(mine.size() * static_cast<std::size_t>(where.size()));
        return static_cast<void *>(all.data());
    });
    return all;
}

} // namespace tenfold
