// Tests that docs/command-line.md and docs/environment.md describe what the programs print.
#include <limits>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

std::string document(const std::string &name) { return read_text(TENFOLD_DOCUMENTS "/" + name); }

/// Returns the text from the heading "## tenfold contract" to the next heading of that level.
std::string section(const std::string &command) {
    const std::string text = document("command-line.md");
    const std::string heading = "\n## " + command + "\n";
    const std::size_t begin = text.find(heading);
    EXPECT_NE(begin, std::string::npos) << command;
    return text.substr(begin, text.find("\n## ", begin + heading.size()) - begin);
}

/// Collects the names of all fields, also within objects and lists. Keys of the objects in
/// `by_name` are data, for instance labels.
void collect(const nlohmann::json &value, const std::set<std::string> &by_name,
             std::set<std::string> &names) {
    if (value.is_array())
        for (const auto &element : value)
            collect(element, by_name, names);
    if (value.is_object())
        for (const auto &[name, inner] : value.items()) {
            names.insert(name);
            if (by_name.count(name) == 0)
                collect(inner, by_name, names);
        }
}

void expect_told(const std::string &command, const nlohmann::json &object,
                 const std::set<std::string> &by_name) {
    const std::string text = section(command);
    std::set<std::string> names;
    collect(object, by_name, names);
    EXPECT_GT(names.size(), 4U);
    for (const std::string &name : names)
        EXPECT_NE(text.find("`" + name + "`"), std::string::npos)
            << "docs/command-line.md: " << command << " does not tell of the field " << name;
}

TEST(Documents, TellEveryFieldOfJson) {
    const std::string sizes = " ab=ac*cb --extents a=4,b=3,c=5 --json ";
    expect_told("tenfold contract", run_tenfold("contract" + sizes + "--verify").json(),
                {"extents"});
    expect_told(
        "tenfold explain",
        run_tenfold("explain ad=ab*bc*cd --extents a=4,b=3,c=5,d=6 --json --ranks 2").json(),
        {"extents"});
    const std::set<std::string> by_label = {"extents", "outer_a", "offset_a", "outer_b",
                                            "offset_b"};
    expect_told("tenfold transpose",
                run_tenfold("transpose ba=ab --extents a=4,b=3 --verify --json").json(), by_label);
    const temporary_directory directory;
    expect_told(
        "tenfold calibrate",
        run_tenfold("calibrate --seconds 0.01 --json --file " + directory.file("rates")).json(),
        {"rates", "typical"});
}

TEST(Documents, TellFieldsOfAFailedVerification) {
    const temporary_directory directory;
    test_array a = integer_array({2, 2}, 1, false);
    a.values[1] = std::numeric_limits<double>::quiet_NaN();
    write_text(directory.file("A.npy"), a.file_bytes("<f8", false));
    const std::string files = " ba=ab --verify --json --a " + directory.file("A.npy") + " --out " +
                              directory.file("B.npy");
    for (const std::string command : {"contract", "transpose"})
        expect_told("tenfold " + command, run_tenfold(command + files).json(), {"extents"});
}

/// The reverse: every row of the table of fields is a field.
TEST(Documents, TellNoFieldOfContractThatIsNotThere) {
    const nlohmann::json object =
        run_tenfold("contract ab=ac*cb --extents a=4,b=3,c=5 --json --verify").json();
    const std::string text = section("tenfold contract");
    std::istringstream lines(text.substr(text.find("| field | meaning |")));
    std::size_t fields = 0;
    for (std::string line; std::getline(lines, line) && line.rfind("|", 0) == 0;) {
        const std::string names = line.substr(0, line.find('|', 1));
        for (std::size_t at = names.find('`'); at != std::string::npos;) {
            const std::size_t end = names.find('`', at + 1);
            const std::string name = names.substr(at + 1, end - at - 1);
            at = names.find('`', end + 1);
            ++fields;
            EXPECT_TRUE(object.contains(name) || name == "verification_failure") << name;
        }
    }
    EXPECT_GE(fields, object.size());
}

TEST(Documents, TellEveryOption) {
    for (const std::string command : {"contract", "explain", "transpose", "calibrate"}) {
        // explain also takes the options of contract.
        const std::string text = section("tenfold " + command) +
                                 (command == "explain" ? section("tenfold contract") : "");
        std::istringstream words(run_tenfold(command + " --help").out);
        for (std::string word; words >> word;)
            if (word.rfind("--", 0) == 0 && word.size() > 3) {
                const std::string option =
                    word.substr(0, word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"));
                if (option != "--help" && option != "--version" && option != "--extents") {
                    EXPECT_NE(text.find(option), std::string::npos)
                        << "docs/command-line.md: " << command << " does not tell of " << option;
                }
            }
    }
}

TEST(Documents, TellTheVariablesOfInfo) {
    const std::string text = document("environment.md");
    for (const auto &variable : run_tenfold("info --json").json()["environment"]) {
        const std::string name = variable["name"];
        EXPECT_NE(text.find("\n| `" + name + "` |"), std::string::npos) << name;
        EXPECT_EQ(variable["meaning"].get<std::string>().find("so far"), std::string::npos) << name;
    }
}

} // namespace
} // namespace tenfold::testing
