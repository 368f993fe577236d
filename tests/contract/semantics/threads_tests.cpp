// Tests the section "Threads and repetition" of docs/semantics.md.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include <omp.h>

#include "support/random.hpp"
#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// Runs "bna=akn*nkb" and compares D's values after each execution.
template <class T> class product {
public:
    explicit product(int seed) {
        a_.fill(seed);
        b_.fill(seed + 1);
    }
    contraction_plan plan(const contract_options &options) {
        return make_plan("bna=akn*nkb", a_, b_, d_, options);
    }
    void execute_and_check(const contraction_plan &plan) {
        d_.poison();
        static_cast<void>(d_.out());
        EXPECT_TRUE(plan.execute(2.0, a_.data(), b_.data(), 0.0, nullptr, d_.data()));
        expect_equal(d_, [&](index_t j, index_t n, index_t i) {
            return 2.0 * sum(31, [&](index_t k) { return a_(i, k, n) * b_(n, k, j); });
        });
    }

private:
    test_tensor<T> a_{extents_t{37, 31, 6}}, b_{extents_t{6, 31, 29}}, d_{extents_t{29, 6, 37}};
};

TEST(Semantics, TooManyThreadsAreRefused) {
    // Too many threads are refused before they are started or a division among them is searched
    // for.
    for (const int threads : {4097, 100'000, INT32_MAX}) {
        const std::string fault = "threads is " + std::to_string(threads) + "; it is 0 to 4096";
        test_tensor<double> a({200, 200}), b({200, 200}), d({200, 200});
        d.fill(1);
        expect_refused(errc::invalid_argument, fault, d,
                       [&] { contract("ab=ak*kb", a, b, d, {.threads = threads}); });
        expect_refused(errc::invalid_argument, fault, d, [&] {
            contract("ab=ak*kl*lb", {a.in(), b.in(), b.in()}, d, {.threads = threads});
        });
        expect_refused(errc::invalid_argument, fault, d, [&] {
            settings wanted;
            wanted.threads = threads;
            context{wanted};
        });
    }
}

TEST(Semantics, ConcurrentExecution) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            const contraction_plan plan = product<T>(0).plan(options);
            std::vector<std::thread> threads;
            for (int t = 1; t <= 4; ++t)
                threads.emplace_back([&plan, t] {
                    product<T> own(10 * t);
                    for (int repetition = 0; repetition < 3; ++repetition)
                        own.execute_and_check(plan);
                });
            for (std::thread &thread : threads)
                thread.join();
        });
    });
}

/// The settings that omp_set_*() changes.
struct openmp_state {
    int threads = omp_get_max_threads();
    int dynamic = omp_get_dynamic();
    int levels = omp_get_max_active_levels();
    int thread_limit = omp_get_thread_limit();
    int device = omp_get_default_device();
    omp_sched_t schedule{};
    int chunk = 0;

    openmp_state() { omp_get_schedule(&schedule, &chunk); }
    bool operator==(const openmp_state &) const = default;
};

TEST(Semantics, OpenMpStateIsUntouched) {
    const openmp_state original;
    // Unusual values, so that a change shows.
    omp_set_num_threads(7);
    omp_set_dynamic(1);
    omp_set_max_active_levels(5);
    omp_set_schedule(omp_sched_guided, 13);
    const openmp_state unusual;
    EXPECT_NE(unusual, original);
    every_way([&](const contract_options &options) {
        product<double> x(1);
        x.execute_and_check(x.plan(options));
        EXPECT_EQ(openmp_state(), unusual);
    });
    omp_set_num_threads(original.threads);
    omp_set_dynamic(original.dynamic);
    omp_set_max_active_levels(original.levels);
    omp_set_schedule(original.schedule, original.chunk);
}

std::ptrdiff_t threads_of_this_process() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
}

TEST(Semantics, InsideAParallelRegion) {
    const int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(4); // nested regions would have threads of their own
    every_way([](const contract_options &options) {
        contract_options with_threads = options;
        with_threads.threads = 3 * options.threads;
        const contraction_plan plan = product<double>(0).plan(with_threads);
        std::ptrdiff_t before = 0, after = 0;
        int members = 0;
#pragma omp parallel num_threads(2)
        {
            const int member = omp_get_thread_num();
            product<double> own(10 * member);
#pragma omp barrier
#pragma omp single
            before = threads_of_this_process();
            own.execute_and_check(plan);
            EXPECT_EQ(omp_get_thread_num(), member);
#pragma omp barrier
#pragma omp single
            {
                after = threads_of_this_process();
                members = omp_get_num_threads();
            }
        }
        EXPECT_EQ(members, 2);
        EXPECT_EQ(after, before) << "threads were started beside the region's own";
    });
    omp_set_max_active_levels(levels);
}

/// Returns D's bytes after "abn=axkn*nkb" with values whose sums depend on their order.
template <class T> std::vector<std::byte> bits(const contract_options &options, extents_t a,
                                               extents_t b, extents_t d) {
    tensor<T> ta(std::move(a)), tb(std::move(b)), td(std::move(d));
    random_source random(0);
    for (tensor<T> *one : {&ta, &tb, &td})
        for (index_t i = 0; i < one->size(); ++i) {
            exact_t<T> value = random.real() - 0.5;
            if constexpr (is_complex(data_type_of<T>))
                value = {value.real(), random.real() - 0.5};
            one->data()[i] = rounded<T>(value);
        }
    contract("abn=axkn*nkb", ta, tb, td, scaled(options, 0.7, 0.3));
    const auto *first = reinterpret_cast<const std::byte *>(td.data());
    return {first, first + static_cast<std::size_t>(td.size()) * sizeof(T)};
}

/// Shapes for which it is natural to share the sum, the batch or the output among threads.
template <class Body> void every_shape(const Body &body) {
    struct shape {
        const char *what;
        extents_t a, b, d;
    };
    for (const shape &one : {shape{"long sum", {5, 1, 9001, 1}, {1, 9001, 3}, {5, 3, 1}},
                             shape{"batch", {7, 1, 53, 61}, {61, 53, 9}, {7, 9, 61}},
                             shape{"square", {97, 1, 101, 1}, {1, 101, 67}, {97, 67, 1}},
                             shape{"isolated", {23, 9, 61, 2}, {2, 61, 19}, {23, 19, 2}},
                             shape{"dot product", {1, 1, 100003, 1}, {1, 100003, 1}, {1, 1, 1}},
                             shape{"vector", {301, 1, 203, 1}, {1, 203, 1}, {301, 1, 1}}}) {
        SCOPED_TRACE(one.what);
        body(one.a, one.b, one.d);
    }
}

TEST(Semantics, RepetitionGivesTheSameBits) {
    every_type([]<class T>(tag<T>) {
        every_shape([](const extents_t &a, const extents_t &b, const extents_t &d) {
            every_way([&](const contract_options &options) {
                const auto first = bits<T>(options, a, b, d);
                for (int repetition = 0; repetition < 2; ++repetition)
                    EXPECT_TRUE(bits<T>(options, a, b, d) == first);
            });
        });
    });
}

TEST(Semantics, ReproducibleAcrossThreads) {
    every_type([]<class T>(tag<T>) {
        every_shape([](const extents_t &a, const extents_t &b, const extents_t &d) {
            contract_options reproducible{.threads = 1, .reproducible = true};
            const auto one_thread = bits<T>(reproducible, a, b, d);
            for (const int threads : {2, 3, 5, 8}) {
                reproducible.threads = threads;
                EXPECT_TRUE(bits<T>(reproducible, a, b, d) == one_thread)
                    << threads << " threads give other bits than one";
            }
        });
    });
}

/// Half precision is widened, which rounds nothing: the bits are those of f32, which is
/// distributed.
TEST(Semantics, ReproducibleHalfPrecision) {
    const auto test = []<class Half>(Half) {
        const extents_t of_a{7, 3, 700, 2}, of_b{2, 700, 9}, of_d{7, 9, 2};
        tensor<Half> a(of_a), b(of_b);
        tensor<float> wide_a(of_a), wide_b(of_b), d(of_d), wide_d(of_d);
        random_source random(0);
        const auto fill = [&](tensor<Half> &narrow, tensor<float> &wide) {
            for (index_t i = 0; i < narrow.size(); ++i) {
                narrow.data()[i] = Half(static_cast<float>(random.real() - 0.5));
                wide.data()[i] = static_cast<float>(narrow.data()[i]);
            }
        };
        fill(a, wide_a);
        fill(b, wide_b);
        const contract_options options{.alpha = 0.7, .reproducible = true};
        contract("abn=axkn*nkb", a, b, d, options);
        contract("abn=axkn*nkb", wide_a, wide_b, wide_d, options);
        EXPECT_EQ(std::memcmp(d.data(), wide_d.data(), sizeof(float) * 7 * 9 * 2), 0);
        contract("abn=axbn", tensor<Half>({7, 3, 9, 2}), d, options); // sums one input, of zeros
        EXPECT_EQ(d.data()[0], 0);
    };
    test(bf16());
    test(f16());
}

/// There is one algorithm, and the native back end; whoever forces another one learns so.
TEST(Semantics, ReproducibleHasOneAlgorithm) {
    tensor<double> a({6, 600}), b({600, 5}), d({6, 5});
    const auto refusal = [&](contract_options options) {
        options.reproducible = true;
        try {
            contract("mn=mk*kn", a, b, d, options);
        } catch (const error &refused) {
            EXPECT_EQ(refused.code(), errc::unsupported);
            return std::string(refused.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(refusal({.algorithm = algorithm::leaves}), "");
    EXPECT_EQ(refusal({.algorithm = algorithm::ttgt}),
              "reproducible: there is one algorithm, and 'ttgt' is not it; leave it automatic");
    EXPECT_EQ(refusal({.backend = backend::blis}),
              "reproducible: the back end 'blis' makes no such promise; use 'native'");
    EXPECT_THROW(contract("mn=mk*kn", a, b, d, {.algorithm = algorithm::leaves}), error);
}

TEST(Semantics, ManyInputsReproducible) {
    test_tensor<float> a({90, 130}), b({130, 70, 3}), e({70, 3, 110}), f({110, 60});
    int seed = 0;
    for (test_tensor<float> *one : {&a, &b, &e, &f}) {
        ++seed;
        for_each_position(one->shape().extents(), [&](const extents_t &position) {
            const double value = integer_at(position, seed) / 7; // sums are rounded
            one->data()[one->shape().offset_of(position)] = static_cast<float>(value);
        });
    }
    const auto bits = [&](int threads, std::optional<byte_count> limit) {
        test_tensor<float> d({90, 60});
        d.poison();
        contract("ij,jkx,kxl,lm->im", {a.in(), b.in(), e.in(), f.in()}, d,
                 {.workspace_limit = limit, .threads = threads, .reproducible = true});
        return std::vector<float>(d.data(), d.data() + d.shape().size());
    };
    const byte_count tight = make_plan("ij,jkx,kxl,lm->im", {a.in(), b.in(), e.in(), f.in()},
                                       output(data_type::f32, nullptr, layout({90, 60})),
                                       {.threads = 1, .reproducible = true})
                                 .workspace_size();
    const std::vector<float> alone = bits(1, std::nullopt);
    for (const int threads : {2, 3, 5}) {
        EXPECT_EQ(bits(threads, std::nullopt), alone) << threads << " threads";
        EXPECT_EQ(bits(threads, tight), alone) << threads << " threads";
    }
}

} // namespace
} // namespace tenfold::testing
