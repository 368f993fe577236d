#include "distributed/comm/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>

#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Sends the text of rank `root` to all ranks, in pieces for which there is memory. Where there is
/// none for the whole text, it ends early.
std::string broadcast(communicator &comm, std::string_view text, int root) {
    constexpr index_t piece = 2048;
    auto length = static_cast<index_t>(text.size());
    comm.broadcast(&length, sizeof length, root);
    std::string received;
    bool fits = true;
    for (index_t at = 0; at < length; at += piece) {
        std::array<char, piece> some;
        const index_t size = std::min(piece, length - at);
        if (comm.rank() == root)
            text.copy(some.data(), static_cast<std::size_t>(size), static_cast<std::size_t>(at));
        comm.broadcast(some.data(), size, root);
        try {
            if (fits)
                comm.reserve().apply(
                    [&] { received.append(some.data(), static_cast<std::size_t>(size)); });
        } catch (const std::bad_alloc &) { // the others still wait for the rest
            fits = false;
        }
    }
    return received;
}

/// Returns the lowest rank for which `is_one` is true; the number of ranks if there is none.
int lowest_rank(communicator &comm, bool is_one) {
    const std::array<std::uint64_t, 1> mine{
        is_one ? static_cast<std::uint64_t>(comm.size() - comm.rank()) : 0};
    std::array<std::uint64_t, 1> most{};
    comm.maximum(mine, most);
    return comm.size() - static_cast<int>(most[0]);
}

using fields = call_description::fields;

/// Fields travel as one text. This character, which no argument contains, ends each of them.
constexpr char separator = '\x1f';

std::string join(const fields &parts) {
    std::string text;
    for (const std::string &part : parts)
        text += part + separator;
    return text;
}

fields split(const std::string &text) {
    fields parts;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// The name and the number of a call.
struct call_name {
    const char *operation;
    std::uint64_t number;

    hasher hash() const noexcept { return hasher().add(std::string_view(operation)).add(number); }
};

/// Returns the operation and the number of the call, then name and value of each argument, as one
/// text; an empty one if there is no memory.
std::string text_of(communicator &comm, const call_name &call, describe_call describe) noexcept {
    try {
        return comm.reserve().apply([&] {
            fields parts{call.operation, std::to_string(call.number)};
            call_description arguments(comm, call.hash(), &parts);
            describe(arguments);
            return join(parts);
        });
    } catch (...) {
        return {};
    }
}

std::string explain(const fields &zero, const fields &other, int rank) {
    const std::string that = "rank " + std::to_string(rank);
    if (zero.size() < 2 || other.size() < 2)
        return "ranks disagree on the call, and there is no memory to say how";
    if (zero[0] != other[0])
        return "ranks disagree on the operation: rank 0 called " + zero[0] + ", " + that +
               " called " + other[0];
    if (zero[1] != other[1])
        return zero[0] + ": ranks disagree on the number of collective calls: for rank 0 this is " +
               "number " + zero[1] + ", for " + that + " number " + other[1];
    std::string text;
    for (std::size_t k = 2; k + 1 < std::min(zero.size(), other.size()); k += 2)
        if (zero[k + 1] != other[k + 1])
            text += (text.empty() ? "" : "; ") + zero[k] + ": rank 0 passed " + zero[k + 1] + ", " +
                    that + " passed " + other[k + 1];
    if (text.empty()) // for example, one rank contracts two tensors and the other contracts one
        text = "the number of arguments: rank 0 passed " + std::to_string(zero.size() / 2 - 1) +
               ", " + that + " passed " + std::to_string(other.size() / 2 - 1);
    return zero[0] + ": ranks disagree on " + text;
}

/// Throws what `make()` returns, or else that there is no memory for it.
template <class Make> [[noreturn]] void throw_made(communicator &comm, const Make &make) {
    std::optional<error> made;
    try {
        made = comm.reserve().apply(make);
    } catch (const std::bad_alloc &) {
        made = lack_of_memory();
    }
    throw error(*made);
}

[[noreturn]] void throw_disagreement(communicator &comm, const call_name &call,
                                     describe_call describe, std::uint64_t hash) {
    std::uint64_t zeros = hash;
    comm.broadcast(&zeros, sizeof zeros, 0);
    const int rank = lowest_rank(comm, hash != zeros);
    const std::string mine = text_of(comm, call, describe);
    const std::string zero = broadcast(comm, mine, 0);
    const std::string other = broadcast(comm, mine, rank);
    throw_made(comm,
               [&] { return error(errc::disagreement, explain(split(zero), split(other), rank)); });
}

/// Returns what the error says, and of which call if that would not show otherwise.
std::string text_of(const std::string &operation, errc code, const std::string &message) {
    return code == errc::out_of_memory ? operation + ": " + message : message;
}

[[noreturn]] void throw_failure(communicator &comm, const char *operation, const attempt &mine) {
    const int lowest = lowest_rank(comm, mine.failure.has_value());
    errc code = mine.failure ? mine.failure->code() : errc::ok;
    comm.broadcast(&code, sizeof code, lowest);
    const std::string message = broadcast(comm, mine.failure ? mine.failure->what() : "", lowest);
    const int caller = lowest_rank(comm, !mine.refuses); // the others may not know the call
    const std::string call = broadcast(comm, operation, caller < comm.size() ? caller : lowest);
    throw_made(comm, [&] {
        return error(code, "rank " + std::to_string(lowest) + ": " + text_of(call, code, message),
                     comm.rank() == lowest ? mine.failure->details() : error_details());
    });
}

/// All ranks failed alike, for example because all passed the same wrong argument.
[[noreturn]] void throw_common(communicator &comm, const char *operation, const error &failure) {
    if (failure.code() != errc::out_of_memory)
        throw error(failure);
    throw_made(comm, [&] {
        return error(failure.code(), (comm.size() > 1 ? "all ranks: " : "") +
                                         text_of(operation, failure.code(), failure.what()));
    });
}

/// Describes a distribution, with a hash of the order of its ranks if they are permuted.
std::string text_of(const distribution &spread) {
    char permutation[32] = "";
    std::snprintf(permutation, sizeof permutation, " (%016llx)",
                  static_cast<unsigned long long>(spread.hash()));
    const std::string text = spread.describe();
    const bool permuted = text.find("permuted") != std::string::npos;
    return permuted ? text + permutation : text;
}

/// A rank's own outcome in an agreement; the largest of all ranks' counts.
enum outcome_of_rank : std::uint64_t {
    ready,
    failed, ///< in this call
    unable  ///< to make the call that others make
};

} // namespace

call_description &call_description::add(std::string_view what, std::string_view value) {
    hash_.add(value);
    return write(what, [&] { return std::string(value); });
}

call_description &call_description::add_quoted(std::string_view what, std::string_view value) {
    hash_.add(value);
    return write(what, [&] { return "'" + std::string(value) + "'"; });
}

call_description &call_description::add(std::string_view what, const extents_t &numbers) {
    hash_.add(numbers);
    return write(what, [&] { return list(numbers); });
}

call_description &call_description::add(std::string_view what, const distribution &spread) {
    hash_.add(spread.hash());
    return write(what, [&] { return text_of(spread); });
}

call_description &call_description::add_tensor(std::string_view what, const distribution &spread,
                                               std::uint64_t number) {
    comm_.expect_not_written(what, number);
    hash_.add(number).add(spread.hash());
    return write(what,
                 [&] { return "tensor " + std::to_string(number) + " in " + text_of(spread); });
}

call_description &call_description::add(std::string_view what, scalar value) {
    hash_.add(value.real()).add(value.imag());
    return write(what, [&] {
        char text[64];
        if (value.imag() == 0)
            std::snprintf(text, sizeof text, "%.17g", value.real());
        else
            std::snprintf(text, sizeof text, "%.17g%+.17gi", value.real(), value.imag());
        return std::string(text);
    });
}

bool agree(communicator &comm, const char *operation, describe_call describe, attempt mine) {
    if (comm.does_tasks()) // the other ranks do not make this call
        throw error(errc::invalid_argument,
                    std::string("a task calls ") + operation +
                        ", which is collective, on the world that hands the tasks out; in tasks "
                        "use what this rank has, or a world of its own");
    const call_name call{operation, comm.begin_call(operation)};
    comm.expect_everyone(); // no message goes to a rank that has left
    call_description arguments(comm, call.hash());
    try {
        if (!mine.is_unable)
            describe(arguments);
    } catch (...) {
        if (!mine.failure)
            mine.failure = current_error();
        mine.is_unable = true;
    }
    hasher outcome;
    if (mine.failure)
        outcome.add(mine.failure->code()).add(std::string_view(mine.failure->what()));

    // min(x) = ~max(~x), so one maximum yields all minima and maxima that are needed.
    const std::uint64_t hash = arguments.hash();
    const std::array<std::uint64_t, 7> sent{mine.is_unable ? unable
                                            : mine.failure ? failed
                                                           : ready,
                                            hash,
                                            ~hash,
                                            outcome.value(),
                                            ~outcome.value(),
                                            mine.basis,
                                            ~mine.basis};
    std::array<std::uint64_t, 7> most{};
    comm.maximum(sent, most);
    if (most[0] != unable) {
        if (most[1] != ~most[2])
            throw_disagreement(comm, call, describe, hash);
        if (most[5] != ~most[6])
            return false;
        if (most[0] == ready)
            return true;
    }
    if (most[3] == ~most[4])
        throw_common(comm, operation, *mine.failure);
    throw_failure(comm, operation, mine);
}

void exclusive_use::throw_shared() {
    throw error(errc::invalid_argument,
                "two threads use one world at once; give each its own or let one wait");
}

const error &lack_of_memory() {
    static const error known(errc::out_of_memory, "out of memory");
    return known;
}

error current_error() noexcept {
    try {
        try {
            throw;
        } catch (const error &known) {
            return known;
        } catch (const std::bad_alloc &) {
            return lack_of_memory();
        } catch (const std::exception &other) {
            return {errc::invalid_argument, other.what()};
        } catch (...) {
            return {errc::invalid_argument, "an exception that is not a std::exception"};
        }
    } catch (const std::bad_alloc &) { // for the message
        return lack_of_memory();
    }
}

} // namespace tenfold::dist_impl

namespace tenfold {

void agree(const world &where, const std::optional<error> &failure) {
    using namespace dist_impl;
    communicator &comm = communicator_of(where);
    const inside_library here(comm);
    agree(comm, "agree", no_arguments, {failure, failure.has_value(), 0, failure.has_value()});
}

} // namespace tenfold
