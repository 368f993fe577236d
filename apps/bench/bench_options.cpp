#include "apps/bench/bench_options.hpp"

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include <tenfold/context.hpp>

#include "apps/bench/peers/peer.hpp"
#include "apps/bench/plot.hpp"
#include "apps/common/conversions.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/program.hpp"
#include "apps/common/text.hpp"
#include "apps/common/values.hpp"
#include "base/integer_types.hpp"
#include "base/option_checks.hpp"

namespace tenfold::apps_impl {
namespace {

const std::vector<std::string> suites = {"ceilings", "gemm", "ttc",        "tccg",
                                         "small",    "dist", "interfaces", "all"};

std::vector<peer_name> parse_peers(const std::vector<std::string> &texts) {
    std::vector<peer_name> peers;
    for (const std::string &text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            throw usage_error("--peer '" + text + "': expected NAME=LIBRARY.so");
        peers.push_back({text.substr(0, equals), text.substr(equals + 1)});
        for (std::size_t i = 0; i + 1 < peers.size(); ++i)
            if (peers[i].name == peers.back().name)
                throw usage_error("--peer '" + peers.back().name + "' is given twice");
    }
    return peers;
}

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

/// Throws usage_error for options that exclude each other, and for any of them in another suite.
/// `component` is the size of a real number of the tensors, in bytes.
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

struct measured_types {
    data_type input, output;
    bool both_named = false; ///< "bf16-f32", where "bf16" alone leaves the output to the suite
};

/// "f64", "f32-f64" for two, "bf16", "f16", "i8" or "u8" for products to 4 bytes.
measured_types parse_types(const std::string &option, const std::string &text) {
    if (const auto both = two_types(text))
        return {both->a, both->b, true};
    if (const auto stored = base::parse_any_type(text); stored && !is_arithmetic(*stored))
        return {*stored, output_type_of(*stored)};
    const data_type both = parse_type(option, text);
    return {both, both};
}

double parse_real(const std::string &option, const std::string &text) {
    const scalar value = parse_scalar(option, text);
    if (value.imag() != 0)
        throw usage_error(option + " '" + text + "': expected a real number");
    return value.real();
}

index_t component_size(data_type type) { return size_of(type) / (is_complex(type) ? 2 : 1); }

/// Two types are those that a transposition converts between, or a contraction's inputs' and
/// output's.
void check_two_types(const bench_options &options) {
    if (options.type_name() == name(options.type))
        return;
    if (options.suite == "ttc")
        static_cast<void>(parse_conversion("--type", options.type_name()));
    else if (options.has_contractions() && options.suite != "dist")
        check_sums("--type", {{options.type}, options.output_type},
                   output_type_of(options.output_type));
    else
        throw usage_error("--type " + options.type_name() +
                          ": two types apply to the suites ttc and tccg and to small --contract "
                          "only");
    if (options.suite != "ttc" && !options.peers.empty())
        throw usage_error("--type " + options.type_name() +
                          ": the peers have one type for inputs and output, leave out --peer");
}

void check(const bench_options &options) {
    if (std::find(suites.begin(), suites.end(), options.suite) == suites.end())
        throw usage_error("unknown suite '" + options.suite + "': expected " +
                          join_choices(suites));
    if (options.suite == "ceilings") {
        if (!options.peers.empty())
            throw usage_error("--peer: the ceilings have no peers");
        if (!options.file.empty() || options.verify || options.beta != 0)
            throw usage_error("--file, --verify and --beta do not apply to the ceilings");
    }
    if (options.suite == "all") {
        if (!options.cases.empty() || !options.file.empty() || options.random || options.contract)
            throw usage_error(
                "--cases, --file, --random and --contract: 'all' is every suite's list");
        if (!options.json_file.empty() || !options.csv_file.empty() || !options.plot_file.empty())
            throw usage_error("--json, --csv and --plot write one suite's results; keep those of "
                              "'all' with --record");
    } else if (options.suite == "dist" && !options.record_folder.empty()) {
        throw usage_error("--record keeps results of one process");
    }
    if (options.contract && options.suite != "small")
        throw usage_error(
            "--contract applies to the suite small only; tccg has large contractions");
    if (options.random && options.suite != "ttc" && !options.has_contractions())
        throw usage_error(
            "--random applies to the suites ttc and tccg and to small --contract only");
    if (options.suite == "dist" && (options.random || options.choice || !options.peers.empty()))
        throw usage_error("--random, --choice and --peer do not apply to the suite dist");
    if (options.random && !options.file.empty())
        throw usage_error("--random and --file: only one of them says which cases there are");
    if (options.ttc.portability && !options.peers.empty())
        throw usage_error(
            "--portability: peers choose their instruction sets themselves, leave out "
            "--peer");
    if (options.suite == "interfaces" &&
        (!is_arithmetic(options.type) || options.output_type != options.type))
        throw usage_error("--type " + options.type_name() + ": the interfaces are compared for " +
                          base::arithmetic_type_names("and"));
    check_two_types(options);
    const bool contracts = options.has_contractions() && options.suite != "dist";
    const bool applies = options.has_matrix_products() || contracts;
    if (options.is_mixed() && (!applies || options.type == data_type::i32))
        throw usage_error("--type " + options.type_name() + ": does not apply to " +
                          options.list());
    if (options.is_mixed() && !options.peers.empty())
        throw usage_error("--type " + options.type_name() +
                          ": the peers have one type for inputs and output, leave out --peer");
    if (is_integer(options.type) && !options.peers.empty())
        throw usage_error("--type " + options.type_name() +
                          ": the peers have no integers, leave out --peer");
    if (options.efficiency && !options.has_matrix_products())
        throw usage_error("--efficiency applies to the suites gemm and small only, not to small "
                          "--contract");
    if (options.choice && !options.has_contractions() && options.suite != "all")
        throw usage_error("--choice applies to the suite tccg and to small --contract only");
    if (options.choice && options.algorithm != algorithm::automatic)
        throw usage_error("--choice and --algorithm: the choice is the automatic plan's");
    if (is_integer(options.type) && options.beta != std::trunc(options.beta))
        throw usage_error("--beta: integers need an integer");
    const index_t component =
        std::max(component_size(options.type), component_size(options.output_type));
    check(options.ttc, options.suite, component);
    if (options.algorithm != algorithm::automatic && !options.has_contractions())
        throw usage_error(
            "--algorithm applies to the suites tccg and dist and to small --contract only");
}

/// Removes peers that cannot convert types, so that they do not stop a run over all types.
void leave_out_peers_that_cannot_convert(bench_options &options) {
    if (options.converts() &&
        std::erase_if(options.peers, [](const peer_name &one) { return one.name == "hptt"; }) > 0)
        options.remarks.emplace_back("hptt: no conversions, left out");
}

} // namespace

std::string bench_options::type_name() const {
    std::string text(name(type));
    if (output_type != (suite == "ttc" ? type : output_type_of(type)))
        text += "-" + std::string(name(output_type));
    return text;
}

std::vector<std::string> bench_options::peer_names() const {
    std::vector<std::string> names;
    if (suite == "interfaces")
        names = {c_by_plan, c_in_one_call};
    for (const peer_name &one : peers)
        names.push_back(one.name);
    return names;
}

std::vector<bench_options> single_suites(const bench_options &options) {
    if (options.suite != "all")
        return {options};
    std::vector<bench_options> all;
    for (const std::string list : {"gemm", "small", "small --contract", "ttc", "tccg"}) {
        bench_options one = options;
        one.suite = list.substr(0, list.find(' '));
        one.contract = one.suite != list;
        one.choice = options.choice && one.has_contractions();
        std::erase_if(one.peers,
                      [&](const peer_name &peer) { return !takes_part(peer.name, one.list()); });
        all.push_back(std::move(one));
    }
    return all;
}

bool parse_bench_options(const std::vector<std::string> &arguments, bench_options &options) {
    command_line line(
        "tenfold-bench", "SUITE [options]",
        "Times Tenfold against the machine's ceilings and against other libraries, interleaved.\n"
        "SUITE is one of\n"
        "  ceilings  what the machine can do: FMA peak, copies, saxpy\n"
        "  gemm      matrix products, large and skinny\n"
        "  small     matrix products of 4 x 4 x 4 to 128 x 128 x 128; with --contract tiny\n"
        "            contractions\n"
        "  ttc       the 57 transpositions of the TTC benchmark\n"
        "  tccg      the 24 contractions of the TCCG benchmark; also under mpirun\n"
        "  dist      contractions across ranks: bytes received, bounds, overlap and memory\n"
        "  interfaces  small products through C++ and C, and with --peer through TAPP and TBLIS's\n"
        "            interface\n"
        "  all       gemm, small, small --contract, ttc and tccg, one after the other");
    line.set_positional("SUITE", &options.suite);

    auto &what = line.group("What is run");
    measured_types types = {options.type, options.output_type};
    add_value(
        what, "type", "TYPE", &types, parse_types,
        (base::arithmetic_type_names("or") +
         "; f64 unless given. tccg, gemm and small: also bf16, f16 (to f32), i8, and u8 times "
         "i8 (to i32). ttc: also bf16, f16, i8, u8, i32, and two types such as f32-f64, from "
         "one to the other. tccg and small --contract: also two such as bf16-bf16, the "
         "inputs' and the output's")
            .c_str());
    add_threads_option(what, options.threads);
    add_value(what, "cases", "GLOB", &options.cases, parse_text,
              "the cases whose names match, for instance 'ttc0*'; several globs separated by "
              "commas; of gemm and small also any MxNxK");
    add_flag(
        what, "contract", &options.contract,
        "small: contractions with extents of 2 to 16, each also without a plan, by contract()");
    add_value(what, "file", "LIST", &options.file, parse_text, "cases from a file");
    add_value(what, "random", "N[:SEED]", &options.random, parse_random,
              "ttc, tccg, small --contract: N random cases, r001 and on or c000 and on, in place "
              "of the list; without "
              "SEED another set each time, whose seed is printed");
    add_value(what, "beta", "X", &options.beta, parse_real,
              "multiplies what the output held before; 0 unless given");
    add_value(what, "algorithm", "NAME", &options.algorithm, parse_algorithm_name,
              "contractions: auto, direct, fused, ttgt, gemm-loop, loops, reference or leaves");

    add_transposition_options(line.group("Transpositions (ttc)"), options.ttc);

    auto &how = line.group("How it is timed");
    add_value(
        how, "repeat", "R", &options.repeat,
        [](const std::string &option, const std::string &text) {
            return parse_count(option, text);
        },
        "samples of each case, 5 unless given; a first call that warms up is not counted");
    add_flag(how, "flush", &options.flush, "put the tensors out of the caches before each sample");
    add_flag(how, "verify", &options.verify,
             "check a sample of each result, the peers' too, against plain loops");
    add_flag(how, "efficiency", &options.efficiency,
             "gemm, small: time each case on one thread as well, in turns, and report the parallel "
             "efficiency of --threads");
    add_flag(how, "choice", &options.choice,
             "contractions: time each case by every algorithm that it allows as well, in turns, "
             "and report "
             "how good the automatic choice was and how near the predictions");
    std::vector<std::string> peers;
    how.add_options()("peer", po::value(&peers)->value_name("NAME=LIBRARY.so")->composing(),
                      "a library to compare with, loaded at run time; may be repeated. NAME is "
                      "blas, openblas, blis, mkl or xsmm (gemm, small), hptt (ttc), tapp or tblis "
                      "(tccg, small --contract, interfaces) or ttgt (tccg, small --contract)");

    auto &files = line.group("Output");
    add_value(files, "json", "FILE", &options.json_file, parse_text, "results as JSON");
    add_value(files, "csv", "FILE", &options.csv_file, parse_text, "results as CSV");
    add_value(files, "plot", "FILE.svg", &options.plot_file, parse_picture,
              "the fractions of the ceiling as a bar chart, drawn by gnuplot: .svg, .png or .pdf");
    add_trace_option(files, options.trace_file);
    files.add_options()(
        "record",
        po::value(&options.record_folder)->value_name("[=FOLDER]")->implicit_value("bench/results"),
        "keep the results in FOLDER (bench/results), in a file for each processor");
    if (!line.parse(arguments))
        return false;

    options.type = types.input;
    const bool copies = options.suite == "ttc" && !types.both_named;
    options.output_type = copies ? types.input : types.output;
    options.peers = parse_peers(peers);
    check(options);
    leave_out_peers_that_cannot_convert(options);
    options.threads_given = options.threads > 0;
    if (!options.threads_given)
        options.threads = context::global().threads();
    return true;
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
