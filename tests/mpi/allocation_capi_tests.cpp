// The same of the C interface, whose calls copy arguments before the ranks agree.
#include <cstdint>

#include <tenfold/tenfold_dist.h>

#include "mpi/allocation_failure.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

void check(tenfold_error code) {
    if (code != TENFOLD_OK)
        throw error(static_cast<errc>(code), tenfold_last_error());
}

class AllocationFailureInC : public ::testing::Test {
protected:
    AllocationFailureInC() {
        check(tenfold_world_create(MPI_COMM_WORLD, &everyone));
        for (tenfold_dist_tensor **made : {&a, &b, &c, &d})
            check(tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, nullptr, made));
    }
    ~AllocationFailureInC() override {
        for (tenfold_dist_tensor *made : {a, b, c, d})
            tenfold_dist_destroy(made);
        tenfold_world_destroy(everyone);
    }

    static constexpr std::int64_t extents[2] = {6, 6};
    tenfold_world *everyone = nullptr;
    tenfold_dist_tensor *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
};

TEST_F(AllocationFailureInC, InANewWorld) {
    fail_each({"", [] {
                   return trial{[] {
                       tenfold_world *made = nullptr;
                       check(tenfold_world_create(MPI_COMM_WORLD, &made));
                       tenfold_world_destroy(made);
                   }};
               }});
}

TEST_F(AllocationFailureInC, InANewTensor) {
    fail_each({"", [&] {
                   return trial{[&] {
                       tenfold_dist_tensor *made = nullptr;
                       check(
                           tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, nullptr, &made));
                       tenfold_dist_destroy(made);
                   }};
               }});
}

TEST_F(AllocationFailureInC, InRead) {
    double values[36];
    const tenfold_tensor to{TENFOLD_F64, 2, extents, nullptr, 0};
    fail_each(
        {"", [&] { return trial{[&] { check(tenfold_dist_read(a, nullptr, &to, values)); }}; }});
}

TEST_F(AllocationFailureInC, InOperations) {
    const tenfold_dist_term terms[] = {{{2, 0}, a}, {{3, 0}, b}};
    const std::int64_t row[] = {1, 6}, begin[] = {0, 0}, positions[] = {1, 2, 3, 4};
    double values[36] = {};
    const tenfold_dist_box box{begin, {TENFOLD_F64, 2, row, nullptr, 0}, values};
    const auto fails = [](auto call) { fail_each({"", [=] { return trial{call}; }}); };
    fails([&] { check(tenfold_dist_combine(terms, 2, c)); });
    fails([&] { check(tenfold_dist_transpose("ij=ji", a, nullptr, c, nullptr, nullptr)); });
    fails([&] { check(tenfold_dist_read_elements(a, 2, positions, values)); });
    fails([&] { check(tenfold_dist_export_boxes(a, &box, 1)); });
    fails([&] {
        std::int64_t found = 0, where[4];
        check(tenfold_dist_largest(a, 2, nullptr, where, values, &found));
    });
}

TEST_F(AllocationFailureInC, InListsAndParts) {
    const double values[] = {1, 2, 3}, costs[] = {5, 4, 3, 2, 1};
    double whole[36] = {};
    const tenfold_tensor to{TENFOLD_F64, 2, extents, nullptr, 0};
    tenfold_task_options by_cost{};
    by_cost.size = sizeof by_cost;
    by_cost.costs = costs;
    const auto fails = [](auto call) { fail_each({"", [=] { return trial{call}; }}); };
    fails([&] { check(tenfold_dist_gather_slice(a, nullptr, &to, whole)); });
    fails([&] {
        tenfold_item_list *all = nullptr;
        check(tenfold_all_gather_lists(everyone, sizeof(double), values, 3, &all));
        tenfold_item_list_destroy(all);
    });
    fails([&] {
        const auto nothing = [](std::int64_t, void *) -> std::int32_t { return 0; };
        check(tenfold_for_each_task(everyone, 5, nothing, nullptr, &by_cost));
    });
    fails([&] { check(tenfold_dist_copy_to_part(a, b)); });
}

TEST_F(AllocationFailureInC, InContractionsOfSeveralInputs) {
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}, {c, 0}};
    const auto contracts = [&] {
        check(tenfold_dist_contract("mp=mk*kn*np", inputs, 3, d, nullptr, nullptr));
    };
    contracts(); // now the plan is known
    fail_each({"", [&] { return trial{contracts}; }});
}

TEST_F(AllocationFailureInC, InRecordedContractions) {
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}};
    const auto contracts = [&] {
        tenfold_dist_record *record = nullptr;
        check(tenfold_dist_contract_recorded("mn=mk*kn", inputs, 2, d, nullptr, &record));
        tenfold_dist_record_destroy(record);
    };
    contracts();
    fail_each({"", [&] { return trial{contracts}; }});
}

} // namespace
} // namespace tenfold::testing
