// If an allocation fails on one rank, all ranks throw or all succeed.
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/dist_trace.hpp>

#include "mpi/allocation_failure.hpp"
#include "mpi/files.hpp"

namespace tenfold::testing {
namespace {

class AllocationFailure : public ::testing::Test {
protected:
    AllocationFailure() { fill_values(a, 1); }

    distribution rows() const { return {shape, {ranks().size(), 1}, ranks().size()}; }
    distribution columns() const { return {shape, {1, ranks().size()}, ranks().size()}; }
    void expect_values(const tensor<double> &found) const {
        EXPECT_TRUE(equal(found, make_values<double>(shape, 1)));
    }

    const extents_t shape{6, 5};
    dist_tensor<double> a{ranks(), shape, rows()};
};

TEST_F(AllocationFailure, InNorm) {
    const dist_tensor<double> zero(ranks(), shape);
    const dist_tensor<c64> complex(ranks(), shape);
    fail_each({"norm", [&] { return trial{[&] { EXPECT_EQ(zero.norm(), 0); }}; }});
    fail_each({"norm", [&] { return trial{[&] { EXPECT_EQ(complex.norm(), 0); }}; }});
}

TEST_F(AllocationFailure, InRedistribute) {
    fail_each({"redistribute", [&] {
                   auto to = std::make_shared<distribution>(columns());
                   auto result = std::make_shared<std::optional<dist_tensor<double>>>();
                   return trial{[&, to, result] { *result = a.redistribute(std::move(*to)); },
                                [&, result] { expect_values((**result).gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InANewWorld) {
    fail_each({"world", [&] { return trial{[] { const world made(MPI_COMM_WORLD); }}; }});
}

TEST_F(AllocationFailure, InANewTensor) {
    fail_each({"dist_tensor", [&] {
                   auto extents = std::make_shared<extents_t>(shape);
                   return trial{
                       [extents] { const dist_tensor<double> made(ranks(), std::move(*extents)); }};
               }});
    fail_each({"dist_tensor", [&] {
                   auto extents = std::make_shared<extents_t>(shape);
                   auto spread = std::make_shared<distribution>(rows());
                   return trial{[extents, spread] {
                       const dist_tensor<double> made(ranks(), std::move(*extents),
                                                      std::move(*spread));
                   }};
               }});
}

TEST_F(AllocationFailure, InFill) {
    fail_each({"fill", [&] {
                   return trial{[&] { fill_values(a, 1); }, [&] { expect_values(a.gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InCopies) {
    const int size = ranks().size();
    dist_tensor<double> copies(ranks(), shape, distribution::replicated(shape, size, size));
    fill_values(copies, 1);
    const auto check = [&] { expect_values(copies.gather_all()); };
    fail_each({"refresh", [&] { return trial{[&] { copies.refresh(); }, check}; }});
    fail_each({"fill", [&] { return trial{[&] { fill_values(copies, 1); }, check}; }});
    fail_each({"norm", [&] { return trial{[&] { EXPECT_GT(copies.norm(), 0); }}; }});
}

TEST_F(AllocationFailure, InRead) {
    const slice part{{1, 0}, {3, 4}};
    fail_each({"read", [&] { return trial{[&] { static_cast<void>(a.read(part)); }}; }});
    auto into = std::make_shared<tensor<double>>(extents_t{3, 4});
    fail_each({"read", [&] {
                   auto view = std::make_shared<tensor_view<double>>(into->view());
                   return trial{[&a = a, &part, view] { a.read_into(part, std::move(*view)); }};
               }});
}

TEST_F(AllocationFailure, InWrite) {
    const tensor<double> values = make_values<double>(shape, 1);
    const slice everything{{0, 0}, shape};
    const slice nothing{{0, 0}, {0, 0}, true};
    fail_each({"write", [&] {
                   auto view = std::make_shared<tensor_view<const double>>(values.view());
                   return trial{[&, view] {
                                    a.write(ranks().rank() == 0 ? everything : nothing,
                                            std::move(*view));
                                },
                                [&] { expect_values(a.gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InGatherAndScatter) {
    fail_each(
        {"read", [&] {
             auto all = std::make_shared<std::optional<tensor<double>>>();
             return trial{[&, all] { *all = a.gather_all(); }, [&, all] { expect_values(**all); }};
         }});
    fail_each({"", [&] {
                   return trial{
                       [&] { EXPECT_EQ(a.gather(1).size(), ranks().rank() == 1 ? 30 : 0); }};
               }});
    const tensor<double> values = make_values<double>(shape, 1);
    fail_each({"", [&] {
                   auto view = std::make_shared<tensor_view<const double>>(values.view());
                   return trial{[&, view] { a.scatter(std::move(*view), 0); },
                                [&] { expect_values(a.gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InDot) {
    const dist_tensor<double> b = a.redistribute(columns());
    fail_each({"", [&] { return trial{[&] { EXPECT_GT(dot(a, b), 0); }}; }});
}

/// Planning makes thousands of allocations, so that only the long tests (TENFOLD_TEST_LONG) fail
/// each of them. The others contract as the known plan says.
bool is_long() { return std::getenv("TENFOLD_TEST_LONG") != nullptr; }

class AllocationFailureInContract : public AllocationFailure {
protected:
    AllocationFailureInContract() {
        fill_values(b, 2);
        fill_values(c, 5);
        fill_values(e, 6);
    }

    /// Tries `contracts(ctx)` with contexts that know its plan (null) or know none.
    void fail_each_in(
        const std::function<void(const context *ctx)> &contracts,
        const std::function<void()> &prepare = [] {}, const std::function<void()> &check = [] {},
        const char *name = "contract") {
        prepare();
        contracts(nullptr);
        fail_each({name, [&] {
                       prepare();
                       return trial{[&] { contracts(nullptr); }, check};
                   }});
        if (is_long())
            fail_each({name, [&] {
                           prepare();
                           auto ctx = std::make_shared<context>(typical());
                           return trial{[&, ctx] { contracts(ctx.get()); }, check};
                       }});
    }

    /// Tries "mn=mk*kn" with these options.
    void contract_with(const dist_options &given) {
        const auto prepare = [&] { fill_values(d, 3); };
        prepare();
        contract("mn=mk*kn", c, b, d, given);
        const tensor<double> expected = d.gather_all();
        fail_each_in(
            [&](const context *ctx) {
                dist_options options = given;
                options.ctx = ctx;
                contract("mn=mk*kn", c, b, d, options);
            },
            prepare, [&] { EXPECT_TRUE(equal(d.gather_all(), expected)); });
    }
    static settings typical() {
        settings chosen = settings::from_environment();
        chosen.calibration = "off";
        return chosen;
    }

    dist_tensor<double> b{ranks(), {10, 8}};
    dist_tensor<double> c{ranks(), {12, 10}};
    dist_tensor<double> d{ranks(), {12, 8}};
    dist_tensor<double> e{ranks(), {8, 5}};
};

TEST_F(AllocationFailureInContract, ThatGathers) { contract_with({}); }

TEST_F(AllocationFailureInContract, InSteps) {
    contract_with({.beta = 2.0,
                   .grid = processor_grid{.m = ranks().size()},
                   .step = step_size{.n = 3, .k = 4}});
}

TEST_F(AllocationFailureInContract, ThatSums) {
    contract_with({.beta = 2.0, .grid = processor_grid{.k = ranks().size()}});
}

TEST_F(AllocationFailureInContract, ThatIsReproducible) {
    contract_with({.beta = 2.0, .reproducible = true});
}

TEST_F(AllocationFailureInContract, WithAnEpilogue) {
    contraction_epilogue doubles;
    doubles.scale(2.0);
    contract_with({.epilogue = &doubles});
}

TEST_F(AllocationFailureInContract, OfOneInput) {
    dist_tensor<double> sums(ranks(), {12});
    fail_each_in([&](const context *ctx) { contract("m=mk", c, sums, {.ctx = ctx}); });
}

TEST_F(AllocationFailureInContract, OfThreeInputs) {
    dist_tensor<double> f(ranks(), {12, 5});
    const std::vector<dist_input<double>> inputs{c, b, e};
    const auto contracts = [&](const context *ctx) {
        contract<double>("mp=mk*kn*np", std::span(inputs), f, {.ctx = ctx});
    };
    const auto nothing = [] {};
    fail_each_in(contracts, nothing, nothing, ""); // new tensors are steps of the call
}

TEST_F(AllocationFailure, InCheckpoints) {
    const shared_folder folder;
    const std::string file = folder.path() + "/a-name-that-is-not-short";
    std::vector<tensor_to_save> saved;
    std::vector<tensor_to_load> loaded;
    saved.emplace_back("amplitudes of doubles", a);
    dist_tensor<double> b(ranks(), shape);
    loaded.emplace_back("amplitudes of doubles", b);
    fail_each({"save", [&] { return trial{[&] { save(ranks(), file, saved); }}; }});
    fail_each({"load", [&] {
                   return trial{[&] { load(ranks(), file, loaded); },
                                [&] { expect_values(b.gather_all()); }};
               }});
    fail_each({"stored_tensors", [&] {
                   return trial{[&] { EXPECT_EQ(stored_tensors(ranks(), file).size(), 1U); }};
               }});
}

TEST_F(AllocationFailure, InNumpyFiles) {
    const shared_folder folder;
    const std::string file = folder.path() + "/a-name-that-is-not-short.npy";
    dist_tensor<double> b(ranks(), shape);
    fail_each({"save_npy", [&] { return trial{[&] { save_npy(file, a); }}; }});
    fail_each({"load_npy", [&] {
                   return trial{[&] { load_npy(file, b); }, [&] { expect_values(b.gather_all()); }};
               }});
    fail_each({"stored_npy", [&] {
                   return trial{[&] { EXPECT_EQ(stored_npy(ranks(), file).extents, shape); }};
               }});
}

TEST_F(AllocationFailure, InTraces) {
    const shared_folder folder;
    const std::string file = folder.path() + "/a-name-that-is-not-short.json";
    fail_each({"trace", [&] { return trial{[] { const dist_trace made(ranks()); }}; }});
    // Every try records a trace of its own, because a trace grows with every call.
    fail_each({"norm", [&] {
                   auto trace = std::make_shared<dist_trace>(ranks());
                   return trial{[&, trace] { EXPECT_GT(a.norm(), 0); }};
               }});
    fail_each({"write trace", [&] {
                   auto trace = std::make_shared<dist_trace>(ranks());
                   a.norm();
                   return trial{[&, trace] { trace->write(file); }};
               }});
}

} // namespace
} // namespace tenfold::testing
