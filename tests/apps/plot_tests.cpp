// Tests tenfold-bench --plot.
#include <cstdlib>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

bool there_is_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

class Plot : public ::testing::Test {
protected:
    void SetUp() override {
        if (!there_is_gnuplot())
            GTEST_SKIP() << "no gnuplot here";
    }

    std::string plot(const std::string &arguments, const std::string &name = "plot.svg") {
        const std::string file = directory_.file(name);
        const program_result result = run_bench(arguments + " --repeat 1 --plot \"" + file + "\"");
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return read_text(file);
    }
    static void expect_svg(const std::string &text) {
        EXPECT_EQ(text.find("<?xml"), 0U) << text;
        EXPECT_NE(text.find("<svg"), std::string::npos);
        EXPECT_NE(text.find("</svg>"), std::string::npos);
    }
    static void expect_words(const std::string &text, std::initializer_list<const char *> words) {
        for (const char *word : words)
            EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
    }

    temporary_directory directory_;
};

TEST_F(Plot, NamesCasesAndContenders) {
    const std::string text =
        plot(std::string("small --cases 4x4x4,5x6x7 --peer blas=") + TENFOLD_FAKE_PEERS);
    expect_svg(text);
    expect_words(text, {">4x4x4<", ">5x6x7<", ">Tenfold<", ">blas<", "fraction of the ceiling"});
}

TEST_F(Plot, EverySuiteHasOne) {
    expect_svg(plot("ceilings --cases memcpy --threads 1"));
    write_text(directory_.file("list"), "swap_\"x'{ 1,0 50,60\n");
    const std::string text =
        plot("ttc --type f32-f64 --file " + directory_.file("list"), "it's a plot.svg");
    expect_svg(text);
    expect_words(text, {"f32-f64"});
    write_text(directory_.file("list"), "mm ab-ac-cb a=5,b=6,c=7\n");
    expect_words(plot("tccg --file " + directory_.file("list")), {">mm<"});
}

TEST_F(Plot, IsOfTheKindThatItsNameSays) {
    const std::string png = plot("small --cases 4x4x4", "plot.png");
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    const std::string pdf = plot("small --cases 4x4x4", "plot.pdf");
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
}

TEST_F(Plot, ALongNameLeavesTheBarsTheirRoom) {
    const std::string name = "the_first_of_all_cases_" + std::string(200, 'x') + "_and_its_end";
    write_text(directory_.file("list"), name + " ab-ac-cb a=5,b=6,c=7\nmm ab-ac-cb a=5,b=6,c=7\n");
    const std::string text = plot("tccg --file " + directory_.file("list"));
    expect_svg(text);
    expect_words(text, {">the_first_o..and_its_end<", ">mm<"});
    EXPECT_EQ(text.find("xxx"), std::string::npos);
}

TEST(PlotName, OfAnotherKindIsRefusedBeforeAnythingIsMeasured) {
    const temporary_directory directory;
    for (const char *name : {"plot.jpg", "plot", "plot.svg.gz"}) {
        const program_result result =
            run_bench("small --cases 4x4x4 --plot " + directory.file(name));
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(".svg, .png or .pdf"), std::string::npos) << result.err;
        EXPECT_EQ(read_text(directory.file(name)), "");
    }
}

TEST(Table, ALongNameLeavesTheColumnsInPlace) {
    const temporary_directory directory;
    const std::string name(60, 'x');
    write_text(directory.file("list"),
               "mm ab-ac-cb a=5,b=6,c=7\n" + name + " ab-ac-cb a=5,b=6,c=7\n");
    const program_result result = run_bench("tccg --repeat 1 --file " + directory.file("list"));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("\n" + name + " ab-ac-cb\n"), std::string::npos) << result.out;
    std::vector<std::size_t> ends; // of the fraction of the ceiling, in the head and in both lines
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);)
        if (line.find(" of ceil.  algorithm") != std::string::npos)
            ends.push_back(line.find("  algorithm"));
        else if (!ends.empty() && line.size() > ends[0] && line.find("mean") == std::string::npos)
            ends.push_back(line.find("  ", ends[0]) == ends[0] && line[ends[0] - 1] != ' '
                               ? ends[0]
                               : std::string::npos);
    EXPECT_EQ(ends, std::vector<std::size_t>(3, ends.empty() ? 0 : ends[0])) << result.out;
}

TEST(PlotWithoutGnuplot, IsRefusedBeforeAnythingIsMeasured) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nonexistent", 1);
    const temporary_directory directory;
    const program_result result =
        run_bench("small --cases 4x4x4 --plot " + directory.file("plot.svg"));
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("gnuplot-nox"), std::string::npos) << result.err;
}

} // namespace
} // namespace tenfold::testing
