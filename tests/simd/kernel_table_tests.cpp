// What kernels are compiled for, and which of them serve an instruction set.
#include <gtest/gtest.h>

#include <set>

#include "simd/kernel_table.hpp"

namespace tenfold::simd {
namespace {

/// The best that serves it and needs no feature.
const variant *without_feature(isa set) {
    for (const variant &one : variants())
        if (serves(one, set) && one.feature == nullptr)
            return &one;
    return nullptr;
}

TEST(Variants, AreListedBestFirst) {
    ASSERT_FALSE(variants().empty());
    EXPECT_EQ(variants().back().register_bytes, 16);
    EXPECT_EQ(variants().back().feature, nullptr);
    std::set<std::string_view> names;
    int longest = 64;
    for (const variant &one : variants()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        if (one.isa == isa::sve) // its lengths exclude each other
            continue;
        EXPECT_LE(one.register_bytes, longest) << one.name;
        longest = one.register_bytes;
    }
    for (const isa set : base::machine::detect().isas)
        EXPECT_NE(without_feature(set), nullptr) << name(set);
}

TEST(Variants, ServeTheirOwnAndStrongerInstructionSetsAndTheLastServesAll) {
    for (const variant &one : variants())
        for (const isa wanted : all_isas) {
            const auto expected = [&] {
                if (one.name == variants().back().name)
                    return true;
                if (one.isa == isa::avx2)
                    return wanted == isa::avx2 || wanted == isa::avx512;
                return wanted == one.isa;
            };
            EXPECT_EQ(serves(one, wanted), expected()) << one.name << " for " << name(wanted);
        }
}

TEST(KernelTable, FindsTheFirstThatServes) {
    const int with_feature = 0, first = 1, last = 2;
    const variant &last_variant = variants().back();
    const kernel_table<int> table{
        {{"featured", isa::generic, 16, &base::machine::avx512_bf16}, &with_feature},
        {{"first", isa::generic, 16, nullptr}, &first},
        {last_variant, &last}};
    for (const isa wanted : all_isas)
        EXPECT_EQ(table.find(wanted).kernels, &first) << name(wanted);
    EXPECT_EQ(table.compiled_for(last_variant), &last);
    EXPECT_EQ(table.compiled_for({"sse9", isa::generic, 16, nullptr}), nullptr);
}

TEST(KernelTable, AsksForFeatures) {
    const variant one{"featured", isa::generic, 16, &base::machine::avx512_vnni};
    base::machine machine;
    machine.isas = {isa::generic};
    EXPECT_FALSE(finds_what_it_needs(one, nullptr));
    EXPECT_FALSE(runs(machine, one));
    machine.avx512_vnni = true;
    EXPECT_TRUE(runs(machine, one));
    machine.isas.clear();
    EXPECT_FALSE(runs(machine, one));
}

} // namespace
} // namespace tenfold::simd
