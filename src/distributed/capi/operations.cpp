// Copies, sums, slices and functions of distributed tensors, and random numbers in them.
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_tensor;
using tenfold::dist_term;
using tenfold::slice;

template <class T> std::vector<dist_term<T>>
terms_of(const tenfold_dist_term *terms, std::int32_t count, const tenfold_dist_tensor &d) {
    require_count(count, terms, "terms");
    std::vector<dist_term<T>> own;
    for (std::int32_t i = 0; i < count; ++i) {
        const std::string name = "term " + std::to_string(i + 1);
        require_like(terms[i].tensor, name, d, "D");
        own.emplace_back(factor_of<T>(terms[i].factor, "the factor of " + name),
                         tensor_of<T>(*terms[i].tensor));
    }
    return own;
}

/// A caller's slice; NULL is the whole tensor.
slice slice_of(const tenfold_slice *given, const tenfold_dist_tensor &tensor,
               const std::string &name) {
    slice own;
    if (given == nullptr) {
        own.extents = with_tensor(tensor, [](const auto &one) { return one.extents(); });
        own.offsets.assign(own.extents.size(), 0);
        return own;
    }
    own.extents = extents_of(given->order, given->extents, ("the extents of " + name).c_str());
    if (given->offsets != nullptr)
        own.offsets.assign(given->offsets, given->offsets + given->order);
    else
        own.offsets.assign(own.extents.size(), 0);
    return own;
}

/// What a rank brings to a transposition.
struct prepared_transposition {
    std::string expression;
    slice of_a, of_b;
    tenfold::dist_transpose_options options;
};

/// Calls the caller's function for the elements of a block.
class element_mapping {
public:
    element_mapping(tenfold_map_function function, void *user) : function_(function), user_(user) {}

    void add_input(const tenfold_dist_tensor &input) {
        with_tensor(input, [&]<class T>(const dist_tensor<T> &own) {
            inputs_.emplace_back(&own);
            sizes_.push_back(sizeof(T));
        });
    }
    std::span<const tenfold::dist_impl::any_tensor> inputs() const noexcept { return inputs_; }

    template <class T> void compute(const slice &block, T *d, const void *const *inputs) const {
        std::vector<const void *> at(sizes_.size());
        tenfold::dist_impl::for_each_in(
            block, [&](tenfold::index_t i, tenfold::position_view position) {
                const auto number = static_cast<std::size_t>(i);
                for (std::size_t k = 0; k < at.size(); ++k)
                    at[k] = static_cast<const char *>(inputs[k]) + number * sizes_[k];
                const std::int32_t code = function_(position.data(), at.data(), d + i, user_);
                if (code != 0)
                    refuse("the function that maps elements returned " + std::to_string(code) +
                           " at position " + position_text(position));
            });
    }

private:
    tenfold_map_function function_;
    void *user_;
    std::vector<tenfold::dist_impl::any_tensor> inputs_;
    std::vector<std::size_t> sizes_; ///< of the inputs' elements
};

/// Makes a collective call: fill(dist_tensor<T>).
template <class Fill>
tenfold_error fill_randomly(tenfold_dist_tensor *tensor, const Fill &fill) noexcept {
    const auto prepare = []<class T>(dist_tensor<T> &) {
        if (tenfold::is_integer(tenfold::data_type_of<T>))
            throw tenfold::error(tenfold::errc::type_mismatch,
                                 "the tensor is " + std::string(name(tenfold::data_type_of<T>)) +
                                     "; integers are not filled with random numbers",
                                 {.first = {.name = "tensor", .type = tenfold::data_type_of<T>}});
        return 0;
    };
    return collective_on(tensor, "tensor", prepare, [&]<class T>(dist_tensor<T> &own, int) {
        if constexpr (!tenfold::is_integer(tenfold::data_type_of<T>))
            fill(own);
    });
}

} // namespace

tenfold_error tenfold_dist_copy(const tenfold_dist_tensor *x, tenfold_dist_tensor *y) {
    return collective_on(
        y, "y",
        [&]<class T>(dist_tensor<T> &) {
            require_like(x, "x", *y, "y");
            return &tensor_of<T>(*x);
        },
        []<class T>(dist_tensor<T> &own, const dist_tensor<T> *from) {
            tenfold::copy(*from, own);
        });
}

tenfold_error tenfold_dist_combine(const tenfold_dist_term *terms, int32_t count,
                                   tenfold_dist_tensor *d) {
    return collective_on(
        d, "d", [&]<class T>(dist_tensor<T> &) { return terms_of<T>(terms, count, *d); },
        []<class T>(dist_tensor<T> &own, const std::vector<dist_term<T>> &given) {
            tenfold::combine<T>(std::span<const dist_term<T>>(given), own);
        });
}

tenfold_error tenfold_dist_axpy(const tenfold_scalar *alpha, const tenfold_dist_tensor *x,
                                tenfold_dist_tensor *y) {
    return collective_on(
        y, "y",
        [&]<class T>(dist_tensor<T> &) {
            require_like(x, "x", *y, "y");
            const tenfold_scalar one = {1, 0};
            return dist_term<T>(factor_of<T>(alpha == nullptr ? one : *alpha, "alpha"),
                                tensor_of<T>(*x));
        },
        []<class T>(dist_tensor<T> &own, const dist_term<T> &term) {
            tenfold::axpy(term.factor(), term.tensor(), own);
        });
}

tenfold_error tenfold_dist_scale(const tenfold_scalar *factor, tenfold_dist_tensor *x) {
    return collective_on(
        x, "x",
        [&]<class T>(dist_tensor<T> &) {
            require(factor, "factor");
            return factor_of<T>(*factor, "the factor");
        },
        []<class T>(dist_tensor<T> &own, typename dist_term<T>::factor_type by) {
            tenfold::scale(by, own);
        });
}

tenfold_error tenfold_dist_transpose(const char *expression, const tenfold_dist_tensor *a,
                                     const tenfold_slice *of_a, tenfold_dist_tensor *b,
                                     const tenfold_slice *of_b,
                                     const tenfold_dist_transpose_options *options) {
    const auto prepare = [&](auto &) {
        require(expression, "expression");
        require_like(a, "a", *b, "b");
        const tenfold_dist_transpose_options given = taken(options, "options");
        prepared_transposition own;
        own.expression = expression;
        own.of_a = slice_of(of_a, *a, "of_a");
        own.of_b = slice_of(of_b, *b, "of_b");
        own.options.alpha = scalar_or(given.alpha, 1.0);
        if (given.beta != nullptr)
            own.options.beta = scalar_or(given.beta, 0.0);
        return own;
    };
    return collective_on(b, "b", prepare,
                         [&]<class T>(dist_tensor<T> &to, const prepared_transposition &own) {
                             tenfold::transpose(own.expression, tensor_of<T>(*a), own.of_a, to,
                                                own.of_b, own.options);
                         });
}

tenfold_error tenfold_dist_map(tenfold_dist_tensor *d, const tenfold_dist_tensor *const *inputs,
                               int32_t input_count, tenfold_map_function function, void *user) {
    const auto prepare = [&](auto &) {
        if (function == nullptr)
            refuse("function is NULL");
        require_count(input_count, inputs, "inputs");
        element_mapping own(function, user);
        for (std::int32_t i = 0; i < input_count; ++i) {
            require(inputs[i], ("input " + std::to_string(i + 1)).c_str());
            own.add_input(*inputs[i]);
        }
        return own;
    };
    return collective_on(
        d, "d", prepare, []<class T>(dist_tensor<T> &to, const element_mapping &own) {
            const auto compute = [&](const slice &block, void *elements, const void *const *from) {
                own.compute(block, static_cast<T *>(elements), from);
            };
            tenfold::dist_impl::map_blocks(to, own.inputs(), std::cref(compute));
        });
}

tenfold_error tenfold_dist_fill_uniform(tenfold_dist_tensor *tensor, uint64_t seed, double low,
                                        double high) {
    return fill_randomly(tensor, [&](auto &own) { tenfold::fill_uniform(own, seed, low, high); });
}

tenfold_error tenfold_dist_fill_normal(tenfold_dist_tensor *tensor, uint64_t seed, double mean,
                                       double deviation) {
    return fill_randomly(tensor,
                         [&](auto &own) { tenfold::fill_normal(own, seed, mean, deviation); });
}
