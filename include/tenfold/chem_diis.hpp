// Direct inversion in the iterative subspace (P. Pulay, Chem. Phys. Lett. 73, 393 (1980)): of the
// last iterations the combination whose error is smallest. For coupled-cluster amplitudes see G. E.
// Scuseria, T. J. Lee, H. F. Schaefer, ibid. 130, 236 (1986).
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

namespace [[gnu::visibility("default")]] tenfold {
namespace chem {

/// Solves A x = b by elimination with pivoting; A is dense, symmetric, row-major n x n. Returns an
/// empty vector if a pivot is at most 1e-14 of A's largest element, which is singular to working
/// precision. O(n^3).
std::vector<double> solve_symmetric(std::vector<double> a, std::vector<double> b);

/// The inner products of the errors that are kept, and the coefficients that follow from them.
/// Vectors themselves are the caller's, who stores each under a number, its place.
class diis_subspace {
public:
    /// Keeps up to `most` vectors, at least 1. Throws errc::invalid_argument.
    explicit diis_subspace(int most);

    int size() const noexcept { return static_cast<int>(entries_.size()); }
    /// The places of the vectors that are kept, oldest first.
    std::vector<int> places() const;

    /// Returns the place of the next vector, which add() adds: that of the oldest, which is
    /// forgotten, if there are `most`; else one that no vector has.
    int make_room();
    /// Adds the vector at `place`. `products` are the inner products of its error with those of
    /// places(), oldest first, and with itself. Throws errc::invalid_argument for another number.
    void add(int place, std::vector<double> products);
    /// Forgets the oldest vector and returns its place. There must be one.
    int forget_oldest();

    /// The coefficients c of places() that minimise |sum c_k e_k|^2 subject to sum c_k = 1. Empty
    /// if the errors are linearly dependent to working precision, or if a product is no positive
    /// number where it should be; forget_oldest() then and ask again.
    std::vector<double> coefficients() const;

    /// What restore() needs, beside the vectors: the products of each error with the earlier ones
    /// and itself, oldest first.
    std::vector<std::vector<double>> products() const;
    /// Adds vectors with these products, oldest first, at new places.
    void restore(const std::vector<std::vector<double>> &products);

private:
    struct entry {
        int place;
        std::vector<double> products; ///< of its error with the earlier ones and itself
    };
    int most_;
    int next_place_ = 0;
    std::deque<entry> entries_;
};

/// sums[k] += the inner product of x and others[k], of `size` elements each. Block by block, so
/// that x is read once.
void add_inner_products(const double *x, std::span<const double *const> others, index_t size,
                        std::span<double> sums) noexcept;
/// to[i] = sum of c[k] from[k][i], for i < size. Block by block, so that `to` stays in cache. `to`
/// is none of `from`.
void combine(std::span<const double> c, std::span<const double *const> from, index_t size,
             double *to) noexcept;

/// The inner product of two tensors of the same extents.
double inner_product(const tensor<double> &x, const tensor<double> &y);

namespace diis_impl {

/// A distributed tensor of <tenfold/dist.hpp>.
template <class Tensor>
concept distributed = requires(const Tensor &t) {
    t.owner();
    t.distribution();
};

/// Runs what a rank does by itself. Of a distributed tensor's ranks all throw if one of them does.
template <class Tensor, class Work> void locally(const Tensor &one, const Work &work) {
    if constexpr (distributed<Tensor>)
        agree(one.owner(), work);
    else
        work();
}

/// A function that makes a tensor like `t`, and finds no memory but the tensor's.
template <class Tensor> auto maker_of(const Tensor &t) {
    if constexpr (distributed<Tensor>)
        return [&t, extents = extents_t(t.extents()), spread = t.distribution()]() mutable {
            return Tensor(t.owner(), std::move(extents), std::move(spread));
        };
    else
        return [&t] { return Tensor(t.shape().extents(), uninitialized); };
}
/// Elements on this rank.
template <class Tensor> index_t size_of(const Tensor &t) noexcept {
    if constexpr (distributed<Tensor>)
        return t.local_slice().size();
    else
        return t.size();
}
template <class Tensor> void copy(const Tensor &from, Tensor &to) {
    std::copy_n(from.data(), size_of(from), to.data());
    if constexpr (distributed<Tensor>)
        to.refresh(); // its copies are equal, which it cannot know
}

} // namespace diis_impl

/// Extrapolates any number of tensors of a kind: tensor<double>, or dist_tensor<double>, of which
/// all calls are collective and which need <tenfold/dist_operations.hpp> as well. Keeps copies of
/// `most` vectors: tensors and errors.
///     chem::diis<tensor<double>> accelerate(8);
///     chem::diis<dist_tensor<double>> accelerate(8, dot<double>);
///     ...
///     accelerate.extrapolate({&T1, &T2}, {&R1, &R2});
template <class Tensor> class diis {
public:
    using product = std::function<double(const Tensor &, const Tensor &)>;

    /// Keeps up to `most` vectors; 0 or 1: none. `inner` gives the inner product of two errors, in
    /// any metric; of distributed tensors the same number on all ranks, as dot() of
    /// <tenfold/dist.hpp> does.
    diis(int most, product inner)
        : most_(most), inner_(std::move(inner)), subspace_(std::max(most, 1)) {}
    explicit diis(int most) requires(!diis_impl::distributed<Tensor>)
        : diis(most, [](const Tensor &x, const Tensor &y) { return inner_product(x, y); }) {}

    /// Keeps copies of the tensors after this iteration's update and of their errors, usually the
    /// update itself, one for each tensor. Replaces the tensors by the combination of those that
    /// are kept whose error is smallest. Where errors are linearly dependent, the oldest vectors
    /// are forgotten; where a product is not finite, the tensors stay as they are. The number of
    /// tensors and their extents are the same in each call. Throws errc::invalid_argument unless
    /// there is an error for each tensor, and errc::out_of_memory.
    void extrapolate(const std::vector<Tensor *> &tensors,
                     const std::vector<const Tensor *> &errors) {
        if (tensors.size() != errors.size())
            throw error(errc::invalid_argument, "diis: " + std::to_string(tensors.size()) +
                                                    " tensors, " + std::to_string(errors.size()) +
                                                    " errors: expected one for each");
        if (most_ < 2 || tensors.empty())
            return;
        const auto &any = *tensors.front();
        next_vector next;
        diis_impl::locally(any, [&] { next = next_of(tensors, errors); });
        keep(next, tensors, errors);
        std::vector<double> c;
        std::vector<std::vector<const double *>> from; // of each tensor
        diis_impl::locally(any, [&] {
            subspace_.add(next.place, std::move(next.products));
            c = coefficients();
            if (!c.empty())
                from = elements_kept(tensors.size());
        });
        for (std::size_t i = 0; i < from.size(); ++i) {
            combine(c, from[i], diis_impl::size_of(*tensors[i]), tensors[i]->data());
            if constexpr (diis_impl::distributed<Tensor>)
                tensors[i]->refresh();
        }
    }

    /// The vectors that are kept.
    int size() const noexcept { return subspace_.size(); }

private:
    struct vector {
        std::vector<Tensor> tensors;
        std::vector<Tensor> errors;
    };
    using maker = decltype(diis_impl::maker_of(std::declval<const Tensor &>()));

    /// The vector that is about to be kept, and room for what follows from it.
    struct next_vector {
        int place = 0;
        vector *kept = nullptr;
        std::vector<maker> makers; ///< of tensors, each followed by its error's; none: they exist
        std::vector<const vector *> others; ///< oldest first, then itself
        std::vector<double> products;
    };

    next_vector next_of(const std::vector<Tensor *> &tensors,
                        const std::vector<const Tensor *> &errors) {
        next_vector next;
        next.place = subspace_.make_room();
        next.kept = &kept_[next.place];
        if (next.kept->tensors.empty()) {
            next.kept->tensors.reserve(tensors.size());
            next.kept->errors.reserve(tensors.size());
            for (std::size_t i = 0; i < tensors.size(); ++i) {
                next.makers.push_back(diis_impl::maker_of(*tensors[i]));
                next.makers.push_back(diis_impl::maker_of(*errors[i]));
            }
        }
        for (const int place : subspace_.places())
            next.others.push_back(&kept_.at(place));
        next.others.push_back(next.kept);
        next.products.reserve(next.others.size());
        return next;
    }

    void keep(next_vector &next, const std::vector<Tensor *> &tensors,
              const std::vector<const Tensor *> &errors) {
        for (std::size_t i = 0; i < next.makers.size(); i += 2) {
            next.kept->tensors.push_back(next.makers[i]());
            next.kept->errors.push_back(next.makers[i + 1]());
        }
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            diis_impl::copy(*tensors[i], next.kept->tensors[i]);
            diis_impl::copy(*errors[i], next.kept->errors[i]);
        }
        for (const vector *other : next.others) {
            double sum = 0;
            for (std::size_t i = 0; i < errors.size(); ++i)
                sum += inner_(other->errors[i], next.kept->errors[i]);
            next.products.push_back(sum);
        }
    }

    /// Of the vectors that are kept, of which those are forgotten that are too old to be of use.
    std::vector<double> coefficients() {
        std::vector<double> c = subspace_.coefficients();
        while (c.empty() && subspace_.size() > 1) {
            kept_.erase(subspace_.forget_oldest());
            c = subspace_.coefficients();
        }
        return c;
    }

    std::vector<std::vector<const double *>> elements_kept(std::size_t tensors) const {
        std::vector<std::vector<const double *>> from(tensors);
        for (const int place : subspace_.places())
            for (std::size_t i = 0; i < tensors; ++i)
                from[i].push_back(std::as_const(kept_.at(place).tensors[i]).data());
        return from;
    }

    int most_;
    product inner_;
    diis_subspace subspace_;
    std::map<int, vector> kept_; ///< by place
};

} // namespace chem
} // namespace tenfold
