// The numbers that TAPP's programs hold for our objects. They are no addresses: a number that was
// never given, or whose object is destroyed, is found out, whatever it is.
#pragma once

#include <cstdint>
#include <memory>

namespace tenfold::tapp_impl {

/// Whose number it is. Statuses and failed products are in the number itself (encoded.hpp).
enum class kind : std::uint8_t {
    handle = 1,
    executor,
    tensor_info,
    product,
    status,
    failed_product
};

class object {
public:
    object() = default;
    object(const object &) = delete;
    object &operator=(const object &) = delete;
    virtual ~object() = default;
};

/// The lowest bits of a number are its kind.
constexpr int bits_of_kind = 4;
constexpr kind kind_of(std::intptr_t number) noexcept {
    return static_cast<kind>(number & ((1 << bits_of_kind) - 1));
}

/// Gives the object a number, which no other one will have. Throws std::bad_alloc.
std::intptr_t publish(kind of, std::unique_ptr<object> made);

/// Null for a number without an object. Takes a few nanoseconds and no lock.
object *find(std::intptr_t number) noexcept;

/// Destroys the object. False if there is none.
bool destroy(std::intptr_t number) noexcept;

/// Null for the number of another kind, too.
template <class T> T *find(std::intptr_t number) noexcept {
    return kind_of(number) == T::own_kind ? static_cast<T *>(find(number)) : nullptr;
}

/// Publishes and returns the number of a T.
template <class T> std::intptr_t publish(std::unique_ptr<T> made) {
    return publish(T::own_kind, std::move(made));
}

} // namespace tenfold::tapp_impl
