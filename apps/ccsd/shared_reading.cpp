// The text is cut into pieces of whole lines and read in rounds.
//
// In each round, every rank parses one piece: the root the first one, the others the following ones
// in the order of ranks. The entries of all ranks are gathered and stored in the file's order.
//
// Only the root decompresses, which may take longer than parsing. Therefore it cuts the pieces of
// the next round while the others parse, before it parses its own piece, whose size is chosen so
// that all ranks finish together.
#include "apps/ccsd/shared_reading.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tenfold/dist_gather.hpp>

#include "apps/ccsd/molecule.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

/// Bytes for one rank in one round: milliseconds of work, which is long compared with a message and
/// short compared with the whole; fewer if the root holds pieces for many ranks.
std::size_t piece_bytes(int ranks) {
    constexpr std::size_t most_together = std::size_t{1} << 25;
    return std::clamp(most_together / static_cast<std::size_t>(ranks), std::size_t{1} << 14,
                      std::size_t{1} << 18);
}

/// A number of whole lines.
struct piece {
    std::vector<char> text;
    index_t first_line = 1;
    bool is_last = false;            ///< no round follows
    std::exception_ptr problem = {}; ///< to be reported in this round

    std::string_view lines() const noexcept { return {text.data(), text.size()}; }
};

/// The pieces of all ranks; other ranks than the root have the memory for the heads only.
struct round_of_pieces {
    explicit round_of_pieces(int ranks)
        : sizes(static_cast<std::size_t>(ranks)), heads(sizes.size() + 1) {}

    std::vector<char> text;     ///< one piece after the other
    std::vector<index_t> sizes; ///< bytes of each piece
    /// The number of the first line of each piece; then 1 if no round follows, else 0.
    std::vector<index_t> heads;
    std::exception_ptr problem = {}; ///< of the root, to be reported in this round
};

/// Measures seconds per byte.
struct rate {
    double seconds = 0;
    double bytes = 0;

    void add(double more_seconds, std::size_t more_bytes) {
        seconds += more_seconds;
        bytes += static_cast<double>(more_bytes);
    }
    double operator()() const { return seconds / bytes; }
};

/// Cuts the file into pieces; on the root.
class piece_cutter {
public:
    piece_cutter(int ranks, const std::string &path) : ranks_(ranks), text_(path) {}

    const chem::fcidump_header &header() const noexcept { return text_.header(); }
    index_t last_line() const noexcept { return text_.line(); }
    void has_parsed(double seconds, std::size_t bytes) { parsing_.add(seconds, bytes); }

    /// Cuts the pieces of a round. If reading fails, the error is reported one round later, after
    /// any errors in the lines before.
    void cut(round_of_pieces &to) noexcept {
        to.text.clear();
        std::fill(to.sizes.begin(), to.sizes.end(), 0);
        to.problem = std::exchange(problem_, nullptr);
        bool is_last = to.problem != nullptr;
        try {
            if (!is_last) {
                cut_all(to);
                is_last = at_end_;
            }
        } catch (...) {
            problem_ = std::current_exception();
        }
        to.heads.back() = is_last ? 1 : 0;
    }

private:
    std::size_t own_bytes() const {
        const auto whole = static_cast<double>(piece_bytes(ranks_));
        const double others = ranks_ - 1;
        if (ranks_ == 1)
            return static_cast<std::size_t>(whole);
        if (parsing_.bytes == 0 || unpacking_.bytes == 0)
            return static_cast<std::size_t>(whole / 8);
        const double share = (parsing_() - others * unpacking_()) / (parsing_() + unpacking_());
        return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * whole);
    }

    void cut_all(round_of_pieces &to) {
        const apps_impl::stopwatch watch;
        for (std::size_t rank = 0; rank < to.sizes.size(); ++rank) {
            to.heads[rank] = text_.line() + 1;
            const std::size_t most =
                rank == static_cast<std::size_t>(root) ? own_bytes() : piece_bytes(ranks_);
            if (most == 0 || at_end_)
                continue;
            std::string_view lines;
            at_end_ = !text_.next_lines(lines, most);
            to.text.insert(to.text.end(), lines.begin(), lines.end());
            to.sizes[rank] = static_cast<index_t>(lines.size());
        }
        unpacking_.add(watch.seconds(), to.text.size());
    }

    int ranks_;
    chem::fcidump_text text_;
    rate unpacking_;
    rate parsing_;
    std::exception_ptr problem_;
    bool at_end_ = false;
};

/// Collective. Gives each rank its piece of the round that the root has cut.
void hand_out(const world &ranks, round_of_pieces &cut, piece &to) {
    broadcast(ranks, std::span(cut.heads), root);
    to.first_line = cut.heads[static_cast<std::size_t>(ranks.rank())];
    to.is_last = cut.heads.back() != 0;
    to.problem = std::exchange(cut.problem, nullptr);
    if (ranks.size() == 1)
        to.text.swap(cut.text);
    else
        scatter_lists(ranks, cut.text, cut.sizes, to.text, root);
}

/// Gathers what all ranks found in a round, in the order of ranks, on each rank or on the root.
class round_gatherer {
public:
    round_gatherer(const world &ranks, bool everywhere) : ranks_(ranks), everywhere_(everywhere) {}

    /// Collective. The result is valid until the next call; empty on ranks that do not need it.
    const std::vector<chem::fcidump_entry> &gather(const std::vector<chem::fcidump_entry> &own) {
        if (ranks_.size() == 1)
            return own;
        if (everywhere_)
            all_gather_lists(ranks_, own, all_);
        else
            gather_lists(ranks_, own, all_, root);
        return all_;
    }

private:
    const world &ranks_;
    bool everywhere_;
    std::vector<chem::fcidump_entry> all_;
};

} // namespace

chem::fcidump_header read_closed_shell_header(const std::string &path) {
    chem::fcidump_header header = chem::read_fcidump_header(path);
    if (header.electrons < 2 || header.electrons % 2 != 0)
        throw chem::fcidump_error(path, header.last_line,
                                  "NELEC=" + std::to_string(header.electrons) +
                                      ": expected an even number from 2 to twice NORB=" +
                                      std::to_string(header.orbitals) + " (closed shell)");
    if (header.spin != 0)
        throw chem::fcidump_error(path, header.last_line,
                                  "MS2=" + std::to_string(header.spin) +
                                      ": expected 0 (closed shell)");
    return header;
}

chem::fcidump_header read_header(const options &asked) {
    chem::fcidump_header header = read_closed_shell_header(asked.file);
    const index_t occupied = header.electrons / 2;
    if (asked.frozen_core > occupied)
        throw apps_impl::usage_error("--frozen-core " + std::to_string(asked.frozen_core) + ": '" +
                                     asked.file + "' has " + std::to_string(occupied) +
                                     " occupied orbitals");
    return header;
}

chem::integrals read_fcidump(const world &ranks, const std::string &path, bool everywhere) {
    const bool is_root = ranks.rank() == root;
    std::optional<piece_cutter> cutter;
    agree_on_file(ranks, [&] {
        if (is_root)
            cutter.emplace(ranks.size(), path);
    });
    chem::integrals list;
    if (is_root) {
        list.orbitals = cutter->header().orbitals;
        list.electrons = cutter->header().electrons;
        list.spin = cutter->header().spin;
        list.symmetries = cutter->header().symmetries;
    }
    broadcast(ranks, list.orbitals, root);
    broadcast(ranks, list.electrons, root);
    std::optional<chem::integrals_builder> builder;
    std::optional<round_of_pieces> next;
    agree_on_file(ranks, [&] {
        if (is_root || everywhere)
            builder.emplace(list);
        next.emplace(ranks.size());
    });
    if (is_root)
        cutter->cut(*next);

    round_gatherer others(ranks, everywhere);
    std::vector<chem::fcidump_entry> entries;
    piece now;
    while (!now.is_last) {
        hand_out(ranks, *next, now);
        agree_on_file(ranks, [&] {
            if (is_root && !now.is_last)
                cutter->cut(*next);
            if (now.problem)
                std::rethrow_exception(now.problem);
            const apps_impl::stopwatch watch;
            entries.clear();
            chem::parse_fcidump_lines(now.lines(), now.first_line, path, list.orbitals, entries);
            if (is_root)
                cutter->has_parsed(watch.seconds(), now.text.size());
        });
        for (const chem::fcidump_entry &one : others.gather(entries))
            if (builder)
                builder->put(one);
    }
    agree_on_file(ranks, [&] {
        if (builder)
            builder->finish(path, is_root ? cutter->last_line() : 0);
    });
    return list;
}

} // namespace tenfold::ccsd
