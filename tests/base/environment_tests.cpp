// Tests settings from the environment, contexts made from them, and the page that describes the
// variables.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>
#include <tenfold/version.hpp>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/environment.hpp"
#include "base/machine.hpp"
#include "base/rates.hpp"
#include "base/workspace.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold {
namespace {

/// Sets exactly these variables of Tenfold (and others that it reads) while it lives, and restores
/// the previous ones.
class only_environment {
public:
    explicit only_environment(const std::map<std::string, std::string> &variables = {}) {
        for (const auto &known : base::environment_variables())
            save(known.name);
        for (const char *other : {"OMP_NUM_THREADS", "XDG_CACHE_HOME", "HOME"})
            save(other);
        for (const auto &[name, value] : variables) {
            EXPECT_TRUE(before_.contains(name)) << name << " is not a known variable";
            setenv(name.c_str(), value.c_str(), 1);
        }
    }
    ~only_environment() {
        for (const auto &[name, value] : before_)
            if (value)
                setenv(name.c_str(), value->c_str(), 1);
            else
                unsetenv(name.c_str());
    }
    only_environment(const only_environment &) = delete;
    only_environment &operator=(const only_environment &) = delete;

private:
    void save(const char *name) {
        const char *value = std::getenv(name);
        before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
        unsetenv(name);
    }
    std::map<std::string, std::optional<std::string>> before_;
};

settings settings_with(const std::map<std::string, std::string> &variables) {
    const only_environment environment(variables);
    return settings::from_environment();
}

TEST(Settings, defaults) {
    const settings found = settings_with({});
    EXPECT_EQ(found.threads, 0);
    EXPECT_EQ(found.isa, std::nullopt);
    EXPECT_EQ(found.backend, backend::native);
    EXPECT_EQ(found.workspace_limit, bytes(INT64_MAX));
    EXPECT_FALSE(found.reproducible);
    EXPECT_EQ(found.wisdom, "");
    EXPECT_EQ(found.calibration, "");
    EXPECT_EQ(found.log_level, 0);
}

TEST(Settings, every_variable) {
    const settings found = settings_with({{"TENFOLD_NUM_THREADS", "3"},
                                          {"TENFOLD_ISA", "avx512"},
                                          {"TENFOLD_BACKEND", "blis"},
                                          {"TENFOLD_BLOCKING", "kc=256,mc=96,nc=4080"},
                                          {"TENFOLD_WORKSPACE_LIMIT", "512MiB"},
                                          {"TENFOLD_WISDOM", "/some/file name"},
                                          {"TENFOLD_CALIBRATION", "/some/rates"},
                                          {"TENFOLD_REPRODUCIBLE", "1"},
                                          {"TENFOLD_LOG", "info"}});
    EXPECT_EQ(found.threads, 3);
    EXPECT_EQ(found.isa, isa::avx512);
    EXPECT_EQ(found.backend, backend::blis);
    EXPECT_EQ(found.blocking, (block_sizes{256, 96, 4080}));
    EXPECT_EQ(found.workspace_limit, mib(512));
    EXPECT_EQ(found.calibration, "/some/rates");
    EXPECT_TRUE(found.reproducible);
    EXPECT_EQ(found.wisdom, "/some/file name");
    EXPECT_EQ(found.log_level, 2);
}

TEST(Settings, every_value) {
    for (const isa one : all_isas)
        EXPECT_EQ(settings_with({{"TENFOLD_ISA", std::string(name(one))}}).isa, one);
    EXPECT_EQ(settings_with({{"TENFOLD_BACKEND", "native"}}).backend, backend::native);
    EXPECT_FALSE(settings_with({{"TENFOLD_REPRODUCIBLE", "0"}}).reproducible);
    const char *const levels[] = {"quiet", "warn", "info", "debug"};
    for (int level = 0; level < 4; ++level)
        EXPECT_EQ(settings_with({{"TENFOLD_LOG", levels[level]}}).log_level, level);
    EXPECT_EQ(settings_with({{"TENFOLD_WORKSPACE_LIMIT", "0"}}).workspace_limit, bytes(0));
    const auto blocking = [](const char *text) {
        return settings_with({{"TENFOLD_BLOCKING", text}}).blocking;
    };
    EXPECT_EQ(blocking("nc=1048576"), (block_sizes{0, 0, 1048576}));
    EXPECT_EQ(blocking("mc=1,kc=2"), (block_sizes{2, 1, 0}));
}

TEST(Settings, an_empty_variable_is_not_set) {
    std::map<std::string, std::string> variables{{"OMP_NUM_THREADS", ""}};
    for (const auto &known : base::environment_variables())
        variables[known.name] = "";
    EXPECT_EQ(settings_with(variables).threads, 0);
}

TEST(Settings, openmps_thread_count_comes_second) {
    EXPECT_EQ(settings_with({{"OMP_NUM_THREADS", "5"}}).threads, 5);
    EXPECT_EQ(settings_with({{"OMP_NUM_THREADS", "5,2"}}).threads, 5);
    EXPECT_EQ(settings_with({{"OMP_NUM_THREADS", "5"}, {"TENFOLD_NUM_THREADS", "2"}}).threads, 2);
    for (const char *strange : {"0", "-1", "many", "5x", ",5", "4097", "99999999999"})
        EXPECT_EQ(settings_with({{"OMP_NUM_THREADS", strange}}).threads, 0) << strange;
}

TEST(Settings, wrong_values_are_named) {
    const std::string isas = "generic, avx2, avx512, neon or sve";
    const std::string blocks = "kc=256,mc=96,nc=4080 or some of them, each from 1 to 1048576";
    const std::string size = "an integer with an optional KiB, MiB or GiB";
    const std::tuple<const char *, const char *, std::string> cases[] = {
        {"TENFOLD_NUM_THREADS", "0", "a number from 1 to 4096"},
        {"TENFOLD_NUM_THREADS", "-2", "a number from 1 to 4096"},
        {"TENFOLD_NUM_THREADS", "4,2", "a number from 1 to 4096"},
        {"TENFOLD_NUM_THREADS", "4 ", "a number from 1 to 4096"},
        {"TENFOLD_NUM_THREADS", "four", "a number from 1 to 4096"},
        {"TENFOLD_NUM_THREADS", "4097", "a number from 1 to 4096"},
        {"TENFOLD_NUM_THREADS", "99999999999", "a number from 1 to 4096"},
        {"TENFOLD_ISA", "sse2", isas},
        {"TENFOLD_ISA", "AVX2", isas},
        {"TENFOLD_BACKEND", "mkl", "native or blis"},
        {"TENFOLD_BLOCKING", "256", blocks},
        {"TENFOLD_BLOCKING", "kc=", blocks},
        {"TENFOLD_BLOCKING", "kc=0", blocks},
        {"TENFOLD_BLOCKING", "kc=-8", blocks},
        {"TENFOLD_BLOCKING", "kc=256,", blocks},
        {"TENFOLD_BLOCKING", "kc=256,kc=128", blocks},
        {"TENFOLD_BLOCKING", "kc=256 ,mc=96", blocks},
        {"TENFOLD_BLOCKING", "KC=256", blocks},
        {"TENFOLD_BLOCKING", "kc=256,mr=8", blocks},
        {"TENFOLD_BLOCKING", "nc=1048577", blocks},
        {"TENFOLD_WORKSPACE_LIMIT", "1GB", size},
        {"TENFOLD_WORKSPACE_LIMIT", "-1", size},
        {"TENFOLD_REPRODUCIBLE", "yes", "0 or 1"},
        {"TENFOLD_REPRODUCIBLE", "2", "0 or 1"},
        {"TENFOLD_LOG", "loud", "quiet, warn, info or debug"},
        {"TENFOLD_LOG", "1", "quiet, warn, info or debug"},
    };
    for (const auto &[variable, value, expected] : cases)
        try {
            (void)settings_with({{variable, value}});
            ADD_FAILURE() << variable << "='" << value << "' was accepted";
        } catch (const error &e) {
            EXPECT_EQ(e.code(), errc::invalid_argument);
            EXPECT_EQ(e.what(), std::string(variable) + "='" + value + "': expected " + expected);
        }
}

TEST(Context, takes_the_best_isa_unless_told) {
    const base::machine machine = base::machine::detect();
    const context automatic{settings{}};
    EXPECT_EQ(automatic.isa(), machine.best_isa());
    EXPECT_EQ(automatic.isa_reason(), "best of this machine");
    EXPECT_EQ(automatic.threads(), machine.cores);
    EXPECT_EQ(base::machine_of(automatic).cpu, machine.cpu);
    for (const isa one : machine.isas) {
        settings asked;
        asked.isa = one;
        asked.threads = 7;
        const context ctx(asked);
        EXPECT_EQ(ctx.isa(), one);
        EXPECT_EQ(ctx.isa_reason(), "asked for");
        EXPECT_EQ(ctx.threads(), 7);
        EXPECT_EQ(ctx.settings().threads, 7);
    }
}

TEST(Context, refuses_an_isa_that_the_machine_lacks) {
    const base::machine machine = base::machine::detect();
    std::string available;
    for (const isa one : machine.isas)
        available += (available.empty() ? "" : ", ") + std::string(name(one));
    int refused = 0;
    for (const isa one : all_isas) {
        settings asked;
        asked.isa = one;
        if (machine.supports(one)) {
            EXPECT_NO_THROW(context{asked});
            continue;
        }
        ++refused;
        try {
            const context ctx(asked);
            ADD_FAILURE() << name(one) << " was accepted";
        } catch (const error &e) {
            EXPECT_EQ(e.code(), errc::unsupported);
            EXPECT_EQ(e.what(), "ISA '" + std::string(name(one)) +
                                    "' is not on this machine, or not in this build of "
                                    "Tenfold; there are " +
                                    available);
        }
    }
    EXPECT_GE(refused, 2); // no machine is both x86 and ARM
}

TEST(Context, backend_of_this_build) {
    settings asked;
    asked.backend = backend::blis;
#if defined(TENFOLD_HAVE_BLIS)
    EXPECT_EQ(context(asked).settings().backend, backend::blis);
#else
    try {
        const context ctx(asked);
        ADD_FAILURE() << "accepted";
    } catch (const error &e) {
        EXPECT_EQ(e.code(), errc::unsupported);
        EXPECT_STREQ(e.what(), "backend 'blis' is not in this build of Tenfold");
    }
#endif
}

TEST(Context, reads_the_environment) {
    const only_environment environment({{"TENFOLD_ISA", "generic"}, {"TENFOLD_NUM_THREADS", "2"}});
    const context ctx;
    EXPECT_EQ(ctx.isa(), isa::generic);
    EXPECT_EQ(ctx.threads(), 2);
}

/// Returns the reason that a context of this environment gives for its rates, and checks the rates.
std::string rates_reason_with(const std::map<std::string, std::string> &variables) {
    const only_environment environment(variables);
    const context ctx;
    const bool typical = ctx.rates_reason().starts_with("typical of ");
    const auto expected = base::machine_rates::typical_of(ctx.isa());
    EXPECT_EQ(base::rates_of(ctx).call == expected.call, typical) << ctx.rates_reason();
    return ctx.rates_reason();
}

TEST(Context, rates_are_measured_or_typical) {
    const testing::temporary_folder folder;
    const std::string file = folder.file("rates");
    const base::machine machine = base::machine::detect();
    const std::string typical = "typical of " + std::string(name(machine.best_isa()));
    const std::map<std::string, std::string> named = {{"TENFOLD_CALIBRATION", file}};
    EXPECT_EQ(rates_reason_with({{"TENFOLD_CALIBRATION", "off"}}), typical + ", as asked for");
    EXPECT_EQ(rates_reason_with(named), typical + ", calibration " + file + ": there is none");
    testing::write_into(file, "{");
    EXPECT_EQ(rates_reason_with(named),
              typical + ", calibration " + file + ": it is damaged, or no calibration file");
    EXPECT_EQ(testing::text_in(file), "{");
    std::filesystem::remove(file);

    auto rates = base::machine_rates::typical_of(machine.best_isa());
    rates.call = 42e-9;
    base::calibration_key key = {machine.identity(), machine.best_isa(), machine.cores, version()};
    ASSERT_EQ(base::save_calibration(file, key, rates), "");
    const std::string threads = std::to_string(machine.cores);
    EXPECT_EQ(rates_reason_with(named), "measured with " + threads +
                                            (machine.cores == 1 ? " thread, " : " threads, ") +
                                            file);
    key.cpu = "another";
    std::filesystem::remove(file);
    ASSERT_EQ(base::save_calibration(file, key, rates), "");
    EXPECT_EQ(rates_reason_with(named), typical + ", calibration " + file +
                                            ": it has none of this processor with " +
                                            std::string(name(machine.best_isa())));
}

TEST(Context, rates_are_read_once_and_late) {
    const testing::temporary_folder folder;
    const std::string file = folder.file("rates");
    const only_environment environment({{"TENFOLD_CALIBRATION", file}});
    const context early;
    const base::machine &machine = base::machine_of(early);
    const base::calibration_key key = {machine.identity(), early.isa(), early.threads(), version()};
    auto rates = base::machine_rates::typical_of(early.isa());
    rates.call = 42e-9;
    ASSERT_EQ(base::save_calibration(file, key, rates), "");
    EXPECT_EQ(base::rates_of(early).call, 42e-9);
    rates.call = 43e-9;
    ASSERT_EQ(base::save_calibration(file, key, rates), "");
    EXPECT_EQ(base::rates_of(early).call, 42e-9);
    EXPECT_EQ(base::rates_of(context()).call, 43e-9);
}

TEST(Context, rates_are_the_users_own) {
    const testing::temporary_folder folder;
    const base::machine machine = base::machine::detect();
    const std::string typical = "typical of " + std::string(name(machine.best_isa()));
    EXPECT_EQ(rates_reason_with({}),
              typical + ": there is no home directory to look for a calibration in");
    const std::map<std::string, std::string> places[] = {
        {{"HOME", folder.path()}},
        {{"HOME", "/nowhere"}, {"XDG_CACHE_HOME", folder.path()}},
        {{"HOME", folder.path()}, {"XDG_CACHE_HOME", "relative"}}};
    const std::string files[] = {folder.file(".cache/tenfold/calibration.json"),
                                 folder.file("tenfold/calibration.json"),
                                 folder.file(".cache/tenfold/calibration.json")};
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(rates_reason_with(places[i]),
                  typical + ", calibration " + files[i] + ": there is none");
}

TEST(Context, the_global_one_stays) {
    EXPECT_EQ(&context::global(), &context::global());
    EXPECT_GE(context::global().threads(), 1);
    EXPECT_TRUE(base::pool_of(context::global()).acquire(kib(1)));
}

/// docs/environment.md has one row per variable: | `NAME` | values | default | meaning |
TEST(Documentation, lists_exactly_the_variables) {
    std::ifstream page(TENFOLD_ENVIRONMENT_PAGE);
    ASSERT_TRUE(page) << TENFOLD_ENVIRONMENT_PAGE;
    std::set<std::string> described;
    for (std::string line; std::getline(page, line);)
        if (line.starts_with("| `TENFOLD_")) {
            const auto end = line.find('`', 3);
            EXPECT_TRUE(described.insert(line.substr(3, end - 3)).second) << "twice: " << line;
        }
    std::set<std::string> known;
    for (const auto &variable : base::environment_variables())
        known.insert(variable.name);
    EXPECT_EQ(described, known);
}

} // namespace
} // namespace tenfold
