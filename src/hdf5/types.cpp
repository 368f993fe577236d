#include "hdf5/types.hpp"

#include <cstdint>
#include <string>

#include "base/with_any_type.hpp"

namespace tenfold::hdf5_impl {
namespace {

/// Numbers of 16 bits: how many of them the significand has, and the exponent's bias.
struct small_float {
    std::size_t significand, bias;
};
constexpr small_float half{10, 15};
/// As HDF5 2.0 has it (H5T_FLOAT_BFLOAT16LE). Older versions convert it, too, and h5py reads
/// float32.
constexpr small_float brain{7, 127};

/// In the order of bytes of `single`, an IEEE type.
handle small_type(const small_float &format, hid_t single) {
    constexpr std::size_t bits = 16;
    handle made(H5Tcopy(single), H5Tclose);
    const std::size_t sign = bits - 1;
    if (H5Tset_fields(made.get(), sign, format.significand, sign - format.significand, 0,
                      format.significand) < 0 ||
        H5Tset_size(made.get(), bits / 8) < 0 || H5Tset_ebias(made.get(), format.bias) < 0)
        return {};
    return made;
}

handle copy_of(hid_t type) { return {H5Tcopy(type), H5Tclose}; }

/// A new element type needs a line here.
handle native_number(float) { return copy_of(H5T_NATIVE_FLOAT); }
handle native_number(double) { return copy_of(H5T_NATIVE_DOUBLE); }
handle native_number(f16) { return small_type(half, H5T_NATIVE_FLOAT); }
handle native_number(bf16) { return small_type(brain, H5T_NATIVE_FLOAT); }
handle native_number(std::int8_t) { return copy_of(H5T_NATIVE_INT8); }
handle native_number(std::uint8_t) { return copy_of(H5T_NATIVE_UINT8); }
handle native_number(std::int32_t) { return copy_of(H5T_NATIVE_INT32); }

std::optional<data_type> number_type(hid_t stored) {
    const auto is = [&](hid_t type) { return H5Tequal(stored, type) > 0; };
    const auto is_small = [&](const small_float &format) {
        return is(small_type(format, H5T_IEEE_F32LE).get()) ||
               is(small_type(format, H5T_IEEE_F32BE).get());
    };
    if (is(H5T_IEEE_F32LE) || is(H5T_IEEE_F32BE))
        return data_type::f32;
    if (is(H5T_IEEE_F64LE) || is(H5T_IEEE_F64BE))
        return data_type::f64;
    if (is(H5T_STD_I32LE) || is(H5T_STD_I32BE))
        return data_type::i32;
    if (is(H5T_STD_I8LE) || is(H5T_STD_I8BE))
        return data_type::i8;
    if (is(H5T_STD_U8LE) || is(H5T_STD_U8BE))
        return data_type::u8;
    if (H5Tget_class(stored) != H5T_FLOAT)
        return std::nullopt;
    return is_small(half)    ? std::optional(data_type::f16)
           : is_small(brain) ? std::optional(data_type::bf16)
                             : std::nullopt;
}

bool is_named(hid_t compound, unsigned member, const char *wanted) {
    char *const name = H5Tget_member_name(compound, member);
    const bool same = name != nullptr && std::string(name) == wanted;
    H5free_memory(name);
    return same;
}

} // namespace

handle native_type(data_type type) {
    handle part = base::with_any_type(
        type, []<class T>(T) { return native_number(typename element_traits<T>::real{}); });
    if (!is_complex(type))
        return part;
    const auto size = static_cast<std::size_t>(size_of(real_type_of(type)));
    handle compound(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    if (H5Tinsert(compound.get(), "r", 0, part.get()) < 0 ||
        H5Tinsert(compound.get(), "i", size, part.get()) < 0)
        return {};
    return compound;
}

std::optional<data_type> element_type(hid_t stored) {
    if (H5Tget_class(stored) != H5T_COMPOUND)
        return number_type(stored);
    if (H5Tget_nmembers(stored) != 2)
        return std::nullopt;
    const bool swapped = is_named(stored, 0, "i");
    if (!is_named(stored, swapped ? 1 : 0, "r") || !is_named(stored, swapped ? 0 : 1, "i"))
        return std::nullopt;
    const handle r(H5Tget_member_type(stored, 0), H5Tclose);
    const handle i(H5Tget_member_type(stored, 1), H5Tclose);
    const std::optional<data_type> part = number_type(r.get());
    if (!part || part != number_type(i.get()))
        return std::nullopt;
    return complex_type_of(*part);
}

} // namespace tenfold::hdf5_impl
