// Requests as text: targets, headers, JSON; commands to ranks.
#include <random>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/server/access.hpp"
#include "apps/server/command.hpp"
#include "apps/server/confined_file.hpp"
#include "apps/server/fields.hpp"
#include "apps/server/http.hpp"
#include "apps/server/manifest.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

template <class Call> int refused(const Call &call) {
    try {
        call();
    } catch (const refusal &problem) {
        return problem.status();
    }
    return 0;
}

TEST(Target, IsTakenApart) {
    const auto target = request_target::parse("/v1/tensors/a%2Eb?wait=5&x=1+2%26&flag");
    EXPECT_EQ(target.path, (std::vector<std::string>{"v1", "tensors", "a.b"}));
    EXPECT_EQ(target.find("wait"), "5");
    EXPECT_EQ(target.find("x"), "1 2&");
    EXPECT_EQ(target.find("flag"), "");
    EXPECT_EQ(target.find("other"), std::nullopt);
    EXPECT_EQ(refused([&] { target.check_query({"wait", "x"}); }), 400);
    EXPECT_EQ(request_target::parse("/").path.size(), 0U);
}

TEST(Target, IsRefused) {
    for (const char *wrong :
         {"", "v1", "*", "http://other/v1", "/v1//A", "/v1/../A", "/v1/%2e%2e/A", "/v1/./A", "/v1/",
          "/v1/%4", "/v1/%zz", "/v1/a%00b", "/v1/a%0ab", "/v1?a=1&a=2", "/v1?a=%"})
        EXPECT_EQ(refused([&] { request_target::parse(wrong); }), 400) << wrong;
}

TEST(Head, RefusesWhatTwoReadersCouldUnderstandDifferently) {
    for (const char *once : {"Content-Length", "HOST", "authorization", "Transfer-Encoding"}) {
        request_head head;
        head.add(once, "1");
        EXPECT_EQ(refused([&] { head.add(once, "1"); }), 400) << once;
    }
    request_head chunked;
    chunked.add("Transfer-Encoding", "chunked");
    EXPECT_EQ(refused([&] { chunked.content_length(); }), 411);
    for (const char *wrong : {"", "-1", "1x", "0x10", "99999999999999999999", " 1"}) {
        request_head head;
        head.add("Content-Length", wrong);
        EXPECT_EQ(refused([&] { head.content_length(); }), 400) << wrong;
    }
}

TEST(Fields, NameWhatIsWrong) {
    const json object = {
        {"text", 1}, {"number", "x"}, {"extents", {1, -2}}, {"flag", 0}, {"scalar", {1, 2, 3}}};
    fields read(object, "here.");
    const auto message = [&](auto &&call) -> std::string {
        try {
            call();
        } catch (const refusal &problem) {
            EXPECT_EQ(problem.status(), 400);
            EXPECT_TRUE(problem.to_json().contains("field"));
            return problem.what();
        }
        return "";
    };
    EXPECT_EQ(message([&] { read.text("text"); }), "here.text: expected a string");
    EXPECT_EQ(message([&] { read.find_number("number"); }), "here.number: expected a number");
    EXPECT_NE(message([&] { read.extents("extents"); }), "");
    EXPECT_NE(message([&] { read.find_flag("flag"); }), "");
    EXPECT_EQ(message([&] { read.text("none"); }), "the field here.none is missing");
    EXPECT_EQ(message([&] { read.finish(); }), "there is no field 'here.scalar' here");
    EXPECT_NE(message([&] { read.find_scalar("scalar"); }), "");
    EXPECT_EQ(message([&] { read.finish(); }), "");
    EXPECT_EQ(read.find_integer("none", 0), std::nullopt);
    const json huge = {{"n", 18446744073709551615U}, {"real", 2.0}};
    fields more(huge);
    EXPECT_NE(message([&] { more.find_integer("n", 0); }), "");
    EXPECT_NE(message([&] { more.find_integer("real", 0); }), "");
}

TEST(Fields, TakeOperandsByNameOrObject) {
    const auto operands =
        parse_operands(json::parse(R"(["A", {"name": "B", "generation": 4, "conj": true}])"));
    ASSERT_EQ(operands.size(), 2U);
    EXPECT_EQ(operands[0].name, "A");
    EXPECT_EQ(operands[1].generation, 4U);
    EXPECT_TRUE(operands[1].conj);
    for (const char *wrong :
         {"[]", "{}", "[1]", R"([{"generation": 1}])", R"([{"name": "A", "x": 1}])"})
        EXPECT_EQ(refused([&] { parse_operands(json::parse(wrong)); }), 400) << wrong;
}

TEST(Bodies, AreRefusedUnlessTheyAreObjects) {
    for (const char *wrong : {"", "[]", "1", "{", "{\"a\": \xff}", "{\"a\": 1} x", "{'a': 1}"})
        EXPECT_EQ(refused([&] { parse_object(wrong); }), 400) << wrong;
    EXPECT_EQ(refused([] { parse_object(std::string(100000, '[')); }), 400);
    EXPECT_EQ(refused([] { parse_object(R"({"a": [[[[{"b": [[1]]}]]]]})"); }), 0);
}

/// Mutated requests are refused or understood, and nothing else happens.
TEST(Bodies, SurviveMutations) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string good =
        R"({"name": "A", "type": "f64", "extents": [3, 4], "fill": {"uniform": {"seed": 1}}})";
    for (int i = 0; i < 3000; ++i) {
        std::string text = good;
        for (unsigned change = 0; change <= random() % 3; ++change) {
            const std::size_t place = random() % text.size();
            if (random() % 2 == 0)
                text[place] = static_cast<char>(random());
            else
                text.erase(place, 1 + random() % 4);
        }
        try {
            const json object = parse_object(text);
            fields read(object);
            read.text("name");
            read.extents("extents");
            read.finish();
        } catch (const refusal &problem) {
            EXPECT_EQ(problem.status(), 400);
            json_text(problem.to_json());
        }
    }
}

TEST(Refusal, HasTheFieldsOfTheLibrarysError) {
    const error problem(errc::extent_mismatch, "label 'e'",
                        {.label = "e",
                         .first = {.name = "A", .mode = 1, .extent = 24},
                         .second = {.name = "B", .mode = 2, .extent = 20}});
    const refusal told = as_refusal(problem);
    EXPECT_EQ(told.status(), 400);
    const json value = told.to_json();
    EXPECT_EQ(value.at("code"), "extent_mismatch");
    EXPECT_EQ(value.at("label"), "e");
    EXPECT_EQ(value.at("first"), (json{{"name", "A"}, {"mode", 1}, {"extent", 24}}));
    EXPECT_EQ(as_refusal(error(errc::out_of_memory, "")).status(), 507);
    EXPECT_EQ(as_refusal(error(errc::stopped, "")).status(), 409);
    EXPECT_EQ(response::of(told).status, 400);
}

TEST(Command, IsWhatWasSent) {
    const command sent{false, {1, 1ULL << 60}, {{"do", "create"}, {"x", 0.1}, {"e", {1, 2}}}};
    EXPECT_EQ(command::decode(sent.encode()), sent);
    const command stop{true};
    EXPECT_EQ(command::decode(stop.encode()), stop);
    EXPECT_ANY_THROW(command::decode({1, 2, 3}));
}

TEST(Files, AreBelowTheirFolder) {
    EXPECT_EQ(parse_file_path("a/b c/T2.npy"), (std::vector<std::string>{"a", "b c", "T2.npy"}));
    std::string deep = "T.npy";
    for (int i = 0; i < 40; ++i)
        deep.insert(0, "a/");
    for (const std::string &wrong :
         {std::string(), std::string("/etc/a.npy"), std::string("../a.npy"),
          std::string("a/../b.npy"), std::string("a//b.npy"), std::string("./a.npy"),
          std::string("a/.b.npy"), std::string(".npy"), std::string("a.txt"), std::string("a.npy/"),
          std::string("a.npy\0.txt", 10), std::string("a\n.npy"), std::string(300, 'a') + ".npy",
          deep})
        EXPECT_EQ(refused([&] { parse_file_path(wrong); }), 400) << wrong;

    const tenfold::testing::temporary_folder place;
    const std::string root = place.file("root");
    ASSERT_EQ(mkdir(root.c_str(), 0700), 0);
    ASSERT_EQ(mkdir((root + "/inside").c_str(), 0700), 0);
    ASSERT_EQ(mkdir((root + "/folder.npy").c_str(), 0700), 0);
    ASSERT_EQ(mkfifo((root + "/pipe.npy").c_str(), 0600), 0);
    tenfold::testing::write_into(place.file("secret.npy"), "secret");
    tenfold::testing::write_into(root + "/inside/a.npy", "content");
    ASSERT_EQ(symlink("..", (root + "/up").c_str()), 0);
    ASSERT_EQ(symlink("inside", (root + "/within").c_str()), 0);
    ASSERT_EQ(symlink("../secret.npy", (root + "/link.npy").c_str()), 0);
    const confined_file fine(root, parse_file_path("inside/a.npy"));
    EXPECT_TRUE(fine.is_there());
    EXPECT_EQ(fine.path(), root + "/inside/a.npy");
    EXPECT_EQ(fine.read(4).start, "cont");
    EXPECT_EQ(fine.read(4).size, 7);
    EXPECT_FALSE(confined_file(root, parse_file_path("inside/b.npy")).is_there());
    for (const char *wrong : {"up/secret.npy", "within/a.npy", "link.npy", "folder.npy", "pipe.npy",
                              "none/a.npy", "inside/a.npy/b.npy"})
        EXPECT_THROW(confined_file(root, parse_file_path(wrong)), error) << wrong;
}

TEST(Manifest, IsWhatWasWritten) {
    manifest sent{.saved = 1.5e9,
                  .tensors = {{7, "ada", "A", data_type::c64, {2, 0}},
                              {1ULL << 40,
                               "bob",
                               "B",
                               data_type::f32,
                               {},
                               60,
                               {{"ada", access_right::write}, {"carol", access_right::read}}}},
                  .last_tensor = 9,
                  .pending = {8},
                  .lost = {{3, 4}}};
    sent.jobs.push_back({{"number", 1}});
    const std::string text = sent.text();
    EXPECT_EQ(manifest::parse(text), sent);
    for (std::size_t size = 0; size + 1 < text.size(); size += 7)
        EXPECT_THROW(manifest::parse(text.substr(0, size)), std::runtime_error) << size;
    for (std::size_t place = 0; place < text.size(); ++place) {
        std::string wrong = text;
        wrong[place] = static_cast<char>(wrong[place] ^ 1);
        try { // of white space and the case of hexadecimal digits nothing depends
            EXPECT_EQ(manifest::parse(wrong), sent) << place;
        } catch (const std::runtime_error &) {
        }
    }
}

TEST(Manifest, IsReadAsOlderVersionsWroteIt) {
    manifest saved{.saved = 1, .tensors = {{7, "ada", "A", data_type::f64, {2}}}, .last_tensor = 7};
    json content = json::parse(saved.text()).at("manifest");
    const auto text_of = [](const json &what) {
        return json_text({{"checksum", to_hex(hash_of(json_text(what)))}, {"manifest", what}});
    };
    EXPECT_EQ(manifest::parse(text_of(content)), saved);
    content["format"] = 1;
    content["tensors"][0].erase("shares");
    EXPECT_EQ(manifest::parse(text_of(content)), saved);
    content["format"] = 3;
    EXPECT_THROW(manifest::parse(text_of(content)), std::runtime_error);
    content["format"] = 2;
    for (const json &wrong :
         {json{{"bob", "own"}}, json{{"bob", 1}}, json{{"b:b", "read"}}, json(1)}) {
        content["tensors"][0]["shares"] = wrong;
        EXPECT_THROW(manifest::parse(text_of(content)), std::runtime_error) << wrong;
    }
}

TEST(Manifest, KnowsWhatWasLost) {
    manifest saved{.last_tensor = 9, .pending = {8}};
    saved.add_lost(100);
    for (const std::uint64_t id : {8U, 10U, 50U, 99U})
        EXPECT_TRUE(saved.has_lost(id)) << id;
    for (const std::uint64_t id : {0U, 7U, 9U, 100U, 101U})
        EXPECT_FALSE(saved.has_lost(id)) << id;
    saved.last_tensor = 99; // nothing was made since
    saved.add_lost(100);
    EXPECT_EQ(saved.lost.size(), 2U);
}

TEST(Numbers, WithoutJson) {
    EXPECT_EQ(number_json(1.5), 1.5);
    EXPECT_EQ(number_json(std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(number_json(-std::numeric_limits<double>::infinity()), "-inf");
}

} // namespace
} // namespace tenfold::server
