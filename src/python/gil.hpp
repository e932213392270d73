// The GIL (the interpreter's lock). A thread must not hold it while it waits for peers or for the
// peer's own mutex.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace conch::python {

/// Makes a call without the GIL. Do not use it in a destructor: while the interpreter shuts down,
/// PyEval_RestoreThread ends the calling thread by unwinding its stack.
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
