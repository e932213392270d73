// Where the library ends: what goes through here is an Error, in the words of whoever called.
#pragma once

#include <conch/peer.hpp>
#include <string>
#include <string_view>

namespace conch::peer {

/// Inside, options are called what the command calls them, as in `--join`. Whoever set them in
/// another way reads the name by which it knows them. What stands between backticks is something to
/// type into a shell, and stays as it is.
std::string in_words_of(OptionNames names, std::string_view text);

/// Called while an exception is being handled: throws an Error that says the same.
[[noreturn]] void rethrow_as_error(OptionNames names);

/// Does what a public call does.
template <class Call>
auto at_boundary(OptionNames names, const Call& call) {
  try {
    return call();
  } catch (...) {
    rethrow_as_error(names);
  }
}

}  // namespace conch::peer
