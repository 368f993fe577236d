// The text is cut into pieces of whole lines and read in rounds.
//
// In each round, every rank parses one piece: the root the first one, the others the following ones
// in the order of ranks. The entries of all ranks are gathered and stored in the file's order.
//
// Only the root decompresses, which may take longer than parsing. Therefore it sends the pieces of
// the next round before it parses its own piece, whose size is chosen so that all ranks finish
// together.
#include "apps/ccsd/shared_reading.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <optional>

#include <tenfold/dist.hpp>
#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/molecule.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

using apps_impl::expect_mpi;

/// Bytes for one rank in one round: milliseconds of work, which is long compared with a message and
/// short compared with the whole; fewer if the root holds pieces for many ranks.
std::size_t piece_bytes(int ranks) {
    constexpr std::size_t most_together = std::size_t{1} << 25;
    return std::clamp(most_together / static_cast<std::size_t>(ranks), std::size_t{1} << 14,
                      std::size_t{1} << 18);
}
/// A number of whole lines.
struct piece {
    std::string text;
    index_t first_line = 1;
    bool last = false;               ///< no round follows
    std::exception_ptr problem = {}; ///< to be reported in this round
};

/// The message before a piece: bytes, number of the first line, whether the round is the last one.
using piece_head = std::array<index_t, 3>;

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

/// Cuts the file into pieces and sends them; on the root.
class piece_sender {
public:
    piece_sender(const world &ranks, const std::string &path)
        : ranks_(ranks), text_(path), parcels_(static_cast<std::size_t>(ranks.size() - 1)),
          requests_(2 * parcels_.size(), MPI_REQUEST_NULL) {}
    ~piece_sender() { wait(); }
    piece_sender(const piece_sender &) = delete;
    piece_sender &operator=(const piece_sender &) = delete;

    const chem::fcidump_header &header() const noexcept { return text_.header(); }
    index_t last_line() const noexcept { return text_.line(); }
    void has_parsed(double seconds, std::size_t bytes) { parsing_.add(seconds, bytes); }

    /// Sends the other ranks their pieces of the next round and returns the root's. If reading
    /// fails, the error is reported one round later, after any errors in the lines before.
    piece next() noexcept {
        wait();
        piece own;
        own.problem = std::exchange(problem_, nullptr);
        own.last = own.problem != nullptr;
        for (parcel &one : parcels_)
            one.text.clear();
        if (!own.last) {
            try {
                cut(own);
                own.last = at_end_;
            } catch (...) {
                problem_ = std::current_exception();
            }
        }
        for (std::size_t i = 0; i < parcels_.size(); ++i)
            send(i, own.last);
        return own;
    }

private:
    struct parcel {
        piece_head head{};
        std::string text;
    };

    std::size_t own_bytes() const {
        const auto whole = static_cast<double>(piece_bytes(ranks_.size()));
        const auto others = static_cast<double>(parcels_.size());
        if (parcels_.empty())
            return static_cast<std::size_t>(whole);
        if (parsing_.bytes == 0 || unpacking_.bytes == 0)
            return static_cast<std::size_t>(whole / 8);
        const double share = (parsing_() - others * unpacking_()) / (parsing_() + unpacking_());
        return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * whole);
    }

    void cut(piece &own) {
        const apps_impl::stopwatch watch;
        own.first_line = text_.line() + 1;
        take(own.text, own_bytes());
        std::size_t bytes = own.text.size();
        for (parcel &one : parcels_) {
            one.head[1] = text_.line() + 1;
            take(one.text, piece_bytes(ranks_.size()));
            bytes += one.text.size();
        }
        unpacking_.add(watch.seconds(), bytes);
    }

    void take(std::string &to, std::size_t most) {
        std::string_view lines;
        if (most == 0 || at_end_)
            return;
        at_end_ = !text_.next_lines(lines, most);
        to = lines;
    }

    void send(std::size_t place, bool last) noexcept {
        parcel &one = parcels_[place];
        one.head[0] = static_cast<index_t>(one.text.size());
        one.head[2] = last ? 1 : 0;
        const int to = static_cast<int>(place) + 1;
        expect_mpi(MPI_Isend(one.head.data(), static_cast<int>(one.head.size()), MPI_INT64_T, to, 0,
                             ranks_.comm(), &requests_[2 * place]),
                   "MPI_Isend");
        expect_mpi(MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_CHAR, to, 0,
                             ranks_.comm(), &requests_[2 * place + 1]),
                   "MPI_Isend");
    }

    void wait() noexcept {
        expect_mpi(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

    const world &ranks_;
    chem::fcidump_text text_;
    std::vector<parcel> parcels_; ///< of ranks 1, 2, ...
    std::vector<MPI_Request> requests_;
    rate unpacking_;
    rate parsing_;
    std::exception_ptr problem_;
    bool at_end_ = false;
};

/// Receives a piece on the other ranks; the text of `to` already has room.
void receive(MPI_Comm comm, piece &to) noexcept {
    piece_head head{};
    expect_mpi(MPI_Recv(head.data(), static_cast<int>(head.size()), MPI_INT64_T, root, 0, comm,
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
    to.first_line = head[1];
    to.last = head[2] != 0;
    to.text.resize(static_cast<std::size_t>(head[0]));
    expect_mpi(MPI_Recv(to.text.data(), static_cast<int>(head[0]), MPI_CHAR, root, 0, comm,
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
}

/// Gathers what all ranks found in a round, in the order of ranks, on each rank or on the root.
class round_gatherer {
public:
    round_gatherer(const world &ranks, bool everywhere)
        : ranks_(ranks), everywhere_(everywhere), bytes_(static_cast<std::size_t>(ranks.size())),
          offsets_(bytes_.size()) {}

    /// Collective. The result is valid until the next call; empty on ranks that do not need it.
    const std::vector<chem::fcidump_entry> &gather(const std::vector<chem::fcidump_entry> &own) {
        if (ranks_.size() == 1)
            return own;
        const auto mine = static_cast<int>(own.size() * sizeof(chem::fcidump_entry));
        expect_mpi(MPI_Allgather(&mine, 1, MPI_INT, bytes_.data(), 1, MPI_INT, ranks_.comm()),
                   "MPI_Allgather");
        std::exclusive_scan(bytes_.begin(), bytes_.end(), offsets_.begin(), 0);
        if (everywhere_ || ranks_.rank() == root)
            all_.resize(static_cast<std::size_t>(offsets_.back() + bytes_.back()) /
                        sizeof(chem::fcidump_entry));
        if (everywhere_)
            expect_mpi(MPI_Allgatherv(own.data(), mine, MPI_BYTE, all_.data(), bytes_.data(),
                                      offsets_.data(), MPI_BYTE, ranks_.comm()),
                       "MPI_Allgatherv");
        else
            expect_mpi(MPI_Gatherv(own.data(), mine, MPI_BYTE, all_.data(), bytes_.data(),
                                   offsets_.data(), MPI_BYTE, root, ranks_.comm()),
                       "MPI_Gatherv");
        return all_;
    }

private:
    const world &ranks_;
    bool everywhere_;
    std::vector<int> bytes_;
    std::vector<int> offsets_;
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
    const bool sends = ranks.rank() == root;
    std::optional<piece_sender> sender;
    agree_on_file(ranks, [&] {
        if (sends)
            sender.emplace(ranks, path);
    });
    chem::integrals list;
    if (sends) {
        list.orbitals = sender->header().orbitals;
        list.electrons = sender->header().electrons;
        list.spin = sender->header().spin;
        list.symmetries = sender->header().symmetries;
    }
    broadcast(ranks, list.orbitals, root);
    broadcast(ranks, list.electrons, root);
    std::optional<chem::integrals_builder> builder;
    piece now;
    piece next;
    agree_on_file(ranks, [&] {
        if (sends || everywhere)
            builder.emplace(list);
        for (piece *one : {&now, &next})
            one->text.reserve(sends ? 0 : chem::fcidump_text::longest_line);
    });

    round_gatherer others(ranks, everywhere);
    std::vector<chem::fcidump_entry> entries;
    const auto take_next = [&] {
        if (sends)
            next = sender->next();
        else
            receive(ranks.comm(), next);
    };
    take_next();
    for (bool last = false; !last;) {
        std::swap(now, next);
        last = now.last;
        if (sends && !last)
            take_next();
        const auto parse = [&] {
            if (now.problem)
                std::rethrow_exception(now.problem);
            const apps_impl::stopwatch watch;
            entries.clear();
            chem::parse_fcidump_lines(now.text, now.first_line, path, list.orbitals, entries);
            if (sends)
                sender->has_parsed(watch.seconds(), now.text.size());
        };
        try {
            agree_on_file(ranks, parse);
        } catch (...) { // thrown on all ranks; one piece has been sent already
            if (!sends && !last)
                take_next();
            throw;
        }
        for (const chem::fcidump_entry &one : others.gather(entries))
            if (builder)
                builder->put(one);
        if (!sends && !last)
            take_next();
    }
    agree_on_file(ranks, [&] {
        if (builder)
            builder->finish(path, sends ? sender->last_line() : 0);
    });
    return list;
}

} // namespace tenfold::ccsd
