#include "apps/tenfold/transpose_request.hpp"

#include <algorithm>

#include "apps/common/program.hpp"
#include "apps/tenfold/array_file.hpp"
#include "base/integer_types.hpp"

namespace tenfold::apps_impl {
namespace {

/// "f64", or "f32-f64" for A's and B's.
element_types parse_types(const std::string &option, const std::string &text) {
    if (text.find('-') != std::string::npos)
        return parse_conversion(option, text);
    const data_type both = parse_input_type(option, text);
    return {both, both};
}

/// Returns the permutation: mode k of B is mode permutation[k] of A.
std::vector<int> permutation_of(const contraction_spec &spec) {
    if (spec.inputs.size() != 1)
        throw usage_error("'" + spec.text + "': a transposition has one input");
    const std::vector<label_t> &from = spec.inputs[0];
    std::vector<int> permutation;
    for (const label_t label : spec.output) {
        const auto found = std::find(from.begin(), from.end(), label);
        permutation.push_back(static_cast<int>(found - from.begin()));
    }
    const bool repeated = spec.label_names.size() != from.size() ||
                          spec.output.size() != from.size() ||
                          !std::is_permutation(from.begin(), from.end(), spec.output.begin());
    if (repeated)
        throw usage_error("'" + spec.text +
                          "': output and input must have the same labels, each once; 'tenfold "
                          "contract' takes sums and diagonals");
    return permutation;
}

array_part whole_array(data_type type, const layout &shape) {
    return {type, shape, extents_t(shape.extents().size(), 0), shape};
}

/// Returns the value given for a label, if there is one.
std::optional<index_t> value_for(const std::string &label, const labelled_extents &given) {
    for (const auto &[name, value] : given)
        if (name == label)
            return value;
    return std::nullopt;
}

void check_labels(const std::string &option, const labelled_extents &given,
                  const contraction_spec &spec) {
    for (const auto &[label, value] : given)
        if (std::find(spec.label_names.begin(), spec.label_names.end(), label) ==
            spec.label_names.end())
            throw usage_error(option + ": label '" + label + "' is not in '" + spec.text + "'");
}

/// Returns the part of a dense, column-major array. `letter` names the operand in options.
array_part part_of(const enclosing_tensor &around, char letter, const contraction_spec &spec,
                   const std::vector<label_t> &labels, data_type type, const extents_t &extents) {
    const std::string outer_option = std::string("--outer-") + letter;
    const std::string offset_option = std::string("--offset-") + letter;
    check_labels(outer_option, around.extents, spec);
    check_labels(offset_option, around.offsets, spec);
    extents_t outer = extents;
    extents_t offsets(extents.size(), 0);
    for (std::size_t mode = 0; mode < labels.size(); ++mode) {
        const std::string &label = spec.label_names[static_cast<std::size_t>(labels[mode])];
        offsets[mode] = value_for(label, around.offsets).value_or(0);
        outer[mode] = value_for(label, around.extents).value_or(extents[mode]);
        if (outer[mode] < extents[mode] || outer[mode] - extents[mode] < offsets[mode])
            throw usage_error(outer_option + ": label '" + label + "': offset " +
                              std::to_string(offsets[mode]) + " and extent " +
                              std::to_string(extents[mode]) + " pass the end of the outer extent " +
                              std::to_string(outer[mode]) + "; enlarge it");
    }
    const layout whole(outer);
    return {type, whole, offsets, whole.block(offsets, extents)};
}

/// Sets C's file to the output file, because beta multiplies its previous contents.
void read_output_first(const transpose_request &request, contraction_request &operands) {
    if (operands.out_file.empty() && !request.explain)
        throw usage_error("--out is missing");
    const bool adds = operands.problem.beta.value_or(0.0) != 0.0 ||
                      operands.spec.find("+=") != std::string::npos ||
                      operands.spec.find("-=") != std::string::npos;
    if (!adds)
        return;
    if (request.types && request.types->a != request.types->b)
        throw usage_error("--type " + name_of(*request.types) +
                          ": a file that is added to has the type of A's; leave out --beta");
    operands.c_file = operands.out_file;
}

} // namespace

void add_transpose_options(command_line &line, transpose_request &request) {
    line.set_positional("SPEC", &request.operands.spec);
    auto &problem = line.group("Problem");
    add_value_options(problem, request.operands.problem);
    add_value(problem, "type", "TYPE", &request.types, parse_types,
              (base::any_type_names("or") +
               ", f64 unless files say otherwise; or A's and B's, such as f32-f64")
                  .c_str());
    auto &parts = line.group("Sub-tensors (of made-up tensors)");
    for (auto [around, outer, offset, meaning] :
         {std::tuple(&request.around_a, "outer-a", "offset-a", "A"),
          std::tuple(&request.around_b, "outer-b", "offset-b", "B")}) {
        const std::string operand = meaning;
        add_value(parts, outer, "a=50,...", &around->extents, parse_extents,
                  (operand + " is a part of a dense tensor with these extents; its own where none "
                             "is given")
                      .c_str());
        add_value(parts, offset, "a=2,...", &around->offsets, parse_extents,
                  ("where " + operand + " begins in it; 0 where none is given").c_str());
    }
    auto &files = line.group(
        "Files (.npy, FILE.h5:DATASET, or - for one .npy file from a pipe; label i of an "
        "operand is axis i of its array)");
    add_value(files, "a", "A.npy", &request.operands.a_file, parse_text, "the input");
    add_value(files, "out", "B.npy", &request.operands.out_file, parse_text,
              "where the output goes");
    auto &execution = line.group("Execution");
    add_threads_option(execution, request.operands.execution.threads);
    add_tuning_option(execution, request.tuning);
    add_value(execution, "tuning-seconds", "S", &request.tuning_seconds, parse_duration,
              "the most seconds to look for it; what the level takes unless given");
    auto &output = line.group("Output");
    add_flag(output, "explain", &request.explain,
             "show how the transposition would run, without running it");
    add_run_options(output, request.run);
}

std::string resolved_transpose::type_name() const { return name_of({a.type, b.type}); }

resolved_transpose resolve(const transpose_request &request) {
    contraction_request operands = request.operands;
    if (request.types)
        operands.problem.types =
            contraction_types{{request.types->a}, output_type_of(request.types->a)};
    if (operands.from_files())
        read_output_first(request, operands);
    const bool parts = request.around_a.is_larger() || request.around_b.is_larger();
    if (parts && (operands.from_files() || !operands.out_file.empty()))
        throw usage_error("--outer-a, --offset-a, --outer-b and --offset-b apply to made-up "
                          "tensors only: files hold whole ones");

    // float16 files become f32 unless --type says otherwise.
    resolved_contraction found =
        resolve(operands, request.types ? half_precision::kept : half_precision::widened);
    if (!operands.c_file.empty())
        found.d = found.c;
    resolved_transpose result;
    result.permutation = permutation_of(found.spec);
    const data_type type_a = found.type_of_input(0);
    const data_type type_b = request.types ? request.types->b : type_a;
    const extents_t &from = found.inputs[0].extents();
    if (parts) {
        result.a = part_of(request.around_a, 'a', found.spec, found.spec.inputs[0], type_a, from);
        result.b = part_of(request.around_b, 'b', found.spec, found.spec.output, type_b,
                           found.d.extents());
    } else {
        result.a = whole_array(type_a, found.inputs[0]);
        result.b = whole_array(type_b, found.d);
    }
    result.alpha = (found.spec.operation == contraction_spec::update::subtract ? -1.0 : 1.0) *
                   found.spec.scale * found.alpha;
    result.beta = found.beta;
    result.extents = found.extents;
    result.spec = std::move(found.spec);
    return result;
}

} // namespace tenfold::apps_impl
