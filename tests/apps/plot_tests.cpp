// tenfold-bench --plot.
#include <cstdlib>

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
