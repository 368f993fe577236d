#include "apps/bench/transposition_options.hpp"

#include <unistd.h>

#include "apps/common/program.hpp"
#include "apps/common/text.hpp"
#include "apps/common/values.hpp"

namespace tenfold::apps_impl {
namespace {

/// Larger offsets repeat the alignments of smaller ones.
constexpr index_t offset_limit = 4096;

index_t parse_offset(const std::string &option, const std::string &text) {
    const int offset = parse_count(option, text, /*least=*/0);
    if (offset >= offset_limit)
        throw usage_error(option + " '" + text + "': expected less than a page of " +
                          std::to_string(offset_limit) + " bytes");
    return offset;
}

page_kind parse_pages(const std::string &option, const std::string &text) {
    for (const page_kind kind : {page_kind::as_allocated, page_kind::small, page_kind::huge})
        if (text == name(kind))
            return kind;
    throw usage_error(option + " '" + text + "': expected small, huge or default");
}

std::string pages_text(page_kind pages) {
    switch (pages) {
    case page_kind::small:
        return format("%ld KiB pages", sysconf(_SC_PAGESIZE) / 1024);
    case page_kind::huge:
        return "huge pages";
    default:
        return "pages as the allocator gives them";
    }
}

} // namespace

void add_transposition_options(po::options_description &group, transposition_options &options) {
    add_value(group, "tuning", "LEVEL", &options.tuning, parse_tuning_level,
              "how long plans look for a fast way: estimate, measure or patient; estimate unless "
              "given");
    add_flag(group, "portability", &options.portability,
             "run the cases on every instruction set of this machine and tell how evenly they do");
    add_value(group, "offset", "BYTES", &options.where.offset, parse_offset,
              "A and B begin that far past a 64-byte boundary; malloc gives 16. 0 unless given");
    add_value(group, "pages", "KIND", &options.where.pages, parse_pages,
              "what holds A, B and the ceilings' arrays: small (4 KiB), huge (2 MiB), or default, "
              "as Tenfold's allocator gives them");
}

void check(const transposition_options &options, const std::string &suite, index_t component) {
    const auto only_ttc = [&](bool given, const char *option) {
        if (given && suite != "ttc")
            throw usage_error(std::string(option) + " applies to the suite ttc only");
    };
    only_ttc(options.where.offset != 0, "--offset");
    only_ttc(options.tuning != tuning::estimate, "--tuning");
    only_ttc(options.portability, "--portability");
    only_ttc(options.where.pages != page_kind::as_allocated, "--pages");
    if (options.where.offset % component != 0)
        throw usage_error("--offset '" + std::to_string(options.where.offset) +
                          "': expected a multiple of " + std::to_string(component) +
                          ", the bytes of a real number of the type");
}

std::string describe(const transposition_options &options) {
    const std::string begin = options.where.offset == 0
                                  ? "A and B begin at 64-byte boundaries"
                                  : format("A and B begin %lld bytes past 64-byte boundaries",
                                           static_cast<long long>(options.where.offset));
    return "tuning " + std::string(name(options.tuning)) + "; " + begin + "; " +
           pages_text(options.where.pages);
}

} // namespace tenfold::apps_impl
