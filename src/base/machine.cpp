#include "base/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include <omp.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "base/text.hpp"

namespace tenfold::base {
namespace {

std::string first_line(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    return "unknown";
}

#if defined(__x86_64__)
void read_cpuid(machine &result) {
    unsigned int highest = 0;
    unsigned int letters[3] = {}; // the vendor's name is in ebx, edx, ecx
    if (__get_cpuid(0, &highest, &letters[0], &letters[2], &letters[1]) != 0)
        result.vendor.assign(reinterpret_cast<const char *>(letters), sizeof letters);
    unsigned int unused[3] = {};
    unsigned int buffers = 0; // in ebx: bits 16 to 27 are the number for data, 4 KiB pages
    if (result.vendor == "AuthenticAMD" &&
        __get_cpuid(0x80000006, &unused[0], &buffers, &unused[1], &unused[2]) != 0)
        if (const index_t pages = amd_tlb_pages((buffers >> 16) & 0xfffU); pages > 0)
            result.tlb_pages = pages;
    result.avx512_bf16 = result.supports(isa::avx512) && __builtin_cpu_supports("avx512bf16");
    result.avx512_vnni = result.supports(isa::avx512) && __builtin_cpu_supports("avx512vnni");
}
#endif

#if defined(__x86_64__)
/// Uses the compilers' built-in checks, except for F16C, which older clang lacks.
bool converts_f16() {
    unsigned int unused[3] = {};
    unsigned int features = 0;
    return __get_cpuid(1, &unused[0], &unused[1], &features, &unused[2]) != 0 &&
           (features & bit_F16C) != 0;
}
#endif

/// The ISAs of this processor that there are kernels for, best first.
std::vector<isa> supported_isas() {
    std::vector<isa> found;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_f16();
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        found.push_back(isa::avx512);
    if (avx2)
        found.push_back(isa::avx2);
#elif defined(__aarch64__)
    // Kernels are compiled for these two lengths; for registers of 16 bytes NEON is used.
    if (const int length = sve_bytes(); length == 32 || length == 64)
        found.push_back(isa::sve);
    found.push_back(isa::neon);
#endif
    found.push_back(isa::generic);
#if defined(TENFOLD_COMPILED_ISAS)
    constexpr std::array compiled{TENFOLD_COMPILED_ISAS};
    std::erase_if(found, [&](isa one) {
        return std::find(compiled.begin(), compiled.end(), one) == compiled.end();
    });
#endif
    return found;
}

/// "48K" -> 49152; 0 if malformed.
index_t parse_size(const std::string &text) {
    std::istringstream in(text);
    index_t value = 0;
    char unit = ' ';
    in >> value >> unit;
    return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

/// "0-3,8" -> 5.
int count_cpu_list(const std::string &list) {
    int count = 0;
    std::istringstream in(list);
    for (std::string item; std::getline(in, item, ',');) {
        int first = 0;
        int last = 0;
        const int fields = std::sscanf(item.c_str(), "%d-%d", &first, &last);
        count += fields == 2 ? last - first + 1 : fields == 1 ? 1 : 0;
    }
    return std::max(count, 1);
}

void read_caches(machine &result) {
    result.l1d = {index_t{32} << 10, 8, 64, 1};
    result.l2 = {index_t{512} << 10, 8, 64, 1};
    for (int index = 0; index < 8; ++index) {
        const std::string directory =
            "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        const std::string type = first_line(directory + "type");
        const index_t size = parse_size(first_line(directory + "size"));
        if (type.empty() || type == "Instruction" || size <= 0)
            continue;
        cache found;
        found.size = size;
        found.ways =
            std::max<index_t>(1, parse_size(first_line(directory + "ways_of_associativity")));
        found.line =
            std::max<index_t>(16, parse_size(first_line(directory + "coherency_line_size")));
        found.shared_by = count_cpu_list(first_line(directory + "shared_cpu_list"));
        const std::string level = first_line(directory + "level");
        if (level == "1")
            result.l1d = found;
        else if (level == "2")
            result.l2 = found;
        else if (level == "3")
            result.l3 = found;
    }
    result.l3.size = usable_l3(result.l3.size, result.l3.shared_by);
}

/// Whole cores within the cgroup's CPU quota; 0 if there is no quota.
int cgroup_cores() {
    std::istringstream v2(first_line("/sys/fs/cgroup/cpu.max"));
    double quota = 0;
    double period = 0;
    if (v2 >> quota >> period && period > 0)
        return std::max(1, static_cast<int>(std::lround(quota / period)));
    std::istringstream v1_quota(first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"));
    std::istringstream v1_period(first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
    if (v1_quota >> quota && v1_period >> period && quota > 0 && period > 0)
        return std::max(1, static_cast<int>(std::lround(quota / period)));
    return 0;
}

int usable_cores() {
    const cpu_set_t set = usable_processors();
    int cores = CPU_COUNT(&set);
    if (cores == 0)
        cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    if (const int quota = cgroup_cores(); quota > 0)
        cores = std::min(cores, quota);
    return std::max(cores, 1);
}

} // namespace

int sve_bytes() noexcept {
#if defined(__aarch64__)
    constexpr unsigned long hwcap_sve = 1UL << 22;
    constexpr int get_length = 51; // PR_SVE_GET_VL, which older headers lack
    constexpr int length_mask = 0xffff;
    if (getauxval(AT_HWCAP) & hwcap_sve)
        if (const int found = prctl(get_length); found > 0)
            return found & length_mask;
#endif
    return 0;
}

bool has_registers_of(isa set, int bytes) noexcept {
    return set != isa::sve || bytes == sve_bytes();
}

bool machine::supports(isa value) const noexcept {
    return std::find(isas.begin(), isas.end(), value) != isas.end();
}

std::string machine::identity() const {
    return cpu + ", caches " + describe(bytes(l1d.size)) + ", " + describe(bytes(l2.size)) + ", " +
           describe(bytes(l3.size));
}

cpu_set_t usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> ids;
    for (int place = 0; place < omp_get_num_places(); ++place) {
        ids.resize(static_cast<std::size_t>(omp_get_place_num_procs(place)));
        omp_get_place_proc_ids(place, ids.data());
        for (const int id : ids)
            if (id >= 0 && id < CPU_SETSIZE)
                CPU_SET(static_cast<std::size_t>(id), &set);
    }
    if (CPU_COUNT(&set) == 0 && sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_ZERO(&set);
    return set;
}

machine machine::detect() {
    machine result;
    result.cpu = cpu_model();
    result.isas = supported_isas();
#if defined(__x86_64__)
    read_cpuid(result);
#endif
    read_caches(result);
    result.page = sysconf(_SC_PAGESIZE);
    result.cores = usable_cores();
    return result;
}

} // namespace tenfold::base
