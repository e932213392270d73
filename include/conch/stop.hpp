// How another thread ends a call early, for programs in C++17. Where there is std::stop_token, each
// becomes the other by itself. Objects of these classes may be used by any number of threads.
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

/// What a call looks at that may be ended early. Copies belong to the same source.
class CONCH_API StopToken {
 public:
  /// Nobody will ask.
  StopToken() = default;
#ifdef __cpp_lib_jthread
  StopToken(std::stop_token token) : token_(std::make_shared<std::stop_token>(std::move(token))) {}
  operator std::stop_token() const {
    return token_ ? *static_cast<const std::stop_token*>(token_.get()) : std::stop_token();
  }
#endif

  bool stop_requested() const;

 private:
  /// A std::stop_token, which programs in C++17 cannot name; the library can.
  std::shared_ptr<const void> token_;
};

/// The side that requests the stop.
class CONCH_API StopSource {
 public:
  StopSource();

  StopToken get_token() const;
  /// From here on, whoever looks at a token of this source finds that a stop was requested.
  void request_stop();

 private:
  struct CONCH_PRIVATE State;
  std::shared_ptr<State> state_;
};

}  // namespace conch
