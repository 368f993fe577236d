// A reference to a function or lambda, to be called while it lives. Unlike std::function it never
// allocates, so that taking one cannot fail.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tenfold::base {

template <class Signature> class function_ref;

template <class Result, class... Arguments> class function_ref<Result(Arguments...)> {
public:
    template <class Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, function_ref> &&
             std::is_invocable_r_v<Result, const Function &, Arguments...>)
        function_ref(const Function &function)
    noexcept
        : function_(std::addressof(function)),
          call_([](const void *called, Arguments... arguments) -> Result {
              return (*static_cast<const Function *>(called))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return call_(function_, std::forward<Arguments>(arguments)...);
    }

private:
    const void *function_;
    Result (*call_)(const void *, Arguments...);
};

} // namespace tenfold::base
