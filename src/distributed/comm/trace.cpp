// Records a trace from its beginning to its file: aligns the clocks of the ranks and writes one
// file for all of them.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include <tenfold/dist_trace.hpp>
#include <tenfold/error.hpp>

#include "distributed/comm/agreement.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

constexpr int round_trips = 24; ///< the fastest one counts

void wait_for(communicator &comm, std::vector<MPI_Request> &requests, int peer) {
    const auto peer_of = [peer](std::size_t) { return peer; };
    while (comm.wait_any(requests, peer_of) >= 0) {
    }
    requests.clear();
}

template <class T> void send(communicator &comm, const T &value, int to) {
    std::vector<MPI_Request> requests;
    comm.start_send(&value, sizeof value, to, requests);
    wait_for(comm, requests, to);
}

template <class T> T receive(communicator &comm, int from) {
    T value{};
    std::vector<MPI_Request> requests;
    comm.start_receive(&value, sizeof value, from, requests);
    wait_for(comm, requests, from);
    return value;
}

double now() { return static_cast<double>(trace_recorder::now()); }

/// `offset` added to this rank's clock gives rank 0's. `error` bounds how far that is off: half of
/// the fastest round trip. In nanoseconds.
struct clock_difference {
    double offset = 0;
    double error = 0;
};

/// Collective; O(P) round trips of rank 0.
clock_difference clock_offset(communicator &comm) {
    if (comm.rank() != 0) {
        for (int trip = 0; trip < round_trips; ++trip) {
            receive<char>(comm, 0);
            send(comm, now(), 0);
        }
        return receive<clock_difference>(comm, 0);
    }
    for (int rank = 1; rank < comm.size(); ++rank) {
        clock_difference found{0, std::numeric_limits<double>::max()};
        for (int trip = 0; trip < round_trips; ++trip) {
            const double begin = now();
            send(comm, 'x', rank);
            const auto theirs = receive<double>(comm, rank);
            const double end = now();
            if (const double error = (end - begin) / 2; error < found.error)
                found = {begin + error - theirs, error};
        }
        send(comm, found, rank);
    }
    return {};
}

std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + '"';
}

std::string text_of(const trace_totals &t) {
    char text[320];
    std::snprintf(text, sizeof text,
                  "{\"calls\":%.9f,\"compute\":%.9f,\"pack\":%.9f,\"communication\":%.9f,"
                  "\"idle\":%.9f,\"plan\":%.9f,\"under_way\":%.9f,\"exposed\":%.9f}",
                  t.calls, t.compute, t.pack, t.communication, t.idle, t.plan, t.under_way,
                  t.exposed);
    return text;
}

/// Returns the events of a rank as JSON, with a comma after each. They are not sorted; viewers do
/// that.
template <class Clock>
std::string events_of(const trace_recorder &recorder, int rank, const Clock &microseconds) {
    char line[256];
    std::snprintf(line, sizeof line,
                  "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"rank "
                  "%d\"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,"
                  "\"args\":{\"sort_index\":%d}},\n",
                  rank, rank, rank, rank);
    std::string text = line;
    std::size_t id = 0;
    for (const trace_recorder::interval &one : recorder.intervals()) {
        const std::string &operation = recorder.operations()[one.operation];
        std::string title = operation + " #" + std::to_string(one.number);
        if (one.what != nullptr)
            title.append(": ").append(one.what);
        const double begin = microseconds(one.begin);
        const double end = microseconds(one.end);
        const auto event = [&](const char *phase, double at, const char *more) {
            text.append("{\"name\":").append(quoted(title));
            std::snprintf(line, sizeof line,
                          ",\"cat\":\"%s\",\"ph\":\"%s\",\"ts\":%.3f,\"pid\":%d,\"tid\":%d%s",
                          name(one.kind), phase, at, rank, one.kind == activity::under_way ? 1 : 0,
                          more);
            text.append(line).append("},\n");
        };
        char more[96];
        if (one.kind == activity::under_way) { // these intervals may overlap each other
            std::snprintf(more, sizeof more, ",\"id\":\"%d.%zu\"", rank, id++);
            event("b", begin, more);
            event("e", end, more);
        } else {
            std::snprintf(more, sizeof more, ",\"dur\":%.3f,\"args\":{\"sequence\":%llu}",
                          end - begin, static_cast<unsigned long long>(one.number));
            event("X", begin, more);
        }
    }
    return text;
}

} // namespace

struct dist_trace::state {
    world where;
    trace_recorder recorder{};
    double begin_offset = 0; ///< nanoseconds from this rank's clock to rank 0's
    double clock_error = 0;  ///< error bound of that offset
    double begin_time = 0;   ///< time of that measurement, on this rank's clock
    double zero = 0;         ///< start of the trace, on rank 0's clock
};

dist_trace::dist_trace(const world &where) {
    communicator &comm = communicator_of(where);
    const inside_library here(comm);
    collectively(comm, "trace", [&] {
        if (comm.recorder() != nullptr)
            throw error(errc::invalid_argument, "this world is being traced already");
        state_.reset(new state{.where = where});
    });
    const clock_difference found = clock_offset(comm);
    state_->begin_offset = found.offset;
    state_->clock_error = found.error;
    state_->begin_time = now();
    state_->zero = state_->begin_time + state_->begin_offset;
    comm.broadcast(&state_->zero, sizeof state_->zero, 0);
    comm.record(&state_->recorder);
}

dist_trace::~dist_trace() { internals::of(state_->where).record(nullptr); }

trace_totals dist_trace::totals() const noexcept { return state_->recorder.totals(); }
void dist_trace::reset_totals() noexcept { state_->recorder.reset_totals(); }

void dist_trace::write(const std::string &file) {
    state &trace = *state_;
    communicator &comm = internals::of(trace.where);
    const inside_library here(comm);
    comm.record(nullptr); // writing is not part of the trace
    struct resume {
        communicator &comm;
        trace_recorder *recorder;
        ~resume() { comm.record(recorder); }
    } const again{comm, &trace.recorder};

    std::optional<std::ofstream> out; // of rank 0
    const auto describe = [&](call_description &call) { call.add_quoted("file", file); };
    collectively(comm, "write trace", describe, [&] {
        if (comm.rank() != 0)
            return;
        out.emplace(file, std::ios::trunc);
        if (!*out)
            throw error(errc::io, "'" + file + "' cannot be created: " + std::strerror(errno));
    });

    // Clocks drift by some microseconds per second at most. Two measurements determine a linear
    // drift.
    const clock_difference end = clock_offset(comm);
    const double end_time = now();
    const double drift = end_time > trace.begin_time
                             ? (end.offset - trace.begin_offset) / (end_time - trace.begin_time)
                             : 0;
    const auto microseconds = [&](trace_recorder::nanoseconds time) {
        const auto local = static_cast<double>(time);
        return (local + trace.begin_offset + drift * (local - trace.begin_time) - trace.zero) *
               1e-3;
    };

    std::string events;
    std::string totals;
    std::vector<index_t> sizes;
    collectively(comm, "write trace (text)", [&] {
        events = events_of(trace.recorder, comm.rank(), microseconds);
        totals = text_of(trace.recorder.totals());
        char more[96];
        std::snprintf(more, sizeof more, ",\"clock_error\":%.9f,\"dropped\":%llu}",
                      std::max(trace.clock_error, end.error) * 1e-9,
                      static_cast<unsigned long long>(trace.recorder.dropped()));
        totals.pop_back();
        totals += more;
        sizes.resize(2 * static_cast<std::size_t>(comm.size()));
    });
    const index_t mine[2] = {static_cast<index_t>(events.size()),
                             static_cast<index_t>(totals.size())};
    comm.all_gather(mine, sizeof mine, sizes.data());
    collectively(comm, "write trace (memory)", [&] {
        if (comm.rank() != 0)
            return;
        std::size_t longest[2] = {0, 0};
        for (std::size_t i = 0; i < sizes.size(); ++i)
            longest[i % 2] = std::max(longest[i % 2], static_cast<std::size_t>(sizes[i]));
        events.reserve(longest[0]);
        totals.reserve(longest[1]);
    });
    std::vector<MPI_Request> requests;
    if (comm.rank() != 0) {
        comm.start_send(events.data(), mine[0], 0, requests);
        comm.start_send(totals.data(), mine[1], 0, requests);
        wait_for(comm, requests, 0);
    } else {
        *out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
        std::string all_totals;
        for (int rank = 0; rank < comm.size(); ++rank) {
            if (rank > 0) {
                events.resize(static_cast<std::size_t>(sizes[2 * static_cast<std::size_t>(rank)]));
                totals.resize(
                    static_cast<std::size_t>(sizes[2 * static_cast<std::size_t>(rank) + 1]));
                comm.start_receive(events.data(), static_cast<index_t>(events.size()), rank,
                                   requests);
                comm.start_receive(totals.data(), static_cast<index_t>(totals.size()), rank,
                                   requests);
                wait_for(comm, requests, rank);
            }
            if (rank + 1 == comm.size())
                events.erase(events.size() - 2); // JSON has no comma at the end
            *out << events;
            comm.surely([&] { all_totals.reserve(all_totals.size() + totals.size() + 2); });
            all_totals.append(rank > 0 ? ",\n" : "").append(totals);
        }
        *out << "\n],\"otherData\":{\"seconds_by_rank\":[\n" << all_totals << "\n]}}\n";
        out->close();
    }
    collectively(comm, "write trace (end)", [&] {
        if (comm.rank() == 0 && !*out)
            throw error(errc::io, "'" + file + "' cannot be written: " + std::strerror(errno));
    });
}

} // namespace tenfold
