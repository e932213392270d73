// For tests that wait for something that a child does.
#pragma once

#include <unistd.h>

#include <array>
#include <stdexcept>

#include "register/directory.hpp"

namespace conch {

/// Its two ends.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    out = file::Descriptor(ends[0]);
    in = file::Descriptor(ends[1]);
  }
  file::Descriptor out;
  file::Descriptor in;
};

}  // namespace conch
