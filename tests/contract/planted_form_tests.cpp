// Who decides which form a product takes: the chooser alone. This file is linked in place of the
// library's, with one choice planted in it, and gemm(), contractions and distributed plans take it.
#define choose_form choose_form_of_the_library
#include "gemm/plan/choose.cpp"
#undef choose_form

#include <gtest/gtest.h>

#include <tenfold/dist_plan.hpp>
#include <tenfold/tenfold.hpp>

#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {
namespace {

index_t planted_leaves = 1; ///< of products that would be packed

} // namespace

chosen_form choose_form(const gemm_shape &shape, const micro_kernel &kernel,
                        const counted_tile &tile, const gemm_plan_options &options) noexcept {
    chosen_form chosen = choose_form_of_the_library(shape, kernel, tile, options);
    if (chosen.form == gemm_form::packed && planted_leaves > 1 && !options.same_for_all_shapes) {
        chosen.form = gemm_form::split_k;
        chosen.leaves = planted_leaves;
    }
    return chosen;
}

} // namespace tenfold::gemm_impl

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_form;
using gemm_impl::planted_leaves;

/// Plants leaves for as long as it lives.
class planting {
public:
    explicit planting(index_t leaves) { planted_leaves = leaves; }
    ~planting() { planted_leaves = 1; }
    planting(const planting &) = delete;
    planting &operator=(const planting &) = delete;
};

constexpr index_t n = 400; ///< too large for the small form, whatever the caches and registers

settings one_thread() {
    settings chosen;
    chosen.threads = 1;
    chosen.calibration = "off";
    return chosen;
}

const context &quiet_context() {
    static const context made(one_thread());
    return made;
}

/// Integers, so that sums are exact in any order.
std::vector<double> numbers(int seed) {
    std::vector<double> made(static_cast<std::size_t>(n * n));
    for (std::size_t i = 0; i < made.size(); ++i)
        made[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(seed)) % 11) - 5;
    return made;
}

std::vector<double> plain_product(const std::vector<double> &a, const std::vector<double> &b) {
    std::vector<double> d(a.size(), 0.0);
    for (index_t j = 0; j < n; ++j)
        for (index_t p = 0; p < n; ++p)
            for (index_t i = 0; i < n; ++i)
                d[static_cast<std::size_t>(i + j * n)] +=
                    a[static_cast<std::size_t>(i + p * n)] * b[static_cast<std::size_t>(p + j * n)];
    return d;
}

TEST(PlantedForm, ProductsTakeIt) {
    const gemm_impl::gemm_shape shape{data_type::f64, n, n, n, 1, n, 1, n, 1, n};
    const auto options = gemm_impl::gemm_plan_options::from(quiet_context());
    EXPECT_EQ(gemm_impl::gemm_plan(shape, options).form(), gemm_form::packed);
    const planting here(3);
    const gemm_impl::gemm_plan plan(shape, options);
    EXPECT_EQ(plan.form(), gemm_form::split_k);
    EXPECT_EQ(plan.leaves(), 3);
}

TEST(PlantedForm, ContractionsTakeItPriceItAndRunIt) {
    const std::vector<double> a = numbers(1), b = numbers(2);
    const auto planned = [] {
        const auto in = input(data_type::f64, nullptr, layout({n, n}));
        return make_plan("ij=ik*kj", in, in, output(data_type::f64, nullptr, layout({n, n})),
                         {.algorithm = algorithm::direct, .threads = 1, .ctx = &quiet_context()});
    };
    const contraction_plan natural = planned();
    EXPECT_NE(natural.explain().find("packed: "), std::string::npos) << natural.explain();
    const planting here(3);
    const contraction_plan plan = planned();
    EXPECT_NE(plan.explain().find("split-k: "), std::string::npos) << plan.explain();
    EXPECT_NE(plan.explain().find("k in 3 leaves"), std::string::npos) << plan.explain();
    EXPECT_GT(plan.summary().workspace, natural.summary().workspace);
    EXPECT_NE(plan.summary().seconds, natural.summary().seconds);

    std::vector<double> d(a.size(), -1.0);
    const context fresh(one_thread()); // its cache has no plan of another form
    const layout square({n, n});
    contract("ij=ik*kj", input(data_type::f64, a.data(), square),
             input(data_type::f64, b.data(), square), output(data_type::f64, d.data(), square),
             {.algorithm = algorithm::direct, .ctx = &fresh});
    EXPECT_EQ(d, plain_product(a, b));
}

TEST(PlantedForm, DistributedPlansTakeIt) {
    const auto planned = [](index_t leaves) {
        const planting here(leaves);
        const std::vector<extents_t> squares(3, extents_t{4 * n, 4 * n});
        dist_options options;
        options.algorithm = algorithm::direct;
        options.threads = 1;
        const context fresh(one_thread());
        options.ctx = &fresh;
        return make_dist_plan(parse("ij=ik*kj"), data_type::f64, squares, 4, options);
    };
    const dist_plan natural = planned(1);
    const dist_plan plan = planned(3);
    EXPECT_EQ(plan.summary().grid, natural.summary().grid);
    EXPECT_NE(plan.summary().workspace, natural.summary().workspace);
}

} // namespace
} // namespace tenfold::testing
