// Types, extents, operands and options of the distributed C interface.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "capi/type_numbers.hpp"
#include "distributed/capi/convert.hpp"

namespace tenfold::capi_impl {
namespace {

std::optional<processor_grid> grid_of(const tenfold_dist_options &given) {
    if (given.grid_batch == 0 && given.grid_m == 0 && given.grid_n == 0 && given.grid_k == 0)
        return std::nullopt;
    return processor_grid{given.grid_batch, given.grid_m, given.grid_n, given.grid_k};
}

std::optional<step_size> step_of(const tenfold_dist_options &given) {
    if (given.step_batch == 0 && given.step_m == 0 && given.step_n == 0 && given.step_k == 0)
        return std::nullopt;
    const auto bound = [](std::int64_t one) { return one == 0 ? INT64_MAX : one; };
    return step_size{bound(given.step_batch), bound(given.step_m), bound(given.step_n),
                     bound(given.step_k)};
}

/// A list of types, each followed by a comma, for messages.
#define TENFOLD_NAME_OF(T, name) " " #name ","

[[noreturn]] void refuse_type(const char *rule, tenfold_type given) {
    refuse(std::string(rule) + " not of " + tenfold_type_name(given) + " (" +
           std::to_string(given) + ")");
}

/// The numbers of a type of integers.
struct integer_range {
    double least, greatest;
};

integer_range range_of(data_type integers) {
    switch (integers) {
#define TENFOLD_CASE(T, name)                                                                      \
    case data_type::name:                                                                          \
        return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
        TENFOLD_FOR_INTEGER_TYPES(TENFOLD_CASE)
#undef TENFOLD_CASE
    default:
        return {0, 0};
    }
}

} // namespace

extents_t extents_of(std::int32_t order, const std::int64_t *given, const char *what) {
    if (order < 0)
        refuse("order is " + std::to_string(order) + "; it is 0 or more");
    if (order > 0)
        require(given, what);
    return order > 0 ? extents_t(given, given + order) : extents_t();
}

void require_count(std::int64_t count, const void *first, const char *what) {
    if (count < 0)
        refuse("the number of " + std::string(what) + " is " + std::to_string(count) +
               "; it is 0 or more");
    if (count > 0)
        require(first, what);
}

std::optional<byte_count> memory_limit_of(std::int64_t given) {
    if (given < 0)
        refuse("memory_per_rank is " + std::to_string(given) + " bytes; it is 0 or more");
    return given > 0 ? std::optional(bytes(given)) : std::nullopt;
}

std::string position_text(std::span<const index_t> position) {
    std::string text = "(";
    for (std::size_t mode = 0; mode < position.size(); ++mode)
        text += (mode == 0 ? "" : ", ") + std::to_string(position[mode]);
    return text + ")";
}

data_type element_type_of(tenfold_type given) {
    const data_type type = type_numbered(given);
    if (size_of(type) == 0)
        refuse_type("distributed tensors are of" TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_NAME_OF),
                    given);
    return type;
}

data_type arithmetic_type_of(tenfold_type given) {
    const data_type type = type_numbered(given);
    if (!is_arithmetic(type))
        refuse_type(
            "layouts are planned for tensors of" TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_NAME_OF),
            given);
    return type;
}
#undef TENFOLD_NAME_OF

void check_real(const tenfold_scalar &given, const std::string &what, data_type of) {
    if (given.im != 0)
        throw error(errc::type_mismatch,
                    what + " has an imaginary part, but the tensor is " + std::string(name(of)));
}

void check_integer(double given, data_type type, const std::string &what, data_type of) {
    const integer_range own = range_of(type);
    if (given >= own.least && given <= own.greatest && given == std::floor(given))
        return;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.17g", given);
    throw error(errc::type_mismatch,
                what + " is " + text.data() + ", but the tensor is " + std::string(name(of)) +
                    (type == of ? "" : ", whose factors are " + std::string(name(type))));
}

data_type type_of(const tenfold_dist_tensor &handle) {
    return with_tensor(handle, []<class T>(const dist_tensor<T> &) { return data_type_of<T>; });
}

const world &world_of(const tenfold_dist_tensor &handle) {
    return with_tensor(handle, [](const auto &tensor) -> const world & { return tensor.owner(); });
}

void require_like(const tenfold_dist_tensor *given, const std::string &its_name,
                  const tenfold_dist_tensor &other, const std::string &other_name) {
    require(given, its_name.c_str());
    const data_type type = type_of(*given);
    const data_type wanted = type_of(other);
    if (type != wanted)
        throw error(errc::type_mismatch,
                    its_name + " is " + std::string(name(type)) + ", " + other_name + " is " +
                        std::string(name(wanted)),
                    {.first = {.name = its_name, .type = type},
                     .second = {.name = other_name, .type = wanted}});
}

std::shared_ptr<const context> context_of(const tenfold_dist_options &given) {
    return given.context != nullptr ? given.context->shared : nullptr;
}

void refuse_conjugated(const tenfold_dist_options &given) {
    if (given.conjugated != nullptr)
        refuse("options: conjugated is of tenfold_dist_plan_create() only");
}

dist_options dist_options_of(const tenfold_dist_options &given, const taken_control &control) {
    dist_options chosen{
        .alpha = scalar_or(given.alpha, 1.0),
        .diagonal_output = given.diagonal_output != 0,
        .algorithm = enumerator_of<algorithm>(given.algorithm, "algorithm"),
        .tuning = enumerator_of<tuning>(given.tuning, "tuning"),
        .backend = choice_of<backend>(given.backend, "backend"),
        .workspace_limit = limit_of(given.workspace_limit),
        .reproducible = choice_of(given.reproducible, "reproducible"),
        .grid = grid_of(given),
        .step = step_of(given),
        .threads = given.threads,
        .ctx = context_of(given).get(),
        .control = control.get(),
        .epilogue = given.epilogue != nullptr ? &given.epilogue->steps : nullptr,
        .ranks_per_node = given.ranks_per_node,
    };
    if (given.beta != nullptr)
        chosen.beta = scalar_or(given.beta, 0.0);
    if (given.memory_per_rank != 0)
        chosen.memory_per_rank = bytes(given.memory_per_rank);
    return chosen;
}

} // namespace tenfold::capi_impl
