#include "apps/bench/workload.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <tenfold/contract.hpp>
#include <tenfold/gemm_mixed.hpp>

#include "apps/common/conversions.hpp"
#include "apps/common/generate.hpp"
#include "apps/common/host_array.hpp"
#include "apps/common/transposition_check.hpp"
#include "base/parallel.hpp"
#include "base/with_type.hpp"
#include "gemm/plan/mixed_plan.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::apps_impl {
namespace {

template <class InA, class InB, class T>
std::function<void()> matrix_product(const extents_t &sizes, const void *a, const void *b, void *c,
                                     const gemm_options &options) {
    const index_t m = sizes[0];
    const index_t k = sizes[1];
    const index_t n = sizes[2];
    const matrix_view<const InA> left{static_cast<const InA *>(a), m, k, 1, m};
    const matrix_view<const InB> right{static_cast<const InB *>(b), k, n, 1, k};
    const matrix_view<T> result{static_cast<T *>(c), m, n, 1, m};
    return [=] { gemm(left, right, result, options); };
}

/// Predicts the seconds of a matrix product, which is planned anew in every call.
double predict(data_type type, const extents_t &sizes, int threads, const context &ctx) {
    const index_t m = sizes[0];
    const index_t k = sizes[1];
    const index_t n = sizes[2];
    auto options = gemm_impl::gemm_plan_options::from(ctx);
    options.threads = threads;
    const gemm_impl::gemm_shape shape{output_type_of(type), m, n, k, 1, m, 1, k, 1, m};
    if (type != shape.type)
        return gemm_impl::mixed_plan(gemm_impl::choose_mixed(type, options), shape, options)
            .predicted_seconds(options);
    return gemm_impl::gemm_plan(shape, options).predicted_seconds(options);
}

} // namespace

workload::workload(const bench_case &definition, const bench_options &options, const context &ctx)
    : definition_(definition), type_(options.type), beta_(options.beta), threads_(options.threads),
      wanted_(options.algorithm), tuning_(options.ttc.tuning), context_(ctx),
      d_(options.output_type, layout(definition.extents_of(definition.spec.output)),
         options.ttc.where, options.threads) {
    make_inputs(options.ttc.where);
    reset_output();
    if (definition.suite == "ttc")
        plan_transposition();
    else if (options.has_matrix_products())
        plan_matrix_product();
    else
        plan_contraction();
}

void workload::make_inputs(const placement &where) {
    for (const auto &labels : definition_.spec.inputs) {
        const std::size_t number = inputs_.size();
        const data_type type = contraction_types{{type_}, d_.type()}.of_input(number);
        placed_array &array =
            inputs_.emplace_back(type, layout(definition_.extents_of(labels)), where, threads_);
        generate(type, number, 0, array.shape().size(), array.data(), threads_);
    }
}

transpose_plan workload::make_transpose_plan(tenfold::tuning level) const {
    return transpose_plan(definition_.permutation(), type_, inputs_[0].shape(), d_.type(),
                          d_.shape(), false,
                          {.beta = beta_, .tuning = level, .threads = threads_, .ctx = &context_});
}

std::function<void()> workload::transposition(transpose_plan plan) {
    return [this, plan = std::move(plan)] {
        plan.execute(1.0, inputs_[0].data(), beta_, d_.data()).throw_if_failed();
    };
}

void workload::plan_transposition() {
    const transpose_plan plan = make_transpose_plan();
    if (beta_ == 0) // plans predict no other time if beta is not 0
        predicted_seconds_ = plan.predicted_seconds();
    run_ = transposition(plan);
    algorithm_ = "transpose";
}

void workload::plan_matrix_product() {
    run_ = matrix_product_on(threads_);
    algorithm_ = "gemm";
    if (!is_integer(type_))
        predicted_seconds_ = predict(type_, definition_.extents, threads_, context_);
}

std::function<void()> workload::matrix_product_on(int threads) {
    const gemm_options options{.beta = beta_, .threads = threads, .ctx = &context_};
    const extents_t &sizes = definition_.extents;
    const void *a = inputs_[0].data();
    const void *b = inputs_[1].data();
    if (type_ == data_type::u8)
        return matrix_product<std::uint8_t, std::int8_t, std::int32_t>(sizes, a, b, d_.data(),
                                                                       options);
    if (type_ == data_type::i8)
        return matrix_product<std::int8_t, std::int8_t, std::int32_t>(sizes, a, b, d_.data(),
                                                                      options);
    return base::with_type(type_, [&]<class T>(T) -> std::function<void()> {
        using D = typename element_traits<T>::output;
        return matrix_product<T, T, D>(sizes, a, b, d_.data(), options);
    });
}

planned_contraction workload::contraction_by(tenfold::algorithm wanted) {
    const std::vector<input> inputs(inputs_.begin(), inputs_.end());
    const output d = d_;
    const contraction_plan plan =
        make_plan(definition_.spec, inputs, d, d,
                  {.algorithm = wanted, .threads = threads_, .ctx = &context_});
    const void *a = inputs_[0].data();
    const void *b = inputs_.size() > 1 ? inputs_[1].data() : nullptr;
    return {[this, plan, a, b] {
                plan.execute(1.0, a, b, beta_, d_.data(), d_.data()).throw_if_failed();
            },
            plan.summary().algorithm, plan.summary().seconds};
}

std::function<void()> workload::one_shot() {
    const std::vector<input> inputs(inputs_.begin(), inputs_.end());
    const output d = d_;
    const contract_options options{
        .beta = beta_, .algorithm = wanted_, .threads = threads_, .ctx = &context_};
    if (inputs.size() == 2)
        return [this, inputs, d, options] {
            contract(definition_.text, inputs[0], inputs[1], d, options);
        };
    return [this, inputs, d, options] { contract(definition_.text, inputs, d, options); };
}

std::function<void()> workload::one_shot_from_views() {
    if (inputs_.size() != 2 || type_ != d_.type() || !is_arithmetic(type_))
        return one_shot();
    const contract_options options{
        .beta = beta_, .algorithm = wanted_, .threads = threads_, .ctx = &context_};
    return base::with_arithmetic_type(type_, [&]<class T>(T) -> std::function<void()> {
        const auto elements = [](const placed_array &array) {
            return reinterpret_cast<const T *>(array.data());
        };
        const tensor_view<const T> a(elements(inputs_[0]), inputs_[0].shape());
        const tensor_view<const T> b(elements(inputs_[1]), inputs_[1].shape());
        const tensor_view<T> d(reinterpret_cast<T *>(d_.data()), d_.shape());
        return [this, a, b, d, options] { contract(definition_.text, a, b, d, options); };
    });
}

void workload::plan_contraction() {
    planned_contraction planned = contraction_by(wanted_);
    run_ = std::move(planned.run);
    algorithm_ = name(planned.algorithm);
    predicted_seconds_ = planned.predicted_seconds;
}

void workload::reset_output() {
    if (beta_ != 0) {
        generate(d_.type(), generated_c, 0, d_.shape().size(), d_.data(), threads_);
        return;
    }
    base::run_parallel(threads_, [&](base::team_member member) {
        const base::range part = base::split(d_.size().value, member.size(), member.id(), 4096);
        std::memset(d_.data() + part.begin, 0xff, static_cast<std::size_t>(part.size()));
    });
}

contract_impl::verification workload::check() const {
    std::optional<host_array> c;
    if (beta_ != 0)
        c = generated_array(d_.type(), generated_c, d_.shape().extents(), threads_);
    if (definition_.suite == "ttc") {
        const std::vector<int> permutation = definition_.permutation();
        return apps_impl::check({.tensors = {.permutation = permutation,
                                             .type_a = type_,
                                             .a = inputs_[0].shape(),
                                             .type_b = d_.type(),
                                             .b = d_.shape()},
                                 .alpha = 1.0,
                                 .a = inputs_[0].data(),
                                 .beta = beta_,
                                 .before = c ? c->data() : nullptr,
                                 .b = d_.data()},
                                verified_elements);
    }
    const std::vector<input> inputs(inputs_.begin(), inputs_.end());
    const output d(d_.type(), nullptr, d_.shape());
    const auto problem = einsum_impl::make_problem(definition_.spec, inputs, d, d, false);
    return contract_impl::verify(problem,
                                 {.alpha = definition_.spec.scale,
                                  .a = inputs[0].data(),
                                  .b = inputs.size() > 1 ? inputs[1].data() : nullptr,
                                  .beta = beta_,
                                  .c = c ? c->data() : nullptr},
                                 d_.data(), verified_elements,
                                 /*seed=*/1);
}

} // namespace tenfold::apps_impl
