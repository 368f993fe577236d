#include "recorded/recording.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include "base/machine.hpp"
#include "support/described_machines.hpp"

namespace tenfold::testing {

std::string reason_not_to_compare(const std::string &file) {
    const std::string title = "# built with: ";
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(title)) {
            const std::string recorded = line.substr(title.size());
            return recorded == TENFOLD_BUILT_WITH
                       ? ""
                       : "recorded with " + recorded + ", this build is " + TENFOLD_BUILT_WITH;
        }
    return file + " has no line that begins with '" + title + "'";
}

const context *recorded_context(isa set, int threads) {
    static const base::machine here = base::machine::detect();
    if (!here.supports(set))
        return nullptr;
    static std::map<std::pair<isa, int>, std::unique_ptr<context>> made;
    auto &found = made[{set, threads}];
    if (found == nullptr) {
        base::described_machine machine = narrow_machine(set);
        // These instructions give the same bits as their replacements.
        machine.machine.avx512_bf16 = here.avx512_bf16;
        machine.machine.avx512_vnni = here.avx512_vnni;
        settings chosen;
        chosen.isa = set;
        chosen.threads = threads;
        found = machine.make_context(chosen);
    }
    return found.get();
}

group_hash::group_hash(std::string name)
    : name_(std::move(name)), prints_(std::getenv("TENFOLD_TEST_EACH") != nullptr) {}

void group_hash::print(int number, const bits_hash &one, const std::string &description) const {
    std::string line = description;
    for (char &c : line)
        if (c == '\n')
            c = ';';
    std::printf("%s case %d: %s  %s\n", name_.c_str(), number, one.text().c_str(), line.c_str());
}

} // namespace tenfold::testing
