// Tests wisdom's file: its content, and that no content can do harm.
#include <algorithm>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "arrays.hpp"
#include "support/temporary_folder.hpp"
#include "transpose/plan/choices.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/wisdom.hpp"

namespace tenfold {
namespace {

using namespace transpose_impl;
using testing::temporary_folder;
using testing::text_in;
using testing::write_into;

wise_choice some_choice() {
    wise_choice choice;
    choice.level = tuning::patient;
    choice.choices.strip = 32;
    choice.choices.ahead = 0;
    choice.choices.stream_threshold = never_streams;
    choice.gain = 1.25;
    choice.candidates = 9;
    choice.seconds = 0.375;
    return choice;
}

wisdom opened(const std::string &file) { return {file, "cpu", "1.0"}; }

TEST(Wisdom, WhatIsRememberedIsFound) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    wisdom first = opened(file);
    EXPECT_FALSE(first.look_up("problem").found);
    EXPECT_EQ(first.look_up("problem").fault, "") << "a file that is not there is no fault";
    EXPECT_EQ(first.remember("problem", some_choice()), "");
    EXPECT_EQ(first.remember("other", {}), "");

    wisdom second = opened(file);
    for (const wisdom *known : {&first, &second}) {
        const wisdom::answer answer = known->look_up("problem");
        ASSERT_TRUE(answer.found);
        EXPECT_EQ(answer.found->level, tuning::patient);
        EXPECT_EQ(describe(answer.found->choices), "strip 32, ahead 0, streaming off");
        EXPECT_EQ(answer.found->gain, 1.25);
        EXPECT_EQ(answer.found->candidates, 9);
        EXPECT_EQ(answer.found->seconds, 0.375);
        EXPECT_TRUE(known->look_up("other").found);
        EXPECT_FALSE(known->look_up("third").found);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "temporary files stay behind";
}

TEST(Wisdom, EveryChoiceIsKept) {
    const temporary_folder folder;
    wise_choice choice;
    index_t value = 3;
    for (const transpose_impl::choice &one : all_choices())
        choice.choices.*one.field = std::clamp(value++, one.least, one.most);
    opened(folder.file("wisdom")).remember("problem", choice);
    const wisdom::answer answer = opened(folder.file("wisdom")).look_up("problem");
    ASSERT_TRUE(answer.found);
    for (const transpose_impl::choice &one : all_choices())
        EXPECT_EQ(answer.found->choices.*one.field, choice.choices.*one.field) << one.name;
}

TEST(Wisdom, KeysTellProblemsApart) {
    const layout a({4, 5});
    const layout b({5, 4});
    const std::vector<int> swap = {1, 0};
    const reduced_problem problem = reduce(swap, a, b);
    const reduced_problem padded = reduce(swap, layout({4, 5}, {1, 6}), b);
    using enum data_type;
    const std::vector<std::string> keys = {
        wisdom_key(problem, {f32, f32, false, 1}, false, isa::avx2),
        wisdom_key(padded, {f32, f32, false, 1}, false, isa::avx2),
        wisdom_key(problem, {f32, f64, false, 1}, false, isa::avx2),
        wisdom_key(problem, {f64, f32, false, 1}, false, isa::avx2),
        wisdom_key(problem, {f32, f32, false, 1}, true, isa::avx2),
        wisdom_key(problem, {f32, f32, true, 1}, false, isa::avx2),
        wisdom_key(problem, {f32, f32, false, 1}, false, isa::avx512),
        wisdom_key(problem, {f32, f32, false, 11}, false, isa::avx2)};
    for (std::size_t k = 0; k < keys.size(); ++k)
        for (std::size_t other = 0; other < k; ++other)
            EXPECT_NE(keys[k], keys[other]);
    EXPECT_EQ(keys[0], "f32 -> f32, overwrites, avx2, 1 thread, 5:4:1 4:1:5");
}

TEST(Wisdom, NewerMembersAreIgnoredAndKept) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    write_into(file, R"({"tenfold": "1.0", "cpu": "cpu", "colour": "green", "contract": {"x": 1},
        "transpose": {"problem": {"level": "measure", "choices": {"strip": 64, "depth": 3},
                                  "shape": []}}})");
    wisdom known = opened(file);
    const wisdom::answer answer = known.look_up("problem");
    EXPECT_EQ(answer.fault, "");
    ASSERT_TRUE(answer.found);
    EXPECT_EQ(answer.found->choices.strip, 64);
    EXPECT_EQ(known.remember("other", some_choice()), "");
    for (const char *part : {"colour", "contract", "depth", "shape", "\"other\""})
        EXPECT_NE(text_in(file).find(part), std::string::npos) << part;
}

TEST(Wisdom, OthersEntriesSurvive) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    wisdom one = opened(file);
    wisdom other = opened(file); // loaded before the file had entries
    one.remember("one", some_choice());
    other.remember("other", some_choice());
    const wisdom both = opened(file);
    EXPECT_TRUE(both.look_up("one").found);
    EXPECT_TRUE(both.look_up("other").found);
}

TEST(Wisdom, AbsurdValuesAreRefused) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    const auto fault = [&](const std::string &entry) {
        write_into(file, R"({"tenfold": "1.0", "cpu": "cpu", "transpose": {"problem": )" + entry +
                             R"(, "sane": {"level": "measure", "choices": {"strip": 16}}}})");
        const wisdom known = opened(file);
        EXPECT_TRUE(known.look_up("sane").found) << entry;
        const wisdom::answer answer = known.look_up("problem");
        EXPECT_EQ(answer.found.has_value(), answer.fault.empty()) << entry;
        return answer.fault;
    };
    EXPECT_EQ(fault(R"({"level": "measure", "choices": {"strip": 1}})"), "");
    for (const char *value : {"-5", "0", "1.5", "\"16\"", "null", "[]", "true", "1e300",
                              "9223372036854775807", "18446744073709551615"})
        EXPECT_EQ(
            fault(R"({"level": "measure", "choices": {"strip": )" + std::string(value) + "}}"),
            file + ": an entry's 'strip' is damaged")
            << value;
    for (const char *value : {"-2", "100000"})
        EXPECT_NE(
            fault(R"({"level": "measure", "choices": {"ahead": )" + std::string(value) + "}}"), "");
    for (const char *entry :
         {"[]", "7", "null", "{}", R"({"level": "measure"})", R"({"level": 3, "choices": {}})",
          R"({"level": "eager", "choices": {}})", R"({"level": "measure", "choices": [1]})",
          R"({"level": "measure", "choices": {}, "gain": 0.5})",
          R"({"level": "measure", "choices": {}, "gain": "much"})",
          R"({"level": "measure", "choices": {}, "candidates": -1})",
          R"({"level": "measure", "choices": {}, "seconds": -1})"})
        EXPECT_NE(fault(entry), "") << entry;
}

TEST(Wisdom, AFilesTextIsNotRepeatedUnseen) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    for (const std::string &version : {std::string("1\\ntuning   lies"), std::string(1000, '9'),
                                       std::string(31, '9') + "\xc3\xa4"}) {
        write_into(file, R"({"cpu": "cpu", "tenfold": ")" + version + R"("})");
        EXPECT_EQ(opened(file).look_up("problem").fault,
                  file + ": it is of another version of Tenfold, this is 1.0");
    }
}

TEST(Wisdom, FilesMayEndAnywhere) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    opened(file).remember("problem", some_choice());
    const std::string whole = text_in(file);
    ASSERT_EQ(whole.back(), '\n');
    for (std::size_t size = 1; size + 1 < whole.size(); ++size) {
        write_into(file, whole.substr(0, size));
        wisdom known = opened(file);
        const wisdom::answer answer = known.look_up("problem");
        ASSERT_FALSE(answer.found) << size;
        ASSERT_EQ(answer.fault, file + ": it is damaged, or no wisdom file") << size;
    }
    for (const std::string &text : {std::string(), whole.substr(0, whole.size() - 1)}) {
        write_into(file, text);
        EXPECT_EQ(opened(file).look_up("problem").fault, "");
    }
}

/// Any entry that is accepted from a file of random bytes gives a schedule with correct results.
TEST(Wisdom, RandomBytesDoNoHarm) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    opened(file).remember("problem", some_choice());
    const std::string whole = text_in(file);
    int taken = 0;
    for (const int number : testing::cases(500)) {
        SCOPED_TRACE(testing::rerun_line(number));
        testing::random_source random(number);
        std::string text = whole;
        for (index_t k = random.integer(1, 3); k > 0; --k) {
            auto &byte = text[static_cast<std::size_t>(
                random.integer(0, static_cast<index_t>(text.size()) - 1))];
            byte = static_cast<char>(random.chance(0.5) ? random.integer('0', '9')
                                                        : random.integer(0, 255));
        }
        write_into(file, text);
        wisdom known = opened(file);
        const wisdom::answer answer = known.look_up("problem");
        if (!answer.found)
            continue;
        ++taken;
        const std::vector<int> swap = {1, 0};
        const layout a({37, 19});
        const layout b({19, 37});
        const transpose_impl::plan_state plan({swap, data_type::f32, a, data_type::f32, b}, {},
                                              answer.found->choices);
        std::vector<float> from(37 * 19);
        std::vector<float> to(from.size(), -1);
        for (std::size_t k = 0; k < from.size(); ++k)
            from[k] = static_cast<float>(k);
        ASSERT_TRUE(plan.execute(1, from.data(), 0, to.data()).ok());
        for (std::size_t i = 0; i < 37; ++i)
            for (std::size_t j = 0; j < 19; ++j)
                ASSERT_EQ(to[j + 19 * i], from[i + 37 * j]);
    }
    EXPECT_GT(taken, 0) << "no case ever reached the schedule";
}

TEST(Wisdom, OtherFilesAreLeftAlone) {
    const temporary_folder folder;
    const std::string file = folder.file("thesis");
    for (const char *text : {"\\documentclass{book}", "{\"title\": \"Tensors\"}", "[1, 2]", "7",
                             "{\"tenfold\": \"1.0\", \"calibrations\": []}"}) {
        write_into(file, text);
        wisdom known = opened(file);
        EXPECT_EQ(known.look_up("problem").fault, file + ": it is damaged, or no wisdom file");
        EXPECT_EQ(known.remember("problem", some_choice()),
                  file + ": it is damaged, or no wisdom file; it is left as it is");
        EXPECT_EQ(text_in(file), text);
        EXPECT_TRUE(known.look_up("problem").found) << "for this process";
    }
    const std::string pipe = folder.file("pipe"); // opening it for reading would block
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string &other : {folder.path(), pipe}) {
        EXPECT_EQ(opened(other).look_up("problem").fault, other + ": it is not a regular file");
        EXPECT_NE(opened(other).remember("problem", some_choice()), "");
    }
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(Wisdom, FoldersMayBeMissing) {
    const temporary_folder folder;
    EXPECT_EQ(opened(folder.file("missing/wisdom")).remember("problem", some_choice()),
              folder.file("missing/wisdom") + ": No such file or directory");
}

/// Drops root's rights, because root may write anywhere.
class without_privileges {
public:
    without_privileges() {
        if (is_root_) {
            EXPECT_EQ(seteuid(nobody), 0);
        }
    }
    ~without_privileges() {
        if (is_root_) {
            EXPECT_EQ(seteuid(0), 0);
        }
    }
    without_privileges(const without_privileges &) = delete;
    without_privileges &operator=(const without_privileges &) = delete;

private:
    static constexpr uid_t nobody = 65534;
    const bool is_root_ = geteuid() == 0;
};

TEST(Wisdom, FoldersMayRefuse) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    opened(file).remember("problem", some_choice());
    namespace fs = std::filesystem;
    fs::permissions(folder.path(), fs::perms(0555));
    {
        const without_privileges here;
        wisdom known = opened(file);
        EXPECT_TRUE(known.look_up("problem").found);
        EXPECT_EQ(known.remember("other", some_choice()), file + ": Permission denied");
        EXPECT_TRUE(known.look_up("other").found) << "for this process";
    }
    EXPECT_FALSE(opened(file).look_up("other").found);

    fs::permissions(file, fs::perms::none);
    {
        const without_privileges here;
        EXPECT_EQ(opened(file).look_up("problem").fault, file + ": Permission denied");
    }
    fs::permissions(folder.path(), fs::perms(0755));
}

TEST(Wisdom, LinksStayLinks) {
    const temporary_folder folder;
    write_into(folder.file("target"), "");
    std::filesystem::create_symlink(folder.file("target"), folder.file("link"));
    EXPECT_EQ(opened(folder.file("link")).remember("problem", some_choice()), "");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
    EXPECT_TRUE(opened(folder.file("target")).look_up("problem").found);
}

TEST(Wisdom, ThreadsShareIt) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    wisdom one = opened(file);
    wisdom two = opened(file); // stands for another process, whose writes may be lost
    constexpr int each = 10;
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            wisdom &mine = t == 3 ? two : one;
            for (int k = 0; k < each; ++k) {
                const std::string key = std::to_string(t) + "/" + std::to_string(k);
                failures += !mine.remember(key, some_choice()).empty();
                failures += !mine.look_up(key).found;
                failures += !opened(file).look_up(key).fault.empty(); // never an incomplete file
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(failures, 0);
}

} // namespace
} // namespace tenfold
