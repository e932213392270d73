// What the library throws. Every message says what was wrong and what to do.
#pragma once

#include <stdexcept>

namespace conch {

/// The group cannot be used as asked: a bad option, a directory that is not ours, a group that runs
/// another algorithm, a register that cannot be reached.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace conch
