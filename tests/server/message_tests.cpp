// Requests as text: targets, headers, JSON; commands to ranks.
#include <random>

#include <gtest/gtest.h>

#include "apps/server/command.hpp"
#include "apps/server/fields.hpp"
#include "apps/server/http.hpp"

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

TEST(Numbers, WithoutJson) {
    EXPECT_EQ(number_json(1.5), 1.5);
    EXPECT_EQ(number_json(std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(number_json(-std::numeric_limits<double>::infinity()), "-inf");
}

} // namespace
} // namespace tenfold::server
