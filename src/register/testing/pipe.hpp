// A pipe, for tests that wait for something in a child process.
#pragma once

#include <unistd.h>

#include <array>
#include <stdexcept>

#include "register/directory.hpp"

namespace conch {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    out = net::Descriptor(ends[0]);
    in = net::Descriptor(ends[1]);
  }
  net::Descriptor out;
  net::Descriptor in;
};

}  // namespace conch
