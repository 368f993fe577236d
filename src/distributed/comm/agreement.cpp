#include "distributed/comm/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>

#include "distributed/plan/hash.hpp"

namespace tenfold::dist_impl {
namespace {

/// Sends the text of rank `root` to all ranks.
std::string broadcast(communicator &comm, std::string text, int root) {
    auto length = static_cast<index_t>(text.size());
    comm.broadcast(&length, sizeof length, root);
    text.resize(static_cast<std::size_t>(length));
    comm.broadcast(text.data(), length, root);
    return text;
}

/// Returns the lowest rank whose `value` differs from rank 0's.
int first_different(communicator &comm, std::uint64_t value) {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&value, sizeof value, all.data());
    const auto found =
        std::find_if(all.begin(), all.end(), [&](std::uint64_t v) { return v != all.front(); });
    return static_cast<int>(found - all.begin());
}

using fields = std::vector<std::string>;

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
        const std::size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// Returns the operation and the number of the call, then name and value of each argument.
fields fields_of(const call_description &description, std::uint64_t call) {
    fields parts{description.operation(), std::to_string(call)};
    for (const auto &[what, value] : description.arguments()) {
        parts.push_back(what);
        parts.push_back(value);
    }
    return parts;
}

std::string explain(const fields &zero, const fields &other, int rank) {
    const std::string that = "rank " + std::to_string(rank);
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

[[noreturn]] void throw_disagreement(communicator &comm, const fields &mine, std::uint64_t hash) {
    const int rank = first_different(comm, hash);
    const fields zero = split(broadcast(comm, join(mine), 0));
    const fields other = split(broadcast(comm, join(mine), rank));
    throw error(errc::disagreement, explain(zero, other, rank));
}

[[noreturn]] void throw_failure(communicator &comm, const std::optional<error> &failure) {
    std::vector<int> codes(static_cast<std::size_t>(comm.size()));
    const int mine = failure ? static_cast<int>(failure->code()) : static_cast<int>(errc::ok);
    comm.all_gather(&mine, sizeof mine, codes.data());
    const auto failed = std::find_if(codes.begin(), codes.end(),
                                     [](int code) { return code != static_cast<int>(errc::ok); });
    const int lowest = static_cast<int>(failed - codes.begin());
    const std::string message = broadcast(comm, failure ? failure->what() : "", lowest);
    const std::string text = "rank " + std::to_string(lowest) + ": " + message;
    throw error(static_cast<errc>(*failed), text,
                comm.rank() == lowest ? failure->details() : error_details());
}

} // namespace

namespace {

std::string text_of(const distribution &spread) {
    char permutation[32] = "";
    std::snprintf(permutation, sizeof permutation, " (%016llx)",
                  static_cast<unsigned long long>(spread.hash()));
    const std::string text = spread.describe();
    const bool permuted = text.find("permuted") != std::string::npos;
    return permuted ? text + permutation : text;
}

} // namespace

call_description &call_description::add(const std::string &what, const distribution &spread) {
    return add(what, text_of(spread));
}

call_description &call_description::add_tensor(const std::string &what, const distribution &spread,
                                               std::uint64_t number) {
    return add(what, "tensor " + std::to_string(number) + " in " + text_of(spread));
}

call_description &call_description::add(std::string what, scalar value) {
    char text[64];
    if (value.imag() == 0)
        std::snprintf(text, sizeof text, "%.17g", value.real());
    else
        std::snprintf(text, sizeof text, "%.17g%+.17gi", value.real(), value.imag());
    return add(std::move(what), std::string(text));
}

namespace {

/// What a rank says of itself in an agreement; the largest of all ranks' counts.
enum outcome_of_rank : std::uint64_t {
    ready,
    failed, ///< in this call
    unable  ///< to make the call that others make
};

/// The agreement of all calls; see agree().
bool agree_as(outcome_of_rank mine_is, communicator &comm, const call_description &description,
              const std::optional<error> &failure, std::uint64_t basis) {
    const fields mine = fields_of(description, comm.begin_call(description.operation()));
    hasher arguments;
    for (const std::string &part : mine)
        arguments.add(part);
    hasher outcome;
    if (failure)
        outcome.add(failure->code()).add(std::string_view(failure->what()));

    // min(x) = ~max(~x), so one maximum yields all minima and maxima that are needed.
    const std::array<std::uint64_t, 7> sent{mine_is,         arguments.value(), ~arguments.value(),
                                            outcome.value(), ~outcome.value(),  basis,
                                            ~basis};
    std::array<std::uint64_t, 7> most{};
    comm.maximum(sent, most);
    if (most[0] != unable) {
        if (most[1] != ~most[2])
            throw_disagreement(comm, mine, arguments.value());
        if (most[5] != ~most[6])
            return false;
        if (most[0] == ready)
            return true;
    }
    if (most[3] == ~most[4]) // all ranks failed alike, for example because all passed the same
                             // wrong argument
        throw error(*failure);
    throw_failure(comm, failure);
}

} // namespace

bool agree(communicator &comm, const call_description &description,
           const std::optional<error> &failure, std::uint64_t basis) {
    return agree_as(failure ? failed : ready, comm, description, failure, basis);
}

error current_error() {
    try {
        throw;
    } catch (const error &known) {
        return known;
    } catch (const std::bad_alloc &) {
        return {errc::out_of_memory, "out of memory"};
    } catch (const std::exception &other) {
        return {errc::invalid_argument, other.what()};
    } catch (...) {
        return {errc::invalid_argument, "an exception that is not a std::exception"};
    }
}

} // namespace tenfold::dist_impl

namespace tenfold {

void agree(const world &where, const std::optional<error> &failure) {
    using namespace dist_impl;
    agree_as(failure ? unable : ready, internals::of(where), call_description("agree"), failure, 0);
}

} // namespace tenfold
