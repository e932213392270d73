// A pipe between processes that a test or a benchmark forks. It is closed when one of them runs
// another program.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "net/descriptor.hpp"

namespace conch {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    out = net::Descriptor(ends[0]);
    in = net::Descriptor(ends[1]);
  }
  net::Descriptor out;
  net::Descriptor in;
};

}  // namespace conch
