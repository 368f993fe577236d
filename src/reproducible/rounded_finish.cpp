#include "reproducible/rounded_finish.hpp"

#include <array>
#include <cstdlib>

#include "base/scalars.hpp"
#include "base/with_type.hpp"
#include "einsum/problem/checks.hpp"
#include "reproducible/shares.hpp"

namespace tenfold::reproducible_impl {
namespace {

template <class T, class Stored> T widen(Stored value) noexcept {
    if constexpr (element_traits<T>::is_complex && !element_traits<Stored>::is_complex)
        return T(static_cast<typename T::value_type>(
            static_cast<typename element_traits<Stored>::output>(value)));
    else
        return static_cast<T>(static_cast<typename element_traits<Stored>::output>(value));
}

template <class Stored, class T> Stored rounded(T value) noexcept {
    if constexpr (element_traits<T>::is_complex)
        return Stored(static_cast<typename Stored::value_type>(value.real()),
                      static_cast<typename Stored::value_type>(value.imag()));
    else
        return base::round_once<Stored>(value);
}

/// One box, for known types of C and D.
template <class T, class OfC, class OfD> class rounded_box {
public:
    rounded_box(const update_terms<T> &terms, const rounded_output &to) noexcept
        : terms_(terms), to_(to), c_(static_cast<const OfC *>(terms.c)),
          d_(static_cast<OfD *>(to.d)) {}

    /// From the box's corner at `offset` on.
    void write(numbers extents, std::size_t offset_mode, index_t offset) const noexcept {
        std::size_t inner = 0;
        for (std::size_t k = 0; k < extents.size(); ++k) {
            if (extents[k] == 0)
                return;
            const bool is_nearer = std::abs(to_.strides[k]) < std::abs(to_.strides[inner]);
            if (extents[k] > 1 && (extents[inner] == 1 || is_nearer))
                inner = k;
        }
        place at;
        if (offset > 0)
            at.step(*this, offset_mode, offset);
        if (extents.empty())
            return element(at);
        std::array<index_t, 2 * einsum_impl::max_modes> position{};
        while (true) {
            place one = at;
            for (index_t i = 0; i < extents[inner]; ++i, one.step(*this, inner, 1))
                element(one);
            std::size_t k = 0;
            for (; k < extents.size(); ++k) {
                if (k == inner)
                    continue;
                at.step(*this, k, 1);
                if (++position[k] < extents[k])
                    break;
                at.step(*this, k, -extents[k]);
                position[k] = 0;
            }
            if (k == extents.size())
                return;
        }
    }

private:
    struct place {
        index_t sum = 0, c = 0, d = 0;
        void step(const rounded_box &box, std::size_t mode, index_t by) noexcept {
            if (box.terms_.sum != nullptr)
                sum += by * box.terms_.strides[mode];
            if (box.terms_.beta != T(0))
                c += by * box.terms_.strides_of_c[mode];
            d += by * box.to_.strides[mode];
        }
    };

    static T scaled(T factor, T value) noexcept { return factor == T(1) ? value : factor * value; }

    void element(const place &at) const noexcept {
        T value(0);
        if (terms_.beta != T(0))
            value = scaled(terms_.beta, base::op(widen<T>(c_[at.c]), terms_.conjugate_c));
        if (terms_.sum != nullptr) {
            const T product = scaled(terms_.alpha, terms_.sum[at.sum]);
            value = terms_.beta != T(0) ? product + value : product;
        }
        d_[at.d] = rounded<OfD>(value);
    }

    const update_terms<T> &terms_;
    const rounded_output &to_;
    const OfC *c_;
    OfD *d_;
};

} // namespace

template <class T> void finish_rounded(numbers extents, const update_terms<T> &terms,
                                       const rounded_output &to, int threads) noexcept {
    base::with_type(to.type, [&]<class OfD>(OfD) {
        if constexpr (element_traits<OfD>::is_complex == element_traits<T>::is_complex)
            base::with_type(terms.type_of_c, [&]<class OfC>(OfC) {
                if constexpr (converts_exactly(data_type_of<OfC>, data_type_of<T>)) {
                    const rounded_box<T, OfC, OfD> box(terms, to);
                    share(extents, threads, [&](numbers own, std::size_t mode, index_t from) {
                        box.write(own, mode, from);
                    });
                }
            });
    });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void finish_rounded(numbers, const update_terms<T> &, const rounded_output &,         \
                                 int) noexcept;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::reproducible_impl
