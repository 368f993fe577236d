// Tests tensors in several copies: who reads which, and writes by hand.
#include <utility>

#include <tenfold/dist_files.hpp>

#include "mpi/files.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

distribution everywhere(const extents_t &extents) {
    return distribution::replicated(extents, ranks().size(), ranks().size());
}

/// Calls `read` before and after refresh().
template <class Read> void expect_refused_until_refreshed(dist_tensor<double> &tensor,
                                                          const char *what, const Read &read) {
    SCOPED_TRACE(what);
    const bool has_copies = tensor.distribution().copies() > 1;
    if (ranks().rank() == 0)
        static_cast<void>(tensor.local());
    const failure refused = failure_of(read);
    EXPECT_EQ(refused.code, has_copies ? errc::invalid_argument : errc::ok);
    EXPECT_EQ(refused.message.find("call refresh()") != std::string::npos, has_copies);
    tensor.refresh();
    const failure none = failure_of(read);
    EXPECT_EQ(none.code, errc::ok) << none.message;
}

TEST(DistCopies, WrittenByHandAreReadAfterRefreshOnly) {
    const shared_folder folder;
    const extents_t extents{4, 4};
    dist_tensor<double> a(ranks(), extents, everywhere(extents));
    fill_values(a, 1);
    dist_tensor<double> b(ranks(), extents);
    fill_values(b, 2);
    dist_tensor<double> d(ranks(), extents);
    dist_options adds;
    adds.beta = 1.0;
    const auto check = [&](const char *what, const auto &read) {
        expect_refused_until_refreshed(a, what, read);
    };
    check("gather_all", [&] { a.gather_all(); });
    check("read", [&] { a.read({0, 0}, {1, 1}); });
    check("gather", [&] { a.gather(0); });
    check("redistribute", [&] { a.redistribute(b.distribution()); });
    check("norm", [&] { a.norm(); });
    check("dot", [&] { dot(a, b); });
    check("dot", [&] { dot(b, a); });
    check("contract A", [&] { contract("mn=mk*kn", a, b, d); });
    check("contract B", [&] { contract("mn=mk*kn", b, a, d); });
    check("contract D", [&] { contract("mn=mk*kn", b, b, a, adds); });
    check("contract one input", [&] { contract("mn=nm", a, d); });
    check("sequence", [&] { contract<double>("mn=mk*kl*ln", {b, a, b}, d); });
    check("sequence D", [&] { contract<double>("mn+=mk*kl*ln", {b, b, b}, a); });
    check("save", [&] { save(folder.file("copies"), a); });
    check("save_npy", [&] { save_npy(folder.file("copies.npy"), a); });
}

TEST(DistCopies, AreEqualAfterEveryElementWasWritten) {
    const shared_folder folder;
    const extents_t extents{5, 3};
    dist_tensor<double> a(ranks(), extents, everywhere(extents));
    fill_values(a, 1);
    save(folder.file("copies"), a);
    dist_tensor<double> d(ranks(), {5, 5});
    const tensor<double> whole = make_values<double>(extents, 2);
    const auto after = [&](const char *what, const tensor<double> &expected, const auto &write) {
        SCOPED_TRACE(what);
        std::fill_n(a.data(), a.local_slice().size(), -1.0 - ranks().rank());
        write();
        EXPECT_TRUE(holds(a, expected));
        EXPECT_TRUE(equal(a.gather_all(), expected));
    };
    const tensor<double> ones = [&] {
        tensor<double> all(extents);
        std::fill_n(all.data(), all.size(), 1.0);
        return all;
    }();
    after("fill", ones, [&] { a.fill(1.0); });
    after("fill by position", make_values<double>(extents, 3), [&] { fill_values(a, 3); });
    after("scatter", whole, [&] { a.scatter(whole.view(), ranks().size() - 1); });
    after("load", make_values<double>(extents, 1), [&] { load(folder.file("copies"), a); });
    dist_tensor<double> unit(ranks(), {3, 3});
    unit.fill([](const extents_t &offsets, tensor_view<double> block) {
        double *next = block.data();
        for_each_position(offsets, block.shape().extents(), [&](const extents_t &position) {
            *next++ = position[0] == position[1] ? 1.0 : 0.0;
        });
    });
    dist_tensor<double> other(ranks(), extents);
    fill_values(other, 4);
    after("contract", make_values<double>(extents, 4),
          [&] { contract("mn=mk*kn", other, unit, a); });
}

TEST(DistCopies, RefreshTakesTheFirst) {
    const extents_t extents{3, 4};
    for (int copies = 1; copies <= ranks().size(); ++copies) {
        const distribution spread = distribution::replicated(extents, ranks().size(), copies);
        dist_tensor<double> a(ranks(), extents, spread);
        const int copy = spread.copy_of(ranks().rank());
        std::fill_n(a.data(), a.local_slice().size(), 10.0 + copy);
        a.refresh();
        tensor<double> tens(extents);
        std::fill_n(tens.data(), tens.size(), 10.0);
        EXPECT_TRUE(holds(a, tens));
        EXPECT_TRUE(equal(a.gather_all(), tens));
    }
}

/// What differs between ranks is asked for once.
TEST(DistCopies, FillAsksTheFirst) {
    const extents_t extents{3, 4};
    dist_tensor<double> a(ranks(), extents, everywhere(extents));
    a.fill([](const extents_t &, tensor_view<double> block) {
        std::fill_n(block.data(), block.size(), 1.0 + ranks().rank());
    });
    tensor<double> ones(extents);
    std::fill_n(ones.data(), ones.size(), 1.0);
    EXPECT_TRUE(holds(a, ones));
}

TEST(DistCopies, MoveWithTheirState) {
    const extents_t extents{3, 4};
    dist_tensor<double> a(ranks(), extents, everywhere(extents));
    static_cast<void>(a.local());
    dist_tensor<double> moved = std::move(a);
    const errc expected = ranks().size() > 1 ? errc::invalid_argument : errc::ok;
    EXPECT_EQ(failure_of([&] { moved.norm(); }).code, expected);
    a = std::move(moved);
    EXPECT_EQ(failure_of([&] { a.norm(); }).code, expected);
}

/// Sums over all elements count each once, and do not depend on the number of copies.
TEST(DistCopies, AreCountedOnce) {
    const extents_t extents{7, 5, 3};
    dist_tensor<c64> once(ranks(), extents);
    fill_reals(once, 1);
    dist_tensor<c64> other(ranks(), extents);
    fill_reals(other, 2);
    for (int copies = 1; copies <= ranks().size(); ++copies) {
        const distribution spread = distribution::replicated(extents, ranks().size(), copies);
        const dist_tensor<c64> more = once.redistribute(spread);
        EXPECT_EQ(more.norm(), once.norm());
        EXPECT_EQ(dot(more, other), dot(once, other));
        EXPECT_EQ(dot(other, more), dot(other, once));
    }
}

TEST(DistCopies, OfSmallInputsAreNotMoved) {
    const int size = ranks().size();
    const distribution rows({24 * size, 6}, {size, 1}, size);
    dist_tensor<double> a(ranks(), {24 * size, 6}, rows);
    dist_tensor<double> b(ranks(), {6, 6}, everywhere({6, 6}));
    dist_tensor<double> d(ranks(), {24 * size, 6}, rows);
    fill_values(a, 1);
    fill_values(b, 2);
    dist_options options;
    options.grid = processor_grid{1, size, 1, 1};
    const dist_report report = contract("mn=mk*kn", a, b, d, options);
    EXPECT_EQ(report.bytes_received_max, bytes(0));
    EXPECT_EQ(report.redistribution_max, bytes(0));
    dist_tensor<double> spread(ranks(), {6, 6});
    fill_values(spread, 2);
    dist_tensor<double> again(ranks(), {24 * size, 6}, rows);
    const dist_report moving = contract("mn=mk*kn", a, spread, again, options);
    EXPECT_EQ(moving.bytes_received_max.value + moving.redistribution_max.value > 0, size > 1);
    EXPECT_TRUE(equal(d.gather_all(), again.gather_all()));
}

} // namespace
} // namespace tenfold::testing
