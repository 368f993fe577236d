#include "apps/tenfold/verify_distributed.hpp"

#include "apps/common/dist_operands.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/tenfold/array_file.hpp"
#include "apps/tenfold/not_a_number.hpp"
#include "apps/tenfold/verify_budget.hpp"
#include "base/scalars.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {
namespace {

using contract_impl::verification;

/// The alpha of the reference, which includes the expression's own factor and sign.
scalar full_alpha(const resolved_contraction &resolved) {
    const contraction_spec &spec = resolved.spec;
    return base::scaled(spec.operation == contraction_spec::update::subtract ? -spec.scale
                                                                             : spec.scale,
                        resolved.alpha);
}

/// Verifies on the rank that holds the whole of D, and finds the source of NaN if there is any.
template <class T> verification verify_files(const resolved_contraction &resolved,
                                             const contraction_request &request, const T *d,
                                             std::string &nan_source) {
    std::vector<host_array> arrays;
    for (const std::string &file : request.input_files())
        arrays.push_back(read_array(file, resolved.type));
    const std::vector<input> inputs(arrays.begin(), arrays.end());
    std::optional<host_array> c;
    if (resolved.reads_c())
        c = read_array(request.c_file, resolved.type);
    const output d_shape(resolved.type, nullptr, layout(resolved.d.extents()));
    const input c_input = c ? input(*c) : input(d_shape);
    verification found;
    if (inputs.size() > 2) {
        found = contract_impl::verify(
            {resolved.spec, inputs, full_alpha(resolved), resolved.beta, c_input},
            input(resolved.type, d, layout(resolved.d.extents())),
            elements_to_verify(resolved.spec, inputs), /*seed=*/1);
    } else {
        const auto problem =
            einsum_impl::make_problem(resolved.spec, inputs, c_input, d_shape, false);
        found = contract_impl::verify(problem,
                                      {.alpha = full_alpha(resolved),
                                       .a = arrays[0].data(),
                                       .b = arrays.size() > 1 ? arrays[1].data() : nullptr,
                                       .beta = resolved.beta,
                                       .c = c_input.data()},
                                      d, verified_elements, /*seed=*/1);
    }
    if (found.not_numbers > 0)
        nan_source = source_of_nan(resolved.spec, inputs, c_input, "C");
    return found;
}

} // namespace

template <class T>
contraction_result::check verify_distributed(const resolved_contraction &resolved,
                                             const contraction_request &request,
                                             const dist_tensor<T> &d) {
    verification found;
    std::string nan_source = "made-up operands are finite, and alpha or beta too large";
    if (request.from_files()) {
        const tensor<T> whole = d.gather(0);
        const MPI_Comm comm = d.owner().comm();
        agree(comm, [&] {
            if (d.owner().rank() == 0)
                found = verify_files<T>(resolved, request, whole.data(), nan_source);
        });
        found = combine(comm, found);
    } else {
        made_up_contraction problem;
        problem.spec = resolved.spec;
        for (const auto &[label, extent] : resolved.extents)
            problem.extents.push_back(extent);
        problem.alpha = full_alpha(resolved);
        problem.beta = resolved.beta;
        found = verify_made_up(problem, d, elements_to_verify(resolved));
    }
    return {found.max_relative_error, found.bound, found.elements, found.not_numbers, nan_source};
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template contraction_result::check verify_distributed(                                         \
        const resolved_contraction &, const contraction_request &, const dist_tensor<T> &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold::apps_impl
