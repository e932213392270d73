// The interpreter's lock, which no thread keeps while it waits for peers or for the peer's own
// lock.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace conch::python {

/// Calls without the interpreter's lock. When the interpreter ends, PyEval_RestoreThread ends the
/// threads that come back to it: so it is not called in a destructor, which must not be unwound.
template <class Call>
auto without_gil(Call&& call) {
  using Result = std::invoke_result_t<Call>;
  std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
  std::exception_ptr failure;
  PyThreadState* state = PyEval_SaveThread();
  try {
    if constexpr (std::is_void_v<Result>) {
      std::forward<Call>(call)();
    } else {
      result.emplace(std::forward<Call>(call)());
    }
  } catch (...) {
    failure = std::current_exception();
  }
  PyEval_RestoreThread(state);
  if (failure) std::rethrow_exception(failure);
  if constexpr (!std::is_void_v<Result>) return std::move(*result);
}

}  // namespace conch::python
