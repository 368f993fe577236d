#include "compare.hpp"

#include <gtest/gtest.h>

#include "transpose/kernels/registry.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/reference.hpp"

namespace tenfold::testing {

const std::vector<type_pair> &type_pairs() {
    static const std::vector<type_pair> pairs = [] {
        std::vector<type_pair> all;
        for (const data_type a : all_data_types)
            for (const data_type b : all_data_types)
                if (transpose_impl::converts(a, b))
                    all.push_back({a, b});
        for (const data_type integers : {data_type::i8, data_type::u8, data_type::i32})
            all.push_back({integers, integers});
        return all;
    }();
    return pairs;
}

extents_t permuted(const extents_t &a, const std::vector<int> &permutation) {
    extents_t b;
    for (const int mode : permutation)
        b.push_back(a[static_cast<std::size_t>(mode)]);
    return b;
}

void expect_as_by_reference(const transposition &given, random_source &random) {
    constexpr index_t margin = 192;
    array data_a(given.type.a, given.a, 0, 0);
    data_a.fill_with_integers(random);
    array expected(given.type.b, given.b, given.shift, margin);
    random_source values = random;
    if (given.beta == scalar(0.0))
        expected.poison();
    else
        expected.fill_with_integers(values);
    const std::vector<unsigned char> before = expected.bytes();
    const transpose_impl::transposed_tensors what{.permutation = given.permutation,
                                                  .type_a = given.type.a,
                                                  .a = given.a,
                                                  .type_b = given.type.b,
                                                  .b = given.b,
                                                  .conjugate = given.conjugate};
    transpose_impl::reference_transpose(what, given.alpha, data_a.data(), given.beta,
                                        expected.data());
    const std::vector<unsigned char> after = expected.bytes();

    for (const auto &ctx : contexts()) {
        transpose_options options;
        options.threads = given.threads;
        options.ctx = ctx.get();
        const transpose_impl::plan_state plan(what, options, given.choices);
        array actual(given.type.b, given.b, given.shift, margin);
        actual.set_bytes(before);
        const void *read = given.alpha == scalar(0.0) ? nullptr : data_a.data();
        ASSERT_TRUE(plan.execute(given.alpha, read, given.beta, actual.data()).ok());
        ASSERT_EQ(actual.bytes() == after, true)
            << "A: " << given.a.describe() << "\nB: " << given.b.describe() << "\nalpha "
            << given.alpha << " beta " << given.beta << " conjugate " << given.conjugate << " isa "
            << name(ctx->isa()) << " shift " << given.shift << "\n"
            << transpose_plan(given.permutation, given.type.a, given.a, given.type.b, given.b,
                              given.conjugate, options)
                   .explain();
    }
}

} // namespace tenfold::testing
