// How another thread ends a call early, for programs in C++17. Where std::stop_token exists, each
// converts to the other implicitly. Any number of threads may use these objects.
#pragma once

#include <conch/export.hpp>
#include <memory>
#include <utility>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_jthread
#include <stop_token>
#endif

namespace conch {

/// Tells a call that it should end early. Copies belong to the same source.
class CONCH_API StopToken {
 public:
  /// A token that never asks for a stop.
  StopToken() = default;
#ifdef __cpp_lib_jthread
  StopToken(std::stop_token token) : token_(std::make_shared<std::stop_token>(std::move(token))) {}
  operator std::stop_token() const {
    return token_ ? *static_cast<const std::stop_token*>(token_.get()) : std::stop_token();
  }
#endif

  bool stop_requested() const;

 private:
  /// A std::stop_token, whose type programs in C++17 cannot name; the library can.
  std::shared_ptr<const void> token_;
};

/// The side that requests the stop.
class CONCH_API StopSource {
 public:
  StopSource();

  StopToken get_token() const;
  /// Requests the stop; every token of this source reports it from now on.
  void request_stop();

 private:
  struct CONCH_PRIVATE State;
  std::shared_ptr<State> state_;
};

}  // namespace conch
