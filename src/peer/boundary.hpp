// The boundary of the library: every exception that passes it becomes an Error, which names options
// in the caller's way.
#pragma once

#include <conch/peer.hpp>
#include <string>
#include <string_view>

namespace conch::peer {

/// Inside the library, texts name options as the command does, e.g. `--join`. This replaces those
/// names by the ones that the caller uses. Text between backticks is a shell command and stays as
/// it is.
std::string in_words_of(OptionNames names, std::string_view text);

/// Call it while an exception is being handled: throws an Error with the same message.
[[noreturn]] void rethrow_as_error(OptionNames names);

/// Runs the body of a public call.
template <class Call>
auto at_boundary(OptionNames names, const Call& call) {
  try {
    return call();
  } catch (...) {
    rethrow_as_error(names);
  }
}

}  // namespace conch::peer
