#include "apps/tenfold/contraction_request.hpp"

#include <algorithm>
#include <optional>

#include "apps/common/launcher.hpp"
#include "apps/common/npy.hpp"
#include "apps/common/program.hpp"
#include "apps/tenfold/array_file.hpp"
#include "base/checked.hpp"
#include "base/scalars.hpp"
#include "einsum/problem/as_assignment.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::apps_impl {
namespace {

/// Collects the extent of each label and reports contradictions.
class extent_table {
public:
    explicit extent_table(const contraction_spec &spec)
        : spec_(spec), extents_(spec.label_names.size()), source_(spec.label_names.size()) {}

    void set(label_t label, index_t extent, const std::string &source) {
        const auto at = static_cast<std::size_t>(label);
        if (!extents_[at]) {
            extents_[at] = extent;
            source_[at] = source;
        } else if (*extents_[at] != extent) {
            throw usage_error("label '" + spec_.label_names[at] + "': " + source_[at] +
                              " has extent " + std::to_string(*extents_[at]) + ", " + source +
                              " has extent " + std::to_string(extent));
        }
    }

    void set_from_options(const labelled_extents &given) {
        for (const auto &[name, extent] : given) {
            const auto found = std::find(spec_.label_names.begin(), spec_.label_names.end(), name);
            if (found == spec_.label_names.end())
                throw usage_error("--extents: label '" + name + "' is not in '" + spec_.text + "'");
            set(static_cast<label_t>(found - spec_.label_names.begin()), extent, "--extents");
        }
    }

    /// Returns the extents of all labels. Throws if a label has none.
    labelled_extents complete() const {
        labelled_extents result;
        for (std::size_t label = 0; label < extents_.size(); ++label) {
            if (!extents_[label])
                throw usage_error("no extent for label '" + spec_.label_names[label] +
                                  "': add it to --extents");
            result.emplace_back(spec_.label_names[label], *extents_[label]);
        }
        return result;
    }

private:
    const contraction_spec &spec_;
    std::vector<std::optional<index_t>> extents_;
    std::vector<std::string> source_;
};

extents_t extents_of(const std::vector<label_t> &labels, const labelled_extents &extents) {
    extents_t result;
    for (const label_t label : labels)
        result.push_back(extents[static_cast<std::size_t>(label)].second);
    return result;
}

/// Returns the layout of a dense tensor. Throws errc::overflow with the tensor's name.
layout dense_layout(const contraction_spec &spec, const std::string &tensor,
                    const std::vector<label_t> &labels, const labelled_extents &extents,
                    bool row_major = false) {
    try {
        const extents_t modes = extents_of(labels, extents);
        return row_major ? layout::row_major(modes) : layout(modes);
    } catch (const error &too_large) {
        throw error(too_large.code(),
                    tensor + " with labels '" + labels_of(spec, labels) + "': " + too_large.what());
    }
}

/// Reads the headers of the input files and, if C has a file, that of C as the last.
std::vector<array_header> read_headers(const std::vector<std::string> &files) {
    std::vector<array_header> headers;
    for (const std::string &file : files)
        headers.push_back(read_array_header(file));
    return headers;
}

void check_order(const std::string &file, const array_header &header, const contraction_spec &spec,
                 const std::vector<label_t> &labels) {
    if (header.shape.size() != labels.size())
        throw usage_error("'" + file + "' has " + std::to_string(header.shape.size()) +
                          " axes, but its labels in '" + spec.text + "' are '" +
                          labels_of(spec, labels) + "'");
}

/// A list of types has one for every input.
void check_number_of_types(const contraction_types &asked, const contraction_spec &spec) {
    if (asked.inputs.size() > 1 && asked.inputs.size() != spec.inputs.size())
        throw usage_error("--type " + asked.names_of_inputs() + ": '" + spec.text + "' has " +
                          std::to_string(spec.inputs.size()) +
                          (spec.inputs.size() == 1 ? " input" : " inputs") + ", but " +
                          std::to_string(asked.inputs.size()) + " types are named");
}

/// Files of arithmetic types have those that --type asks for; others adapt.
void check_types_of_files(const std::vector<std::string> &files,
                          const std::vector<array_header> &headers, std::size_t inputs,
                          const contraction_types &asked) {
    for (std::size_t i = 0; i < inputs; ++i)
        if (!headers[i].adapts && headers[i].type != asked.of_input(i))
            throw usage_error("--type " + asked.names_of_inputs() + ": '" + files[i] + "' holds " +
                              std::string(name(headers[i].type)));
}

/// The type of all inputs where no option says it. Files of arithmetic types do. The elements of
/// others become that; float16 remains f16 where no file asks for more. `headers` has C's at its
/// end where there is one more than inputs.
data_type type_of_inputs(const std::vector<std::string> &files,
                         const std::vector<array_header> &headers, std::size_t inputs,
                         half_precision halves) {
    std::optional<std::size_t> telling;
    for (std::size_t i = 0; i < inputs; ++i) {
        if (headers[i].adapts)
            continue;
        if (telling && headers[i].type != headers[*telling].type)
            throw usage_error("'" + files[*telling] + "' holds " +
                              std::string(name(headers[*telling].type)) + ", '" + files[i] +
                              "' holds " + std::string(name(headers[i].type)) +
                              ": name the type of every input by --type");
        telling = telling.value_or(i);
    }
    if (telling)
        return headers[*telling].type;
    const bool has_half =
        std::any_of(headers.begin(), headers.begin() + static_cast<std::ptrdiff_t>(inputs),
                    [](const array_header &one) { return one.type == data_type::f16; });
    if (has_half)
        return halves == half_precision::kept ? data_type::f16 : data_type::f32;
    const bool c_tells = headers.size() > inputs && !headers.back().adapts;
    return c_tells ? headers.back().type : data_type::f64;
}

/// There is a type for every input, and the type of the sums holds them all.
void check_types(const resolved_contraction &resolved, bool f64_sums) {
    check_number_of_types(resolved.types, resolved.spec);
    if (f64_sums && is_integer(resolved.types.output))
        throw usage_error("--f64-sums: integers are summed as integers");
    check_sums("--type", resolved.types,
               einsum_impl::type_of_sums(resolved.spec, resolved.type_of_input(0),
                                         resolved.types.output, f64_sums));
}

void check_type_of_c(const std::string &file, const array_header &c,
                     const resolved_contraction &resolved) {
    if (!c.adapts && c.type != resolved.types.output)
        throw usage_error("'" + file + "' holds " + std::string(name(c.type)) +
                          ", but with inputs of " + resolved.types.names_of_inputs() +
                          " the output, to which it is added, is " +
                          std::string(name(resolved.types.output)));
}

/// Standard input is one file that one process reads once: throws usage_error for any other use.
void check_standard_input(const contraction_request &request) {
    std::vector<std::string> files = request.input_files();
    files.push_back(request.c_file);
    const auto operands = std::count(files.begin(), files.end(), npy_input::file_name);
    if (operands > 1)
        throw usage_error("'-': one operand can come from standard input, not " +
                          std::to_string(operands));
    if (operands > 0 && under_launcher())
        throw usage_error("'-': under a launcher operands do not come from standard input, which "
                          "one rank has: name a file");
    if (request.out_file == npy_input::file_name)
        throw usage_error("--out -: results are not written to standard output: name a file");
}

/// Throws if the first input has no file but others have.
void check_first_file(const contraction_request &request) {
    const bool named_otherwise = request.b_file.empty() && !request.more_files.empty();
    if (request.a_file.empty() && !named_otherwise)
        throw usage_error("--a is missing: all inputs come from files, or none");
}

void check_files(const contraction_request &request, const contraction_spec &spec, bool reads_c) {
    const std::size_t inputs = spec.inputs.size();
    const std::size_t files = request.input_files().size();
    if (request.more_files.empty() && inputs == 2 && files < 2)
        throw usage_error("--b is missing: '" + request.spec + "' has two inputs");
    if (inputs == 1 && !request.b_file.empty())
        throw usage_error("--b: '" + request.spec + "' has one input only");
    if (inputs != files)
        throw usage_error("'" + request.spec + "' has " + std::to_string(inputs) + " inputs, but " +
                          std::to_string(files) + (files == 1 ? " file is" : " files are") +
                          " given: name every input by --a, --b and then --in, in order");
    if (reads_c && request.c_file.empty())
        throw usage_error("beta is not 0, so C is read: --c is missing");
}

scalar resolve_beta(const contraction_request &request, const contraction_spec &spec) {
    const bool updates = spec.operation != contraction_spec::update::assign;
    if (updates && request.problem.beta)
        throw usage_error("'" + request.spec + "' adds to the output already: leave out --beta");
    return request.problem.beta.value_or(updates ? 1.0 : 0.0);
}

void check_scalars(const resolved_contraction &resolved) {
    if (is_complex(resolved.types.output))
        return;
    for (const auto &[value, option] :
         {std::pair(resolved.alpha, "--alpha"), std::pair(resolved.beta, "--beta")})
        if (value.imag() != 0)
            throw usage_error(std::string(option) + " is complex, but the type is " +
                              resolved.types.names_of_inputs());
        else if (!base::fits(resolved.types.output, value))
            throw usage_error(std::string(option) + ": with " + resolved.types.names_of_inputs() +
                              " expected an integer of 32 bits");
}

} // namespace

std::vector<std::string> contraction_request::input_files() const {
    std::vector<std::string> files;
    for (const std::string &file : {a_file, b_file})
        if (!file.empty())
            files.push_back(file);
    files.insert(files.end(), more_files.begin(), more_files.end());
    return files;
}

void add_contraction_options(command_line &line, contraction_request &request) {
    line.set_positional("SPEC", &request.spec);
    auto &problem = line.group("Problem");
    add_problem_options(problem, request.problem);
    add_flag(problem, "f64-sums", &request.f64_sums,
             "multiply and sum in f64, or c64, and round once to the output's type; inputs may be "
             "of any type that this holds; on one process");
    auto &files = line.group(
        "Files (.npy, FILE.h5:DATASET, or - for one .npy file from a pipe; label i of an "
        "operand is axis i of its array)");
    add_value(files, "a", "A.npy", &request.a_file, parse_text, "the first input");
    add_value(files, "b", "B.npy", &request.b_file, parse_text, "the second input");
    add_repeated(files, "in", "FILE.npy", &request.more_files, parse_text,
                 "the next input, after --a and --b if these are given; may be repeated");
    add_value(files, "c", "C.npy", &request.c_file, parse_text, "what beta multiplies");
    add_value(files, "out", "D.npy", &request.out_file, parse_text, "where the output goes");
    add_execution_options(line.group("Execution"), request.execution);
}

std::string labels_of(const contraction_spec &spec, const std::vector<label_t> &labels) {
    std::string text;
    for (const label_t label : labels) {
        const std::string &one = spec.label_names[static_cast<std::size_t>(label)];
        text += (one.size() > 1 && !text.empty() ? "," : "") + one;
    }
    return text;
}

index_t resolved_contraction::tensor_bytes() const {
    index_t total = 0;
    const auto add = [&](const layout &one, data_type its_type) {
        total =
            base::checked_add(total, storage_bytes(one, its_type).value, "bytes of all tensors");
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
        add(inputs[i], type_of_input(i));
    add(d, types.output);
    if (reads_c())
        add(c, types.output);
    return total;
}

resolved_contraction resolve(const contraction_request &request, half_precision halves) {
    check_standard_input(request);
    resolved_contraction result;
    result.alpha = request.problem.alpha.value_or(1.0);
    if (!request.from_files()) {
        result.spec = parse(request.spec);
        result.beta = resolve_beta(request, result.spec);
        result.types =
            request.problem.types.value_or(contraction_types{{data_type::f64}, data_type::f64});
        check_types(result, request.f64_sums);
        extent_table table(result.spec);
        table.set_from_options(request.problem.extents);
        result.extents = table.complete();
        const std::size_t inputs = result.spec.inputs.size();
        for (std::size_t i = 0; i < inputs; ++i) {
            const std::string tensor =
                inputs > 2 ? "input " + std::to_string(i + 1) : std::string(1, i == 0 ? 'A' : 'B');
            result.inputs.push_back(
                dense_layout(result.spec, tensor, result.spec.inputs[i], result.extents));
        }
        result.d = dense_layout(result.spec, "D", result.spec.output, result.extents);
        result.c = result.d;
        check_scalars(result);
        return result;
    }

    // The parser needs the orders for "...", but the headers are read only for files that the
    // expression uses. A first parse without the orders would fail on "...".
    check_first_file(request);
    std::vector<std::string> files = request.input_files();
    std::vector<array_header> headers = read_headers(files);
    std::vector<int> orders;
    for (const array_header &header : headers)
        orders.push_back(static_cast<int>(header.shape.size()));
    const bool ellipsis = request.spec.find("...") != std::string::npos;
    result.spec = ellipsis ? parse(request.spec, orders) : parse(request.spec);
    result.beta = resolve_beta(request, result.spec);
    check_files(request, result.spec, result.beta != 0.0);
    if (!request.c_file.empty()) {
        if (!request.problem.beta && result.beta == 0.0)
            throw usage_error("--c is given, but beta is 0: add --beta, or write '+='");
        files.push_back(request.c_file);
        headers.push_back(read_array_header(request.c_file));
    }
    const std::optional<contraction_types> asked = request.problem.types;
    if (asked) {
        result.types = *asked;
        check_types(result, request.f64_sums);
        check_types_of_files(files, headers, result.spec.inputs.size(), *asked);
    } else {
        const data_type type = type_of_inputs(files, headers, result.spec.inputs.size(), halves);
        result.types = {{type}, output_type_of(type)};
    }
    if (!request.c_file.empty())
        check_type_of_c(request.c_file, headers.back(), result);

    extent_table table(result.spec);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto &labels =
            i < result.spec.inputs.size() ? result.spec.inputs[i] : result.spec.output;
        check_order(files[i], headers[i], result.spec, labels);
        for (std::size_t axis = 0; axis < labels.size(); ++axis)
            table.set(labels[axis], headers[i].shape[axis],
                      "axis " + std::to_string(axis) + " of '" + files[i] + "'");
    }
    table.set_from_options(request.problem.extents);
    result.extents = table.complete();

    for (std::size_t i = 0; i < result.spec.inputs.size(); ++i)
        result.inputs.push_back(headers[i].order());
    // The output file has the memory order of the first input file, so that the program that wrote
    // the input can read the output. HDF5 is always row-major.
    result.d = dense_layout(result.spec, "D", result.spec.output, result.extents,
                            /*row_major=*/!headers[0].fortran_order ||
                                parse_array_name(request.out_file).is_hdf5());
    result.c = request.c_file.empty() ? result.d : headers.back().order();
    check_scalars(result);
    return result;
}

contraction_plan plan_for(const contraction_request &request,
                          const resolved_contraction &resolved) {
    std::vector<input> inputs;
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
        inputs.emplace_back(resolved.type_of_input(i), nullptr, resolved.inputs[i]);
    const input c(resolved.types.output, nullptr, resolved.c);
    const output d(resolved.types.output, nullptr, resolved.d);
    contract_options options;
    options.f64_sums = request.f64_sums;
    options.algorithm = request.execution.algorithm;
    options.backend = request.execution.backend;
    options.workspace_limit = request.execution.workspace_limit;
    options.threads = request.execution.threads;
    options.tuning = request.execution.tuning;
    return make_plan(einsum_impl::as_assignment(resolved.spec), inputs, c, d, options);
}

void refuse_across_ranks(const contraction_request &request) {
    if (request.f64_sums)
        throw usage_error("--f64-sums: contractions across ranks have sums of the output's type");
    if (request.execution.tuning != tuning::estimate)
        throw usage_error("--tuning: contractions across ranks are not tuned");
}

} // namespace tenfold::apps_impl
