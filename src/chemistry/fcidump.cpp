#include <algorithm>
#include <utility>

#include <tenfold/chem_fcidump.hpp>

#include "chemistry/fcidump_header.hpp"

namespace tenfold::chem {
namespace {

std::string place_in(const std::string &file, index_t line) {
    return "'" + file + "'" + (line > 0 ? ", line " + std::to_string(line) : "");
}

} // namespace

fcidump_error::fcidump_error(const std::string &file, index_t line, const std::string &problem)
    : error(errc::io, place_in(file, line) + ": " + problem), line_(line) {}

fcidump_error::~fcidump_error() = default;

struct fcidump_text::state {
    state(const std::string &name, std::unique_ptr<chemistry_impl::byte_source> source)
        : file(name), lines(std::move(source)), header(chemistry_impl::read_header(lines, name)) {}

    std::string file;
    chemistry_impl::line_reader lines;
    fcidump_header header;
};

fcidump_text::fcidump_text(const std::string &path)
    : state_(std::make_unique<state>(path, chemistry_impl::open_source(path))) {}

fcidump_text::fcidump_text(const std::string &name, text_source source)
    : state_(std::make_unique<state>(name, chemistry_impl::source_of(std::move(source)))) {}

fcidump_text::~fcidump_text() = default;

const fcidump_header &fcidump_text::header() const noexcept { return state_->header; }

index_t fcidump_text::line() const noexcept { return state_->lines.number(); }

bool fcidump_text::next_lines(std::string_view &lines, std::size_t most) {
    if (!state_->lines.next_lines(lines, std::min(most, longest_line - 1)))
        return false;
    if (lines.size() >= longest_line) // one line
        throw fcidump_error(state_->file, line(), "a line of a megabyte; expected an integral");
    return true;
}

fcidump_header read_fcidump_header(const std::string &path) { return fcidump_text(path).header(); }

namespace {

integrals read_all(fcidump_text &text, const std::string &name) {
    constexpr std::size_t piece = std::size_t{1} << 16; // few enough for a cache
    integrals list;
    list.orbitals = text.header().orbitals;
    list.electrons = text.header().electrons;
    list.spin = text.header().spin;
    list.symmetries = text.header().symmetries;
    integrals_builder builder(list);
    std::vector<fcidump_entry> entries;
    std::string_view lines;
    for (index_t first = text.line() + 1; text.next_lines(lines, piece); first = text.line() + 1) {
        entries.clear();
        parse_fcidump_lines(lines, first, name, list.orbitals, entries);
        for (const fcidump_entry &one : entries)
            builder.put(one);
    }
    builder.finish(name, text.line());
    return list;
}

} // namespace

integrals read_fcidump(const std::string &path) {
    fcidump_text text(path);
    return read_all(text, path);
}

integrals read_fcidump(const std::string &name, text_source source) {
    fcidump_text text(name, std::move(source));
    return read_all(text, name);
}

} // namespace tenfold::chem
