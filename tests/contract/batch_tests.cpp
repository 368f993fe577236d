// Tests batches of contractions: what they compute, refuse and use.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

/// `count` products of matrices, n x n each, one after the other in memory.
struct products {
    index_t n, count;
    std::vector<double> a, b, d;
    contraction_plan plan;

    explicit products(index_t n, index_t count, const contract_options &options = {})
        : n(n), count(count), a(size()), b(size()), d(size(), -1.0), plan(planned(options)) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<double>(i * 7 % 11) - 5;
            b[i] = static_cast<double>(i * 5 % 13) - 6;
        }
    }

    std::size_t size() const { return static_cast<std::size_t>(n * n * count); }
    contraction_plan planned(const contract_options &options) {
        const extents_t square{n, n};
        return make_plan("ab=ak*kb", tensor_view<const double>(a.data(), square),
                         tensor_view<const double>(b.data(), square),
                         tensor_view<double>(d.data(), square), options);
    }
    std::vector<double> expected(double beta = 0) {
        std::vector<double> all = d;
        for (index_t i = 0; i < count; ++i)
            for (index_t column = 0; column < n; ++column)
                for (index_t row = 0; row < n; ++row) {
                    double sum = 0;
                    for (index_t k = 0; k < n; ++k)
                        sum += at(a, i)[row + k * n] * at(b, i)[k + column * n];
                    double &to = at(all, i)[row + column * n];
                    to = sum + (beta != 0 ? beta * to : 0);
                }
        return all;
    }
    double *at(std::vector<double> &all, index_t i) { return all.data() + i * n * n; }
    std::vector<const void *> addresses_of(std::vector<double> &all) {
        std::vector<const void *> made;
        for (index_t i = 0; i < count; ++i)
            made.push_back(at(all, i));
        return made;
    }
    std::vector<void *> addresses_of_d() {
        std::vector<void *> made;
        for (index_t i = 0; i < count; ++i)
            made.push_back(at(d, i));
        return made;
    }
    std::array<input_batch, 2> in_steps() {
        return {input_batch::strided(a.data(), n * n), input_batch::strided(b.data(), n * n)};
    }
    output_batch d_in_steps() { return output_batch::strided(d.data(), n * n); }
};

TEST(Batch, InSteps) {
    for (const index_t n : {1, 3, 8, 33})
        for (const index_t count : {0, 1, 2, 7, 100}) {
            products all(n, count);
            const std::vector<double> expected = all.expected();
            const auto inputs = all.in_steps();
            all.plan.execute_batch({.count = count, .inputs = inputs, .d = all.d_in_steps()})
                .throw_if_failed();
            EXPECT_EQ(all.d, expected) << n << ", " << count;
        }
}

TEST(Batch, AtAddressesInAnyOrder) {
    products all(8, 50);
    const std::vector<double> expected = all.expected(2);
    std::vector<const void *> a = all.addresses_of(all.a), b = all.addresses_of(all.b);
    std::vector<void *> d = all.addresses_of_d();
    for (const std::size_t i : {3U, 20U, 31U}) {
        std::swap(a[i], a[i + 5]);
        std::swap(b[i], b[i + 5]);
        std::swap(d[i], d[i + 5]);
    }
    const std::vector<const void *> c(d.begin(), d.end());
    const std::array inputs{input_batch::at_addresses(a), input_batch::at_addresses(b)};
    all.plan
        .execute_batch({.count = 50,
                        .beta = 2.0,
                        .inputs = inputs,
                        .c = input_batch::at_addresses(c),
                        .d = output_batch::at_addresses(d)})
        .throw_if_failed();
    EXPECT_EQ(all.d, expected);
}

TEST(Batch, OneMatrixForAll) {
    products all(8, 30);
    for (std::size_t i = 64; i < all.b.size(); ++i)
        all.b[i] = all.b[i % 64];
    const std::vector<double> expected = all.expected();
    const std::array inputs{input_batch::strided(all.a.data(), 64),
                            input_batch::strided(all.b.data(), 0)};
    all.plan.execute_batch({.count = 30, .inputs = inputs, .d = all.d_in_steps()})
        .throw_if_failed();
    EXPECT_EQ(all.d, expected);
}

TEST(Batch, LargeOnesInTurn) {
    products all(200, 3, {.threads = 2});
    const std::vector<double> expected = all.expected();
    const auto inputs = all.in_steps();
    execution_record record;
    all.plan
        .execute_batch({.count = 3, .inputs = inputs, .d = all.d_in_steps()}, {.record = &record})
        .throw_if_failed();
    EXPECT_EQ(all.d, expected);
    EXPECT_EQ(record.threads, 2);
    EXPECT_EQ(record.workspace.value, (all.plan.workspace_size().value + 63) / 64 * 64);
}

TEST(Batch, SmallOnesOnSeveralThreads) {
    products all(16, 2000, {.threads = 3});
    const std::vector<double> expected = all.expected();
    const auto inputs = all.in_steps();
    execution_record record;
    const contraction_batch batch{.count = 2000, .inputs = inputs, .d = all.d_in_steps()};
    all.plan.execute_batch(batch, {.record = &record}).throw_if_failed();
    EXPECT_EQ(all.d, expected);
    EXPECT_EQ(record.threads, 3);
    EXPECT_EQ(record.flops, 2000 * 2.0 * 16 * 16 * 16);
    EXPECT_EQ(record.bytes, 2000 * 3.0 * 16 * 16 * 8);
    all.plan.execute_batch(batch, {.threads = 2, .record = &record}).throw_if_failed();
    EXPECT_EQ(record.threads, 2);
}

/// Each thread has a workspace of its own, as far as they fit.
TEST(Batch, WorkspaceDecidesHowManyRunAtATime) {
    const extents_t a{6, 5, 4, 3}, b{2, 3, 3, 5}, d{6, 4, 3, 2};
    constexpr index_t count = 400;
    const auto room = [&](const extents_t &one) {
        return tensor<double>({one[0], one[1], one[2], one[3], count});
    };
    tensor<double> all_a = room(a), all_b = room(b), all_d = room(d), expected = room(d);
    for (index_t i = 0; i < all_a.size(); ++i)
        all_a.data()[i] = static_cast<double>(i % 7 - 3);
    for (index_t i = 0; i < all_b.size(); ++i)
        all_b.data()[i] = static_cast<double>(i % 5 - 2);
    contract("acbdx=aecfx*dfbex", all_a, all_b, expected, {.algorithm = algorithm::reference});
    const contraction_plan plan =
        make_plan("acbd=aecf*dfbe", tensor_view<double>(all_a.data(), a),
                  tensor_view<double>(all_b.data(), b), tensor_view<double>(all_d.data(), d),
                  {.algorithm = algorithm::ttgt, .threads = 3});
    const index_t each = (plan.workspace_size().value + 63) / 64 * 64;
    ASSERT_GT(each, 0);
    const std::array inputs{input_batch::strided(all_a.data(), layout(a).size()),
                            input_batch::strided(all_b.data(), layout(b).size())};
    const contraction_batch batch{.count = count,
                                  .inputs = inputs,
                                  .d = output_batch::strided(all_d.data(), layout(d).size())};
    for (const int threads : {1, 2, 3}) {
        std::fill_n(all_d.data(), all_d.size(), -1.0);
        execution_record record;
        plan.execute_batch(batch, {.workspace_limit = bytes(threads * each), .record = &record})
            .throw_if_failed();
        EXPECT_EQ(record.threads, threads);
        EXPECT_EQ(record.workspace.value, threads * each);
        EXPECT_TRUE(std::equal(all_d.data(), all_d.data() + all_d.size(), expected.data()));

        std::fill_n(all_d.data(), all_d.size(), -1.0);
        std::vector<std::byte> own(static_cast<std::size_t>(threads * each + 63));
        plan.execute_batch(batch, {.workspace = own, .record = &record}).throw_if_failed();
        EXPECT_GE(record.threads, 1);
        EXPECT_LE(record.threads, threads);
        EXPECT_TRUE(std::equal(all_d.data(), all_d.data() + all_d.size(), expected.data()));
    }
    EXPECT_EQ(plan.execute_batch(batch, {.workspace_limit = bytes(each / 2)}).code(),
              errc::workspace_too_small);
}

TEST(Batch, OfManyInputs) {
    const extents_t shapes[] = {{5, 4}, {4, 6}, {6, 3}, {5, 3}};
    constexpr index_t count = 60;
    std::vector<tensor<double>> x;
    for (const extents_t &one : shapes) {
        x.emplace_back(extents_t{one[0], one[1], count});
        for (index_t i = 0; i < x.back().size(); ++i)
            x.back().data()[i] = static_cast<double>(i % 7 - 3);
    }
    tensor<double> expected({5, 3, count});
    std::copy_n(x[3].data(), x[3].size(), expected.data());
    contract("adx+=abx*bcx*cdx", {x[0], x[1], x[2]}, expected,
             {.alpha = -2.0, .algorithm = algorithm::reference});
    const auto view = [&](std::size_t i) { return tensor_view<double>(x[i].data(), shapes[i]); };
    const contraction_plan plan = make_plan("ad=ab*bc*cd", {view(0), view(1), view(2)}, view(3));
    const auto in_steps = [&](std::size_t i) {
        return input_batch::strided(x[i].data(), layout(shapes[i]).size());
    };
    const std::array inputs{in_steps(0), in_steps(1), in_steps(2)};
    execution_record record;
    plan.execute_batch({.count = count,
                        .alpha = -2.0,
                        .beta = 1.0,
                        .inputs = inputs,
                        .c = in_steps(3),
                        .d = output_batch::strided(x[3].data(), 15)},
                       {.record = &record})
        .throw_if_failed();
    EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), x[3].data()));
    EXPECT_EQ(record.flops, count * plan.summary().flops);
}

TEST(Batch, OneInputAndASeparateC) {
    constexpr index_t count = 20;
    tensor<double> a({4, 6, count}), c({6, 4, count}), d({6, 4, count}), expected({6, 4, count});
    for (index_t i = 0; i < a.size(); ++i) {
        a.data()[i] = static_cast<double>(i % 9 - 4);
        c.data()[i] = static_cast<double>(i % 5 - 2);
    }
    contract("bax=abx", std::array<input, 1>{a}, c, expected,
             {.alpha = 3.0, .beta = -1.0, .algorithm = algorithm::reference});
    const extents_t ab{4, 6}, ba{6, 4};
    const contraction_plan plan =
        make_plan("ba=ab", std::array<input, 1>{tensor_view<double>(a.data(), ab)},
                  tensor_view<double>(c.data(), ba), tensor_view<double>(d.data(), ba));
    const std::array inputs{input_batch::strided(a.data(), 24)};
    const contraction_batch batch{.count = count,
                                  .alpha = 3.0,
                                  .beta = -1.0,
                                  .inputs = inputs,
                                  .c = input_batch::strided(c.data(), 24),
                                  .d = output_batch::strided(d.data(), 24)};
    plan.execute_batch(batch).throw_if_failed();
    EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), d.data()));

    contraction_batch only_c = batch;
    only_c.alpha = 0.0;
    const std::array nothing{input_batch()};
    only_c.inputs = nothing;
    plan.execute_batch(only_c).throw_if_failed();
    for (index_t i = 0; i < d.size(); ++i)
        EXPECT_EQ(d.data()[i], -c.data()[i]);
}

/// Expects a refusal that leaves D alone.
void expect_refused(errc code, char operand, index_t contraction, products &all,
                    const contraction_batch &batch) {
    const std::vector<double> before = all.d;
    index_t failed = 77;
    const status refused = all.plan.execute_batch(batch, {}, &failed);
    EXPECT_EQ(name(refused.code()), name(code));
    EXPECT_EQ(refused.operand(), operand);
    EXPECT_EQ(failed, contraction);
    EXPECT_EQ(all.d, before);
}

TEST(Batch, NullIsFoundBeforeAnythingIsWritten) {
    products all(4, 10);
    std::vector<const void *> a = all.addresses_of(all.a);
    a[7] = nullptr;
    std::array inputs{input_batch::at_addresses(a), input_batch::strided(all.b.data(), 16)};
    contraction_batch batch{.count = 10, .inputs = inputs, .d = all.d_in_steps()};
    expect_refused(errc::null_pointer, 'A', 7, all, batch);
    inputs[0] = input_batch::strided(all.a.data(), 16);
    batch.beta = 1.0; // C is null
    expect_refused(errc::null_pointer, 'C', 0, all, batch);
    batch.beta = 0.0;
    std::vector<void *> d = all.addresses_of_d();
    d[9] = nullptr;
    batch.d = output_batch::at_addresses(d);
    expect_refused(errc::null_pointer, 'D', 9, all, batch);
    batch.count = 0;
    batch.d = {};
    EXPECT_TRUE(all.plan.execute_batch(batch).ok());
}

TEST(Batch, NumbersOutOfRange) {
    products all(4, 10);
    const auto inputs = all.in_steps();
    expect_refused(errc::invalid_argument, 0, -1, all,
                   {.count = -1, .inputs = inputs, .d = all.d_in_steps()});
    expect_refused(errc::invalid_argument, 0, -1, all,
                   {.count = 10, .inputs = std::span(inputs).first(1), .d = all.d_in_steps()});
    const std::vector<void *> d = all.addresses_of_d();
    expect_refused(errc::invalid_argument, 0, -1, all,
                   {.count = 9, .inputs = inputs, .d = output_batch::at_addresses(d)});
    expect_refused(errc::type_mismatch, 'D', -1, all,
                   {.count = 10, .alpha = {0, 1}, .inputs = inputs, .d = all.d_in_steps()});
    expect_refused(
        errc::overflow, 0, -1, all,
        {.count = 10, .inputs = inputs, .d = output_batch::strided(all.d.data(), INT64_MAX / 16)});
}

TEST(Batch, OverlapIsRefused) {
    products all(4, 10);
    const auto inputs = all.in_steps();
    expect_refused(errc::overlap, 'D', -1, all,
                   {.count = 10, .inputs = inputs, .d = output_batch::strided(all.d.data(), 0)});
    expect_refused(errc::overlap, 'D', -1, all,
                   {.count = 10, .inputs = inputs, .d = output_batch::strided(all.d.data(), 15)});
    std::vector<void *> d = all.addresses_of_d();
    d[8] = d[2];
    std::swap(d[0], d[5]);
    index_t failed = 0;
    EXPECT_EQ(
        all.plan
            .execute_batch({.count = 10, .inputs = inputs, .d = output_batch::at_addresses(d)}, {},
                           &failed)
            .code(),
        errc::overlap);
    EXPECT_TRUE(failed == 2 || failed == 8) << failed;

    // An input of another contraction is written.
    const std::vector<double> a = all.a;
    d = all.addresses_of_d();
    d[3] = all.a.data() + 8 * 16 + 5;
    expect_refused(errc::overlap, 'A', 8, all,
                   {.count = 10, .inputs = inputs, .d = output_batch::at_addresses(d)});
    EXPECT_EQ(all.a, a);

    // C may be D of the same contraction only.
    std::vector<const void *> c = all.addresses_of(all.d);
    std::swap(c[4], c[6]);
    expect_refused(errc::overlap, 'C', 4, all,
                   {.count = 10,
                    .beta = 1.0,
                    .inputs = inputs,
                    .c = input_batch::at_addresses(c),
                    .d = all.d_in_steps()});
}

/// The batch as the fastest mode, in steps and at addresses.
TEST(Batch, InterleavedTensorsAreAllowed) {
    constexpr index_t count = 12, n = 3;
    const layout each({n, n}, {count, count * n});
    std::vector<double> a(count * n * n), b(a.size()), d(a.size()), expected(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<double>(i % 7) - 3;
        b[i] = static_cast<double>(i % 5) - 2;
    }
    const extents_t whole{count, n, n};
    contract("xab=xak*xkb", tensor_view<double>(a.data(), whole),
             tensor_view<double>(b.data(), whole), tensor_view<double>(expected.data(), whole),
             {.algorithm = algorithm::reference});
    const contraction_plan plan =
        make_plan("ab=ak*kb", tensor_view<double>(a.data(), each),
                  tensor_view<double>(b.data(), each), tensor_view<double>(d.data(), each));
    const std::array inputs{input_batch::strided(a.data(), 1), input_batch::strided(b.data(), 1)};
    plan.execute_batch({.count = count, .inputs = inputs, .d = output_batch::strided(d.data(), 1)})
        .throw_if_failed();
    EXPECT_EQ(d, expected);

    for (const bool shuffled : {false, true}) {
        std::vector<const void *> of_a, of_b;
        std::vector<void *> of_d;
        for (index_t i = 0; i < count; ++i) {
            const index_t at = shuffled ? i * 5 % count : i;
            of_a.push_back(a.data() + at);
            of_b.push_back(b.data() + at);
            of_d.push_back(d.data() + at);
        }
        const std::array at{input_batch::at_addresses(of_a), input_batch::at_addresses(of_b)};
        std::ranges::fill(d, -1);
        plan.execute_batch({.count = count, .inputs = at, .d = output_batch::at_addresses(of_d)})
            .throw_if_failed();
        EXPECT_EQ(d, expected);
        of_d[2] = of_d[9];
        EXPECT_EQ(plan.execute_batch(
                          {.count = count, .inputs = at, .d = output_batch::at_addresses(of_d)})
                      .code(),
                  errc::overlap);
    }
}

TEST(Batch, StopsAndReports) {
    products all(8, 20000);
    const auto inputs = all.in_steps();
    const contraction_batch batch{.count = 20000, .inputs = inputs, .d = all.d_in_steps()};
    std::stop_source source;
    std::vector<double> told;
    const execution_control control{[&](double done) { told.push_back(done); }, source.get_token(),
                                    std::chrono::milliseconds(0)};
    const std::vector<double> expected = all.expected(), before = all.d;
    all.plan.execute_batch(batch, {.control = &control}).throw_if_failed();
    EXPECT_EQ(all.d, expected);
    ASSERT_GT(told.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_EQ(told.back(), 1);

    all.d = before;
    source.request_stop();
    EXPECT_EQ(all.plan.execute_batch(batch, {.control = &control}).code(), errc::stopped);
    EXPECT_EQ(all.d, before);
}

} // namespace
} // namespace tenfold
