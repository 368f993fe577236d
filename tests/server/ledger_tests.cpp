// Admission, chunks and the catalogue.
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "apps/server/catalogue.hpp"
#include "apps/server/chunks.hpp"
#include "apps/server/ledger.hpp"

namespace tenfold::server {
namespace {

TEST(Ledger, CountsTensorsBodiesAndJobsOnEachRank) {
    memory_ledger ledger(2, byte_count{1000});
    ledger.admit(1, {{100, 50}, {300, 300}});
    EXPECT_EQ(ledger.least_for({}).value, 400);
    EXPECT_EQ(ledger.least_for({{0, 400}, {0, 0}}).value, 750);
    EXPECT_EQ(ledger.least_for({{0, 0}, {200, 500}}).value, 550); // one job at a time
    ledger.add_staging(70);
    EXPECT_EQ(ledger.least_for({}).value, 470);
    EXPECT_EQ(ledger.least_for_staging(30).value, 500);
    EXPECT_EQ(ledger.headroom({}).value, 1000 - 170);
    ledger.end(1, true);
    EXPECT_EQ(ledger.resident().value, 100);
    EXPECT_EQ(ledger.least_for({}).value, 170);
    EXPECT_EQ(ledger.headroom({100, 50}).value, 930);
    ledger.release({100, 50});
    EXPECT_EQ(ledger.least_for({}).value, 70);
    EXPECT_EQ(ledger.least_for_staging(0).value, 170); // the elements are still there
    ledger.dropped();
    EXPECT_EQ(ledger.least_for_staging(0).value, 70);
}

TEST(Ledger, AdmitsNothingWhoseSumIsNoNumber) {
    memory_ledger ledger(2, byte_count{1000});
    ledger.admit(1, {{100, 0}, {}});
    ledger.end(1, true);
    const index_t most = std::numeric_limits<index_t>::max();
    EXPECT_GT(ledger.least_for({{most - 10, 0}, {}}), ledger.limit());
    EXPECT_GT(ledger.least_for({{0, most}, {0, most}}), ledger.limit());
    EXPECT_GT(ledger.least_for_staging(most), ledger.limit());
}

TEST(Ledger, ForgetsTheOutputOfJobsThatFail) {
    memory_ledger ledger(1, byte_count{100});
    ledger.admit(7, {{60}, {60}});
    EXPECT_GT(ledger.least_for({}), ledger.limit());
    ledger.end(7, false);
    ledger.end(7, false);
    EXPECT_EQ(ledger.least_for({}).value, 0);
}

TEST(Ledger, NeverAdmitsMoreThanTheLimitWhateverTheOrder) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto draw = [&](int most) {
        return static_cast<index_t>(random() % (static_cast<unsigned>(most) + 1));
    };
    for (int round = 0; round < 50; ++round) {
        memory_ledger ledger(3, byte_count{1000});
        struct admitted {
            std::uint64_t number;
            memory_demand job;
        };
        std::vector<admitted> waiting;
        per_rank resident(3);
        for (std::uint64_t step = 1; step < 60; ++step) {
            const memory_demand job{{draw(150), draw(150), draw(150)},
                                    {draw(500), draw(500), draw(500)}};
            if (ledger.least_for(job) <= ledger.limit()) {
                ledger.admit(step, job);
                waiting.push_back({step, job});
            }
            if (waiting.empty() || draw(2) == 0)
                continue;
            // Any of them runs next, whatever was admitted first.
            const auto next = waiting.begin() + draw(static_cast<int>(waiting.size()) - 1);
            const bool succeeds = draw(3) > 0;
            for (std::size_t rank = 0; rank < 3; ++rank) {
                EXPECT_LE(resident[rank] + next->job.output[rank] + next->job.temporary[rank],
                          1000);
                resident[rank] += succeeds ? next->job.output[rank] : 0;
            }
            ledger.end(next->number, succeeds);
            waiting.erase(next);
            EXPECT_EQ(ledger.resident_by_rank(), resident);
        }
    }
}

TEST(Ledger, KnowsTheBytesOfEachRank) {
    const auto spread = distribution::block({5, 4}, 2);
    const per_rank bytes = bytes_of(spread, data_type::c64);
    EXPECT_EQ(bytes[0] + bytes[1], 5 * 4 * 16);
    EXPECT_EQ(bytes_of(distribution::on_rank({}, 2, 1), data_type::f64), (per_rank{0, 8}));
}

TEST(Chunks, CoverArraysInTheOrderOfTheirElements) {
    for (const memory_order order : {memory_order::c, memory_order::fortran})
        for (const extents_t &extents :
             {extents_t{}, {7}, {3, 4}, {2, 3, 5}, {1, 6, 1, 2}, {4, 0, 2}, {0}})
            for (const index_t most : {1, 2, 5, 6, 7, 100}) {
                SCOPED_TRACE(layout(extents).describe() + " by " + std::to_string(most));
                const layout whole = dense(extents, order);
                index_t next = 0;
                for (const slice &box : chunks_of(extents, order, most)) {
                    EXPECT_LE(box.size(), most);
                    EXPECT_EQ(whole.offset_of(box.offsets), next);
                    // Within the box, too: its layout is dense in the whole.
                    const layout inside = whole.block(box.offsets, box.extents);
                    EXPECT_EQ(inside.highest(), box.size() - 1);
                    next += box.size();
                }
                EXPECT_EQ(next, whole.size());
            }
}

tensor_pointer tensor_of(std::uint64_t id, const std::string &user, const std::string &name) {
    auto made = std::make_shared<tensor_record>();
    made->id = id;
    made->user = user;
    made->name = name;
    made->type = data_type::f64;
    return made;
}

TEST(Catalogue, KeepsTensorsThatJobsReadUntilTheyHave) {
    catalogue tensors;
    const tensor_pointer first = tensor_of(1, "ada", "A"), second = tensor_of(2, "ada", "A");
    tensors.bind(first);
    tensors.pin(first);
    tensors.bind(second);
    EXPECT_EQ(tensors.find("ada", "A"), second);
    EXPECT_TRUE(tensors.take_unreachable().empty());
    tensors.unpin(first);
    EXPECT_EQ(tensors.take_unreachable(), std::vector{first});
    tensors.unbind(second);
    tensors.unbind(second);
    EXPECT_EQ(tensors.take_unreachable(), std::vector{second});
    EXPECT_EQ(tensors.find("ada", "A"), nullptr);
}

TEST(Catalogue, KeepsUsersApart) {
    catalogue tensors;
    tensors.bind(tensor_of(1, "ada", "A"));
    tensors.bind(tensor_of(2, "bob", "A"));
    tensors.bind(tensor_of(3, "bob", "B"));
    EXPECT_EQ(tensors.find("ada", "B"), nullptr);
    EXPECT_EQ(tensors.of_user("bob").size(), 2U);
    EXPECT_EQ(tensors.of_user("bo").size(), 0U);
    tensors.rename(tensors.find("bob", "B"), "C");
    EXPECT_EQ(tensors.find("bob", "C")->id, 3U);
    EXPECT_TRUE(tensors.take_unreachable().empty());
}

TEST(Catalogue, ListsWhatOthersShare) {
    catalogue tensors;
    const tensor_pointer a = tensor_of(1, "ada", "A"), b = tensor_of(2, "ada", "B");
    tensors.bind(a);
    tensors.bind(b);
    tensors.bind(tensor_of(3, "bob", "C"));
    tensors.take_changed();
    tensors.share(b, "bob", access_right::write);
    tensors.share(a, "bob", access_right::read);
    EXPECT_EQ(tensors.take_changed(), (std::set<std::string>{"ada", "bob"}));
    const auto names = [&](const std::string &user) {
        std::string list;
        for (const tensor_pointer &one : tensors.visible_to(user))
            list += one->name_for(user) + " ";
        return list;
    };
    EXPECT_EQ(names("ada"), "A B ");
    EXPECT_EQ(names("bob"), "C ada:A ada:B ");
    EXPECT_EQ(names("carol"), "");
    EXPECT_EQ(a->right_of("ada"), access_right::own);
    EXPECT_EQ(b->right_of("bob"), access_right::write);
    EXPECT_EQ(b->right_of("carol"), access_right::none);
    tensors.rename(a, "Z");
    EXPECT_EQ(names("bob"), "C ada:B ada:Z ");
    // One that takes the name is listed by its own shares.
    tensors.bind(tensor_of(4, "ada", "Z"));
    EXPECT_EQ(names("bob"), "C ada:B ");
    tensors.take_changed();
    tensors.unbind(b);
    EXPECT_EQ(names("bob"), "C ");
    EXPECT_EQ(tensors.take_changed(), (std::set<std::string>{"ada", "bob"}));
    const auto own = tensor_address::parse("A.1", "ada"),
               other = tensor_address::parse("b@c:A", "ada");
    EXPECT_EQ(own.owner + "/" + own.name, "ada/A.1");
    EXPECT_EQ(other.owner + "/" + other.name, "b@c/A");
}

TEST(Catalogue, RefusesNamesThatCouldBePaths) {
    for (const char *fine : {"A", "T2.old", "t-0_1", "9"})
        EXPECT_TRUE(is_tensor_name(fine)) << fine;
    for (const std::string &wrong :
         {std::string(), std::string("."), std::string(".a"), std::string("a/b"),
          std::string("a b"), std::string("a:b"), std::string("\xc3\xa4"), std::string(129, 'a'),
          std::string("a\0b", 3)})
        EXPECT_FALSE(is_tensor_name(wrong)) << wrong;
}

} // namespace
} // namespace tenfold::server
