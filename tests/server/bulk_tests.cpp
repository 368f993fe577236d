// Bulk data on a single rank: frames, pieces, the desk, sockets.
#include <cstring>
#include <numeric>
#include <thread>

#include "apps/server/bulk_network.hpp"
#include "mpi/ranks.hpp"
#include "server/bulk_wire.hpp"

namespace tenfold::server {
namespace {

using namespace tenfold::testing;

using bytes = std::vector<unsigned char>;

TEST(BulkFrames, AreWhatTheDocumentationSays) {
    const frame_head head{frame_kind::request, 0x01020304, 0x1122334455667788, 9};
    const auto wire = head.encode();
    EXPECT_EQ(wire[0], 4);
    EXPECT_EQ(wire[4], 4);
    EXPECT_EQ(wire[8], 0x88);
    EXPECT_EQ(wire[16], 9);
    EXPECT_EQ(frame_head::decode(wire), head);
}

/// drive_server has the same numbers for the client.
TEST(BulkFrames, HaveTheChecksumsOfTheClient) {
    bytes content(20000);
    std::iota(content.begin(), content.end(), static_cast<unsigned char>(7));
    frame_head head{frame_kind::piece, 0, 5, content.size()};
    EXPECT_EQ(frame_checksum(head, content), 0x74e5d73cU);
    head.size = 2 * frame_sums::row_bytes;
    EXPECT_EQ(frame_checksum(head, {content.data(), head.size}), 0x51b4a568U);
    head.size = 3000; // less than a row
    EXPECT_EQ(frame_checksum(head, {content.data(), head.size}), 0xb68f0cc7U);
    head.size = 0;
    head.checksum = 77; // is not part of it
    EXPECT_EQ(frame_checksum(head, {}), 0x8186be1eU);
}

/// Of any number of rows, in parts of any number of them.
TEST(BulkFrames, AreSummedInParts) {
    constexpr std::size_t row = frame_sums::row_bytes;
    bytes content(11 * row + 77);
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<unsigned char>(i * i >> 3);
    const frame_head head{frame_kind::piece, 0, 5, content.size()};
    const std::uint32_t whole = frame_checksum(head, content);
    for (std::size_t part = row; part < content.size() + row; part += row) {
        frame_sums sums;
        for (std::size_t at = 0; at < content.size(); at += part)
            sums.add({content.data() + at, std::min(part, content.size() - at)});
        EXPECT_EQ(sums.checksum(head), whole) << part;
    }
}

TEST(BulkFrames, ShowEveryChange) {
    bytes content(10000);
    std::iota(content.begin(), content.end(), static_cast<unsigned char>(0));
    content[100] = 99; // no two words are alike
    const frame_head head{frame_kind::piece, 0, 1, content.size()};
    const std::uint32_t good = frame_checksum(head, content);
    for (std::size_t at = 0; at < content.size(); ++at) {
        content[at] ^= 0x80;
        EXPECT_NE(frame_checksum(head, content), good) << at;
        content[at] ^= 0x80;
    }
    EXPECT_EQ(frame_checksum(head, content), good);
    for (const std::size_t other :
         std::initializer_list<std::size_t>{104, 1024, 1128, 4192, 8288}) {
        std::swap_ranges(&content[96], &content[104], &content[other]);
        EXPECT_NE(frame_checksum(head, content), good) << other;
        std::swap_ranges(&content[96], &content[104], &content[other]);
    }
    for (const frame_head &another : {frame_head{frame_kind::hello, 0, 1, content.size()},
                                      frame_head{frame_kind::piece, 0, 2, content.size()},
                                      frame_head{frame_kind::piece, 0, 1, content.size() + 1}})
        EXPECT_NE(frame_checksum(another, content), good);
}

TEST(PieceGrids, CoverABoxOnce) {
    for (const extents_t &box : {extents_t{}, extents_t{0, 3}, extents_t{700, 3, 411},
                                 extents_t{5, 300000}, extents_t{300000, 5}, extents_t{131073}})
        for (const memory_order order : {memory_order::c, memory_order::fortran}) {
            const piece_grid grid = piece_grid::of(box, data_type::f64, order);
            const layout whole(box);
            std::vector<char> seen(static_cast<std::size_t>(whole.size()));
            for (index_t piece = 0; piece < grid.count(box); ++piece) {
                const slice at = grid.at(box, piece);
                EXPECT_LE(8 * at.size(), most_piece_bytes);
                for_each_position(at.offsets, at.extents, [&](const extents_t &position) {
                    ++seen[static_cast<std::size_t>(whole.offset_of(position))];
                });
            }
            EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), whole.size());
        }
}

TEST(PieceGrids, DoNotScatterOverMemory) {
    using order = memory_order;
    EXPECT_EQ(piece_grid::of({4096, 4096}, data_type::f64, order::c).extents,
              (extents_t{32, 4096}));
    EXPECT_EQ(piece_grid::of({100, 1 << 20}, data_type::f64, order::c).extents,
              (extents_t{32, 4096}));
    EXPECT_EQ(piece_grid::of({4096, 4096}, data_type::f64, order::fortran).extents,
              (extents_t{4096, 32}));
    EXPECT_EQ(piece_grid::of({4096, 16}, data_type::f64, order::c).extents, (extents_t{4096, 16}));
    EXPECT_EQ(piece_grid::of({90, 80, 70, 60}, data_type::c64, order::c).extents,
              (extents_t{16, 1, 68, 60}));
}

/// A transfer of 3 x 4 numbers within 5 x 4, in pieces of 3 x 2.
bulk_transfer small_transfer(std::vector<double> &memory, bool is_upload) {
    memory.resize(20);
    bulk_transfer what;
    what.number = 7;
    what.secret = hash_of(secret);
    what.is_upload = is_upload;
    what.until = std::chrono::steady_clock::now() + std::chrono::hours(1);
    what.box = {3, 4};
    what.strides = {1, 5};
    what.memory = reinterpret_cast<char *>(memory.data() + 1);
    what.pieces = {{3, 2}, memory_order::c};
    return what;
}

TEST(BulkDesk, TakesAndGivesPiecesToWhoHasTheSecret) {
    std::vector<double> memory;
    bulk_desk desk;
    desk.open(small_transfer(memory, true));
    std::string wrong = secret;
    wrong.back() = '6';
    EXPECT_FALSE(desk.admit(7, wire_form(wrong)));
    EXPECT_FALSE(desk.admit(8, wire_form(secret)));
    const bulk_desk::ticket ticket = desk.admit(7, wire_form(secret));
    ASSERT_TRUE(ticket);
    EXPECT_TRUE(desk.is_upload(ticket));
    EXPECT_EQ(desk.piece_bytes(ticket, 1), 48);
    EXPECT_EQ(desk.piece_bytes(ticket, 2), std::nullopt);
    const double values[] = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(desk.take(ticket, 2, {bytes_of(values), 48}), bulk_status::wrong_piece);
    EXPECT_EQ(desk.take(ticket, 1, {bytes_of(values), 40}), bulk_status::wrong_piece);
    EXPECT_EQ(desk.missing(7), 2);
    for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(desk.take(ticket, 1, {bytes_of(values), 48}), bulk_status::ok);
        EXPECT_EQ(desk.missing(7), 1);
    }
    const std::vector<double> expected{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 0, 0, 2, 4, 6, 0};
    EXPECT_EQ(memory, expected);
    bytes none(48);
    EXPECT_EQ(desk.give(ticket, 1, none), bulk_status::wrong_piece);
    desk.close(7);
    EXPECT_EQ(desk.take(ticket, 0, {bytes_of(values), 48}), bulk_status::unauthorized);
    EXPECT_FALSE(desk.is_open(ticket));
    EXPECT_FALSE(desk.admit(7, wire_form(secret)));
    EXPECT_EQ(desk.missing(7), std::nullopt);
    EXPECT_EQ(memory, expected);

    desk.open(small_transfer(memory, false));
    const bulk_desk::ticket reads = desk.admit(7, wire_form(secret));
    double got[6] = {};
    EXPECT_EQ(desk.give(reads, 1, {reinterpret_cast<unsigned char *>(got), 48}), bulk_status::ok);
    EXPECT_TRUE(std::equal(std::begin(got), std::end(got), std::begin(values)));
    EXPECT_EQ(desk.take(reads, 1, {bytes_of(values), 48}), bulk_status::wrong_piece);

    bulk_transfer late = small_transfer(memory, false);
    late.until = std::chrono::steady_clock::now();
    desk.open(late);
    EXPECT_FALSE(desk.admit(7, wire_form(secret)));
}

TEST(BulkDesk, ClosesOnceNothingIsMoved) {
    std::vector<double> memory;
    bulk_desk desk;
    bulk_transfer what = small_transfer(memory, false);
    EXPECT_FALSE([&] {
        desk.open(what);
        return desk.can_show(desk.admit(7, wire_form(secret)), 0); // rows, in columns
    }());
    what.pieces = {{3, 1}, memory_order::fortran};
    desk.open(what);
    std::iota(memory.begin(), memory.end(), 0.0);
    const bulk_desk::ticket ticket = desk.admit(7, wire_form(secret));
    ASSERT_TRUE(desk.can_show(ticket, 3));
    EXPECT_FALSE(desk.can_show(ticket, 4));
    EXPECT_EQ(desk.show(ticket, 4, [](auto) { FAIL(); }), bulk_status::wrong_piece);
    std::thread closing;
    EXPECT_EQ(desk.show(ticket, 3,
                        [&](std::span<const unsigned char> elements) {
                            closing = std::thread([&] {
                                desk.close(7);
                                memory.assign(memory.size(), -1);
                            });
                            while (desk.is_open(ticket))
                                std::this_thread::yield();
                            const double expected[] = {16, 17, 18};
                            ASSERT_EQ(elements.size(), sizeof expected);
                            EXPECT_EQ(std::memcmp(elements.data(), expected, sizeof expected), 0);
                        }),
              bulk_status::ok);
    closing.join();
    EXPECT_EQ(desk.show(ticket, 3, [](auto) { FAIL(); }), bulk_status::unauthorized);
}

TEST(BulkNetwork, MovesPiecesAndRefusesTheRest) {
    std::vector<double> memory;
    bulk_desk desk;
    const bulk_network network(desk, {});
    desk.open(small_transfer(memory, true));
    const std::vector<double> values{1, 2, 3, 4, 5, 6};
    {
        client_wire wire(network.port());
        wire.hello();
        wire.expect(bulk_status::ok);
        wire.send({frame_kind::end});
        wire.expect(bulk_status::ok, 0);
        wire.send_piece(1, values);
        wire.send({frame_kind::end});
        wire.expect(bulk_status::ok, 1);
        wire.send_piece(0, values, 1);
        wire.expect(bulk_status::damaged);
    }
    const auto refused = [&](bulk_status why, const auto &say, bool with_hello = true) {
        client_wire wire(network.port());
        if (with_hello) {
            wire.hello();
            wire.expect(bulk_status::ok);
        }
        say(wire);
        wire.expect(why);
    };
    std::string wrong = secret;
    wrong.front() = '6';
    refused(
        bulk_status::unauthorized, [&](auto &wire) { wire.hello(7, wrong); }, false);
    refused(
        bulk_status::unauthorized, [&](auto &wire) { wire.hello(6); }, false);
    refused(
        bulk_status::malformed, [&](auto &wire) { wire.send_piece(0, values); }, false);
    refused(
        bulk_status::malformed,
        [&](auto &wire) {
            wire.send({frame_kind::hello, 0, 7, std::uint64_t{1} << 62});
        },
        false);
    refused(bulk_status::malformed, [&](auto &wire) { wire.send({frame_kind::request, 0, 0, 1}); });
    refused(bulk_status::malformed, [&](auto &wire) { wire.send({frame_kind{99}}); });
    refused(bulk_status::damaged, [&](auto &wire) { wire.send({frame_kind::end}, {}, 1); });
    refused(bulk_status::wrong_piece, [&](auto &wire) { wire.send_piece(2, values); });
    refused(bulk_status::wrong_piece, [&](auto &wire) { wire.send_piece(0, {1, 2}); });
    refused(bulk_status::wrong_piece, [&](auto &wire) {
        wire.send({frame_kind::piece, 0, 0, std::uint64_t{1} << 62});
    });
    EXPECT_EQ(desk.missing(7), 1);
    EXPECT_EQ(memory[1], 0); // nothing of what was refused
    {
        client_wire wire(network.port()); // the transfer ends meanwhile
        wire.hello();
        wire.expect(bulk_status::ok);
        desk.close(7);
        EXPECT_EQ(wire.answer(), std::nullopt);
    }
    desk.open(small_transfer(memory, false));
    client_wire wire(network.port());
    wire.hello();
    wire.expect(bulk_status::ok);
    wire.send({frame_kind::request, 0, 1, 1});
    const auto head = wire.answer();
    ASSERT_TRUE(head && head->kind == frame_kind::piece && head->size == 48);
    bytes content(48);
    EXPECT_TRUE(wire.receive(content));
    EXPECT_EQ(std::memcmp(content.data(), values.data(), 48), 0);
    EXPECT_EQ(head->checksum, frame_checksum(*head, content));
    wire.send({frame_kind::request, 0, 1, 2}); // there are no such two
    EXPECT_TRUE(wire.answer().has_value() && wire.receive(content));
    wire.expect(bulk_status::wrong_piece);
}

/// More than sockets hold, so that the rank has to wait for its client.
TEST(BulkNetwork, SendsWhatLiesTogetherFromMemory) {
    constexpr std::size_t pieces = 24, words = most_piece_bytes / sizeof(double);
    std::vector<double> memory(pieces * words);
    std::iota(memory.begin(), memory.end(), 1.0);
    bulk_transfer what;
    what.number = 7;
    what.secret = hash_of(secret);
    what.until = std::chrono::steady_clock::now() + std::chrono::hours(1);
    what.box = {static_cast<index_t>(memory.size())};
    what.strides = {1};
    what.memory = reinterpret_cast<char *>(memory.data());
    what.pieces = piece_grid::of(what.box, what.type, memory_order::fortran);
    bulk_desk desk;
    desk.open(what);
    const bulk_network network(desk, {});
    client_wire wire(network.port()), other(network.port());
    for (client_wire *one : {&wire, &other}) {
        one->hello();
        one->expect(bulk_status::ok);
        one->send({frame_kind::request, 0, 0, pieces});
    }
    bytes content(most_piece_bytes);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const auto head = wire.answer();
        ASSERT_TRUE(head && head->kind == frame_kind::piece && head->number == piece &&
                    head->size == content.size());
        ASSERT_TRUE(wire.receive(content));
        EXPECT_EQ(std::memcmp(content.data(), memory.data() + piece * words, content.size()), 0);
        EXPECT_EQ(head->checksum, frame_checksum(*head, content));
    }
    wire.send({frame_kind::request, 0, pieces - 1, 1}); // the connection goes on
    ASSERT_TRUE(wire.answer() && wire.receive(content));
    desk.close(7);
    memory.assign(memory.size(), -1); // what the other one gets is from before, or nothing
    std::size_t got = 0;
    while (other.answer() && other.receive(content)) {
        double first = 0;
        std::memcpy(&first, content.data(), sizeof first);
        EXPECT_EQ(first, 1 + static_cast<double>(got++ * words));
    }
}

TEST(BulkNetwork, CutsWhoIsSilentAndBoundsHowManyThereAre) {
    std::vector<double> memory;
    bulk_desk desk;
    desk.open(small_transfer(memory, true));
    constexpr std::chrono::milliseconds soon(5), short_time(50);
    bulk_network_options how;
    how.sweep_time = soon;
    how.hello_time = short_time;
    const bulk_network strict(desk, how);
    how.hello_time = bulk_network_options().hello_time;
    how.silence_time = short_time;
    const bulk_network quick(desk, how);
    const auto head = frame_head{frame_kind::piece, 0, 0, 48}.encode();
    {
        client_wire nothing(strict.port()), half_a_head(strict.port()), half_a_frame(quick.port());
        half_a_head.send_bytes({head.data(), 10});
        half_a_frame.hello();
        half_a_frame.expect(bulk_status::ok);
        half_a_frame.send_bytes(head);
        for (client_wire *one : {&nothing, &half_a_head, &half_a_frame})
            EXPECT_EQ(one->answer(), std::nullopt);
    }
    EXPECT_EQ(desk.missing(7), 2);
    how.silence_time = bulk_network_options().silence_time;
    how.most_connections = 2;
    const bulk_network patient(desk, how);
    for (int again = 0; again < 3; ++again) {
        client_wire first(patient.port()), second(patient.port());
        first.hello();
        second.hello();
        const auto told = first.answer(), told_second = second.answer();
        if (!told || !told_second) { // those of the last round are not gone yet
            --again;
            continue;
        }
        client_wire third(patient.port());
        EXPECT_EQ(third.answer(), std::nullopt);
    }
    how.certificate = how.key = "/none";
    EXPECT_THROW(bulk_network(desk, how), std::runtime_error);
    how = {};
    how.address = "nowhere";
    EXPECT_THROW(bulk_network(desk, how), std::runtime_error);
}

} // namespace
} // namespace tenfold::server
