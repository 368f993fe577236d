// Random programs in random white space: to_string() gives their words back, in their order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tenfold/program.hpp>

#include "support/random.hpp"

namespace tenfold::testing {
namespace {

const std::vector<std::string> labels{"i", "j", "k", "a", "b"};
const std::vector<std::string> numbers{"2", ".5", "0.25", "1e-3", "3E2", "7."};

/// Draws lines whose names are right, as lists of words.
class random_program {
public:
    explicit random_program(random_source &random) : random_(random) {
        add({"index", "i", ",", "j", ",", "k", ":", "occ"});
        add({"index", "a", ",", "b", ":", "vir"});
        add({"input", "V", "[", "i", ",", "j", ",", "k", ",", "a", ",", "b", "]", ","});
        add({"e", "[", "i", "]", ",", "f", "[", "a", "]", ",", "s"});
        lines(static_cast<int>(random.integer(1, 5)), 0);
    }

    const std::vector<std::string> &words() const { return words_; }

private:
    void add(const std::vector<std::string> &more) {
        words_.insert(words_.end(), more.begin(), more.end());
    }

    void lines(int count, int depth) {
        for (int line = 0; line < count; ++line) {
            if (depth < 2 && random_.chance(0.2))
                block(depth);
            else
                assignment();
        }
    }

    void block(int depth) {
        add({"repeat", "until"});
        const bool absolute = random_.chance(0.5);
        if (absolute)
            add({random_.chance(0.5) ? "abs" : "sqrt", "("});
        add({"s", "-", random_.pick(numbers)});
        if (absolute)
            add({")"});
        add({random_.chance(0.5) ? "<" : ">", random_.pick(numbers), "at", "most", "12", "{"});
        lines(static_cast<int>(random_.integer(1, 2)), depth + 1);
        add({"}"});
    }

    void assignment() {
        std::vector<std::string> target = labels;
        random_.shuffle(target);
        target.resize(static_cast<std::size_t>(random_.integer(0, 5)));
        add({"X" + std::to_string(++tensors_)});
        bracketed(target);
        add({"="});
        if (random_.chance(0.3))
            add({"-"});
        const std::int64_t terms = random_.integer(1, 3);
        for (std::int64_t term = 0; term < terms; ++term) {
            if (term > 0)
                add({random_.chance(0.5) ? "+" : "-"});
            product(target);
        }
    }

    void product(const std::vector<std::string> &target) {
        if (random_.chance(0.5))
            add({random_.pick(numbers), "*"});
        if (random_.chance(0.3))
            add({"s", "*"});
        const auto has = [&](const char *label) {
            return std::find(target.begin(), target.end(), label) != target.end();
        };
        if (has("i") && has("j") && random_.chance(0.3))
            add({"P", "(", "i", ",", "j", ")", "*"});
        if (has("i") && has("j") && has("a") && has("b") && random_.chance(0.3))
            add({"S", "(", "a", ",", "b", ";", "i", ",", "j", ")", "*"});
        add({"V", "[", "i", ",", "j", ",", "k", ",", "a", ",", "b", "]"});
        for (std::int64_t more = random_.integer(0, 2); more > 0; --more)
            add({"*", "V", "[", "k", ",", "i", ",", "j", ",", "b", ",", "a", "]"});
        if (has("i") && random_.chance(0.3))
            add({"/", "(", "e", "[", "i", "]", "+", random_.pick(numbers), "*", "s", ")"});
    }

    void bracketed(const std::vector<std::string> &names) {
        for (const std::string &one : names)
            add({&one == names.data() ? "[" : ",", one});
        if (!names.empty())
            add({"]"});
    }

    random_source &random_;
    std::vector<std::string> words_;
    int tensors_ = 0;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_space(const std::string &text) {
    std::string kept;
    for (const char c : text)
        if (c != ' ' && c != '\n')
            kept += c;
    return kept;
}

TEST(ProgramText, RandomProgramsComeBack) {
    for (const int test_case : cases(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const random_program drawn(random);
        const std::vector<std::string> spaces{" ", "\n", "\t  ", " # a comment\n", "\r\n"};
        std::string text;
        std::string words;
        for (const std::string &word : drawn.words()) {
            // Words need space between them; everything else may have some.
            const bool needs = !text.empty() && (is_word(text.back()) || text.back() == '.') &&
                               (is_word(word[0]) || word[0] == '.');
            if (needs || random.chance(0.3))
                text += random.pick(spaces);
            text += word;
            words += word;
        }
        SCOPED_TRACE(text);
        const program read = parse_program(text);
        EXPECT_EQ(without_space(read.to_string()), words);
        EXPECT_EQ(parse_program(read.to_string()).to_string(), read.to_string());
    }
}

} // namespace
} // namespace tenfold::testing
