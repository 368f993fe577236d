#include "apps/bench/page_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "apps/common/program.hpp"
#include "base/parallel.hpp"

namespace tenfold::apps_impl {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// The file reads "always [madvise] never": the setting in brackets is in force.
bool huge_pages_are_off() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string text;
    return !std::getline(file, text) || text.find("[never]") != std::string::npos;
}

/// Returns a separate mapping: neighbours on the heap would share its pages and their size.
std::unique_ptr<std::byte, std::function<void(void *)>> map(std::size_t size, bool huge) {
    const std::size_t page = huge ? huge_page : static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (size + page - 1) / page * page;
    const std::size_t mapped = used + (huge ? huge_page : 0); // room to align the start
    void *memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw error(errc::out_of_memory, "cannot allocate " + std::to_string(mapped) + " bytes");
    auto *begin = static_cast<std::byte *>(memory);
    if (huge)
        begin += (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    // A kernel without huge pages refuses MADV_NOHUGEPAGE, which is not needed there.
    madvise(begin, used, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return {begin, [memory, mapped](void *) { munmap(memory, mapped); }};
}

} // namespace

std::string_view name(page_kind kind) noexcept {
    switch (kind) {
    case page_kind::small:
        return "small";
    case page_kind::huge:
        return "huge";
    default:
        return "default";
    }
}

page_memory::page_memory(byte_count size, page_kind kind, int threads) {
    if (kind == page_kind::as_allocated) {
        memory_ = {static_cast<std::byte *>(base::allocate_aligned(size)), base::free_aligned};
    } else {
        if (kind == page_kind::huge && huge_pages_are_off())
            throw failure("--pages huge: the system gives no transparent huge pages; "
                          "/sys/kernel/mm/transparent_hugepage/enabled must say madvise or always");
        memory_ = map(static_cast<std::size_t>(std::max<index_t>(size.value, 1)),
                      kind == page_kind::huge);
    }
    // All pages that were never written map to a single page of zeros, which would stay in the
    // caches.
    base::run_parallel(threads, [&](base::team_member member) {
        const base::range part = base::split(size.value, member.size(), member.id(), 4096);
        std::memset(memory_.get() + part.begin, 0, static_cast<std::size_t>(part.size()));
    });
}

std::optional<double> share_in_huge_pages(const void *address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream file("/proc/self/smaps");
    bool inside = false;
    unsigned long resident = 0;
    for (std::string line; std::getline(file, line);) {
        unsigned long begin = 0;
        unsigned long end = 0;
        unsigned long kilobytes = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
            inside = begin <= wanted && wanted < end;
        else if (inside && std::sscanf(line.c_str(), "Rss: %lu", &kilobytes) == 1)
            resident = kilobytes;
        else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %lu", &kilobytes) == 1)
            return resident == 0 ? 0.0
                                 : static_cast<double>(kilobytes) / static_cast<double>(resident);
    }
    return std::nullopt;
}

} // namespace tenfold::apps_impl
