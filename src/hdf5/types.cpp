#include "hdf5/types.hpp"

#include <string>

#include "base/with_type.hpp"

namespace tenfold::hdf5_impl {
namespace {

hid_t native_number(float) { return H5T_NATIVE_FLOAT; }
hid_t native_number(double) { return H5T_NATIVE_DOUBLE; }

std::optional<data_type> float_type(hid_t stored) {
    const auto is = [&](hid_t type) { return H5Tequal(stored, type) > 0; };
    if (is(H5T_IEEE_F32LE) || is(H5T_IEEE_F32BE))
        return data_type::f32;
    if (is(H5T_IEEE_F64LE) || is(H5T_IEEE_F64BE))
        return data_type::f64;
    return std::nullopt;
}

bool is_named(hid_t compound, unsigned member, const char *wanted) {
    char *const name = H5Tget_member_name(compound, member);
    const bool same = name != nullptr && std::string(name) == wanted;
    H5free_memory(name);
    return same;
}

} // namespace

handle native_type(data_type type) {
    const hid_t part = base::with_arithmetic_type(
        type, []<class T>(T) { return native_number(typename element_traits<T>::real{}); });
    if (!is_complex(type))
        return {H5Tcopy(part), H5Tclose};
    const auto size = static_cast<std::size_t>(size_of(real_type_of(type)));
    handle compound(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    if (H5Tinsert(compound.get(), "r", 0, part) < 0 ||
        H5Tinsert(compound.get(), "i", size, part) < 0)
        return {};
    return compound;
}

std::optional<data_type> element_type(hid_t stored) {
    if (H5Tget_class(stored) != H5T_COMPOUND)
        return float_type(stored);
    if (H5Tget_nmembers(stored) != 2)
        return std::nullopt;
    const bool swapped = is_named(stored, 0, "i");
    if (!is_named(stored, swapped ? 1 : 0, "r") || !is_named(stored, swapped ? 0 : 1, "i"))
        return std::nullopt;
    const handle r(H5Tget_member_type(stored, 0), H5Tclose);
    const handle i(H5Tget_member_type(stored, 1), H5Tclose);
    const std::optional<data_type> part = float_type(r.get());
    if (!part || part != float_type(i.get()))
        return std::nullopt;
    return complex_type_of(*part);
}

} // namespace tenfold::hdf5_impl
