#include "transpose/wisdom.hpp"

namespace tenfold::transpose_impl {

std::string wisdom_key(const reduced_problem &problem, data_type type_a, data_type type_b,
                       bool conjugate, bool accumulates, isa set, int threads) {
    std::string key = std::string(name(type_a)) + " -> " + std::string(name(type_b));
    key += conjugate ? ", conjugated" : "";
    key += accumulates ? ", accumulates, " : ", overwrites, ";
    key += std::string(name(set)) + ", " + std::to_string(threads) +
           (threads == 1 ? " thread," : " threads,");
    for (const mode &one : problem.modes)
        key += " " + std::to_string(one.extent) + ":" + std::to_string(one.stride_a) + ":" +
               std::to_string(one.stride_b);
    return key;
}

} // namespace tenfold::transpose_impl
