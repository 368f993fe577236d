// Tests the typical rates of machines, and the file that replaces them by measured ones.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/calibration.hpp"
#include "base/kept_file.hpp"
#include "base/rates.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

using base::all_rates;
using base::calibration_key;
using base::found_calibration;
using base::machine_rates;
using base::rate;
using base::read_calibration;
using base::save_calibration;
using nlohmann::json;

calibration_key key_of(int threads = 4) { return {"cpu", isa::avx2, threads, "1.0"}; }

/// Returns rates that all differ from each other.
machine_rates some_rates(double scale = 1.1) {
    machine_rates rates = machine_rates::typical_of(isa::avx2);
    for (const rate &one : all_rates())
        rates.*one.value = one.least + (one.most - one.least) * 0.001 * (scale += 0.25);
    return rates;
}

void expect_same(const machine_rates &one, const machine_rates &other) {
    for (const rate &what : all_rates())
        EXPECT_EQ(one.*what.value, other.*what.value) << what.name;
}

TEST(Rates, the_list_has_every_member_once) {
    std::set<std::string> names;
    machine_rates rates = machine_rates::typical_of(isa::generic);
    for (const rate &one : all_rates()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_FALSE(std::isnan(rates.*one.value)) << one.name << " is listed twice";
        rates.*one.value = NAN;
    }
    EXPECT_EQ(all_rates().size() * sizeof(double), sizeof(machine_rates));
}

TEST(Rates, defaults_are_sane_for_every_isa) {
    for (const isa set : all_isas) {
        SCOPED_TRACE(name(set));
        const machine_rates rates = machine_rates::typical_of(set);
        for (const rate &one : all_rates()) {
            EXPECT_GE(rates.*one.value, one.least) << one.name;
            EXPECT_LE(rates.*one.value, one.most) << one.name;
        }
        EXPECT_GT(rates.fma_flops_f32, rates.fma_flops_f64);
        EXPECT_GT(rates.memory_bandwidth_all, rates.memory_bandwidth);
        EXPECT_GE(rates.read_bandwidth_all, rates.read_bandwidth);
        EXPECT_GE(rates.update_bandwidth_all, rates.update_bandwidth);
        EXPECT_GT(rates.cache_bandwidth, rates.l3_bandwidth);
        EXPECT_GT(rates.l3_bandwidth, rates.memory_bandwidth);
        EXPECT_LT(rates.transpose_moved, rates.transpose_kept);
        EXPECT_LE(rates.transpose_kept, 1);
        EXPECT_LT(rates.call, rates.fork);
    }
    for (const int cores : {1, 2, 4, 16, 1024}) {
        const machine_rates one = machine_rates::typical_of(isa::avx2, 1);
        const machine_rates many = machine_rates::typical_of(isa::avx2, cores);
        EXPECT_EQ(one.memory(1), many.memory(1)) << "reproducible plans are of one thread";
        EXPECT_EQ(one.memory_bandwidth, many.memory_bandwidth);
        EXPECT_LE(one.memory(cores), many.memory(cores));
        EXPECT_LE(many.memory(cores), 8 * one.memory(1));
    }
    EXPECT_GT(machine_rates::typical_of(isa::avx512).fma_flops_f64,
              machine_rates::typical_of(isa::avx2).fma_flops_f64);
}

TEST(Rates, types_share_the_rate_of_their_real_numbers) {
    const machine_rates rates = some_rates();
    for (const data_type type : {data_type::f64, data_type::c64})
        EXPECT_EQ(rates.fma_flops(type), rates.fma_flops_f64);
    for (const data_type type : {data_type::f32, data_type::c32, data_type::bf16, data_type::f16})
        EXPECT_EQ(rates.fma_flops(type), rates.fma_flops_f32);
}

TEST(Rates, threads_share_the_memory) {
    machine_rates rates = machine_rates::typical_of(isa::avx2);
    rates.memory_bandwidth = 10;
    rates.memory_bandwidth_all = 25;
    rates.read_bandwidth = 20;
    rates.read_bandwidth_all = 30;
    rates.update_bandwidth = 5;
    rates.update_bandwidth_all = 4; // a measurement may say so; one thread is one thread
    EXPECT_EQ(rates.memory(1), 10);
    EXPECT_EQ(rates.memory(2), 20);
    EXPECT_EQ(rates.memory(3), 25);
    EXPECT_EQ(rates.memory(300), 25);
    EXPECT_EQ(rates.reading(2), 30);
    EXPECT_EQ(rates.updating(1), 5);
    EXPECT_EQ(rates.updating(2), 5);
}

TEST(Rates, teams_cost_by_their_size) {
    machine_rates rates = machine_rates::typical_of(isa::avx2);
    rates.fork = 8;
    rates.fork_per_thread = 0.5;
    EXPECT_EQ(rates.fork_join(1), 0);
    EXPECT_EQ(rates.fork_join(2), 8);
    EXPECT_EQ(rates.fork_join(6), 10);
}

TEST(Calibration, what_is_saved_is_read) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    EXPECT_EQ(read_calibration(file, key_of()).fault, "there is none");
    ASSERT_EQ(save_calibration(file, key_of(), some_rates()), "");
    const found_calibration found = read_calibration(file, key_of());
    ASSERT_TRUE(found.rates) << found.fault;
    EXPECT_EQ(found.fault, "");
    EXPECT_EQ(found.threads, 4);
    expect_same(*found.rates, some_rates()); // to the last bit
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "temporary files stay behind";
}

TEST(Calibration, a_later_one_replaces_its_own_kind_only) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    calibration_key other_isa = key_of();
    other_isa.isa = isa::avx512;
    calibration_key other_cpu = key_of();
    other_cpu.cpu = "another";
    const calibration_key keys[] = {key_of(), key_of(8), other_isa, other_cpu};
    double scale = 1;
    for (const calibration_key &one : keys)
        ASSERT_EQ(save_calibration(file, one, some_rates(scale++)), "");
    ASSERT_EQ(save_calibration(file, key_of(), some_rates(77)), "");
    scale = 1;
    for (const calibration_key &one : keys) {
        const found_calibration found = read_calibration(file, one);
        ASSERT_TRUE(found.rates) << found.fault;
        expect_same(*found.rates, some_rates(&one == keys ? 77 : scale));
        ++scale;
    }
    EXPECT_EQ(json::parse(text_in(file))["calibrations"].size(), 4U);
}

TEST(Calibration, processes_that_save_at_once_keep_each_others) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    const auto before = std::exchange(base::kept_file_lock::patience, std::chrono::hours(1));
    constexpr int processes = 8;
    for (int threads = 1; threads <= processes; ++threads) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0)
            _exit(save_calibration(file, key_of(threads), some_rates()).empty() ? 0 : 1);
    }
    for (int i = 0; i < processes; ++i) {
        int status = 0;
        ASSERT_GT(wait(&status), 0);
        EXPECT_EQ(status, 0);
    }
    for (int threads = 1; threads <= processes; ++threads)
        EXPECT_EQ(read_calibration(file, key_of(threads)).threads, threads);
    base::kept_file_lock::patience = before;
}

TEST(Calibration, threads_that_come_closest) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    for (const int threads : {16, 2, 64, 8})
        ASSERT_EQ(save_calibration(file, key_of(threads), some_rates()), "");
    const auto threads_for = [&](int wanted) {
        return read_calibration(file, key_of(wanted)).threads;
    };
    EXPECT_EQ(threads_for(1), 2);
    EXPECT_EQ(threads_for(2), 2);
    EXPECT_EQ(threads_for(3), 8);
    EXPECT_EQ(threads_for(16), 16);
    EXPECT_EQ(threads_for(17), 64);
    EXPECT_EQ(threads_for(100), 64);
}

TEST(Calibration, others_are_ignored_with_a_reason) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    ASSERT_EQ(save_calibration(file, key_of(), some_rates()), "");
    const auto fault_for = [&](const calibration_key &key) {
        const found_calibration found = read_calibration(file, key);
        EXPECT_FALSE(found.rates);
        return found.fault;
    };
    calibration_key key = key_of();
    key.cpu = "another";
    EXPECT_EQ(fault_for(key), "it has none of this processor with avx2");
    key = key_of();
    key.isa = isa::generic;
    EXPECT_EQ(fault_for(key), "it has none of this processor with generic");
    key = key_of();
    key.version = "1.1";
    EXPECT_EQ(fault_for(key), "it is of Tenfold 1.0, this is 1.1");

    // A stale file is replaced.
    ASSERT_EQ(save_calibration(file, key, some_rates(5)), "");
    EXPECT_TRUE(read_calibration(file, key).rates);
    EXPECT_EQ(read_calibration(file, key_of()).fault, "it is of Tenfold 1.1, this is 1.0");
}

TEST(Calibration, damaged_files_are_ignored_and_left) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    const char *none = "it is damaged, or no calibration file";
    for (const char *text : {"{", "[]", "7", "\"tenfold\"", "{\"tenfold\": 1}", "\xff\xfe"}) {
        write_into(file, text);
        EXPECT_EQ(read_calibration(file, key_of()).fault, none) << text;
        EXPECT_EQ(save_calibration(file, key_of(), some_rates()),
                  std::string(none) + "; it is left as it is");
        EXPECT_EQ(text_in(file), text);
    }
    write_into(file, R"({"tenfold": "1.0", "calibrations": {"cpu": "cpu"}})");
    EXPECT_EQ(read_calibration(file, key_of()).fault, "its calibrations are damaged");
    EXPECT_EQ(save_calibration(file, key_of(), some_rates()), "") << "it is ours";
    EXPECT_TRUE(read_calibration(file, key_of()).rates);

    const std::string pipe = folder.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(read_calibration(pipe, key_of()).fault, "it is not a regular file");
    EXPECT_EQ(save_calibration(folder.file("missing/rates"), key_of(), some_rates()),
              "No such file or directory");
}

TEST(Calibration, absurd_rates_are_refused) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    ASSERT_EQ(save_calibration(file, key_of(), some_rates()), "");
    const json sound = json::parse(text_in(file));
    const auto fault_with = [&](const char *name, const json &value) {
        json content = sound;
        json &rates = content["calibrations"][0]["rates"];
        if (value.is_null())
            rates.erase(name);
        else
            rates[name] = value;
        write_into(file, content.dump());
        const found_calibration found = read_calibration(file, key_of());
        EXPECT_EQ(found.rates.has_value(), found.fault.empty());
        return found.fault;
    };
    for (const rate &one : all_rates()) {
        const std::string damaged = "its '" + std::string(one.name) + "' is damaged";
        const json absurd[] = {nullptr,       "fast",       json::array(), -1.0,
                               one.least - 1, one.most * 2, 1e300};
        for (const json &value : absurd)
            EXPECT_EQ(fault_with(one.name, value), damaged) << value;
        EXPECT_EQ(fault_with(one.name, one.most), "");
    }

    // Wrong values do not replace valid ones.
    write_into(file, sound.dump());
    for (const rate &one : all_rates())
        for (const double value :
             {std::nan(""), HUGE_VAL, -1.0, one.least * 0.5 - 1e-30, one.most * 2}) {
            machine_rates absurd = some_rates();
            absurd.*one.value = value;
            EXPECT_EQ(save_calibration(file, key_of(), absurd),
                      "the measured '" + std::string(one.name) + "' is beyond any machine's")
                << value;
        }
    EXPECT_EQ(text_in(file), sound.dump());

    // An entry with an invalid key is ignored.
    for (const char *part : {"cpu", "isa", "threads"})
        for (const json &value : {json(nullptr), json(-4), json(0.5), json(1e15)}) {
            json content = sound;
            content["calibrations"][0][part] = value;
            write_into(file, content.dump());
            EXPECT_FALSE(read_calibration(file, key_of()).rates) << part << " " << value;
        }
    write_into(file, R"({"tenfold": "1.0", "calibrations": [1, null, [], "x", {}]})");
    EXPECT_EQ(read_calibration(file, key_of()).fault, "it has none of this processor with avx2");
}

TEST(Calibration, what_newer_versions_add_is_kept) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    write_into(file, R"({"tenfold": "1.0", "colour": "green", "calibrations": [{"shape": 1}]})");
    ASSERT_EQ(save_calibration(file, key_of(), some_rates()), "");
    for (const char *part : {"colour", "shape"})
        EXPECT_NE(text_in(file).find(part), std::string::npos) << part;
    EXPECT_TRUE(read_calibration(file, key_of()).rates);
}

/// A recursive reader of such a value would run out of stack or memory.
TEST(Calibration, endless_nesting_is_no_file_of_ours) {
    const temporary_folder folder;
    const std::string file = folder.file("rates");
    const auto nested = [](std::size_t levels) {
        return R"({"tenfold": "1.0", "calibrations": [], "more": )" + std::string(levels, '[') +
               std::string(levels, ']') + "}";
    };
    write_into(file, nested(1'000'000));
    EXPECT_EQ(read_calibration(file, key_of()).fault, "it is damaged, or no calibration file");
    EXPECT_EQ(save_calibration(file, key_of(), some_rates()),
              "it is damaged, or no calibration file; it is left as it is");
    EXPECT_EQ(text_in(file).size(), nested(1'000'000).size());

    write_into(file, nested(8)); // what a newer version might add
    ASSERT_EQ(save_calibration(file, key_of(), some_rates()), "");
    EXPECT_TRUE(json::parse(text_in(file)).contains("more"));
    EXPECT_TRUE(read_calibration(file, key_of()).rates);
}

TEST(Calibration, a_file_of_wisdom_is_left) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    const std::string wisdom = R"({"tenfold": "1.0", "cpu": "cpu", "transpose": {}})";
    write_into(file, wisdom);
    EXPECT_EQ(read_calibration(file, key_of()).fault, "it is damaged, or no calibration file");
    EXPECT_EQ(save_calibration(file, key_of(), some_rates()),
              "it is damaged, or no calibration file; it is left as it is");
    EXPECT_EQ(text_in(file), wisdom);
}

} // namespace
} // namespace tenfold::testing
