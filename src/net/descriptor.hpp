// Owns a file descriptor and closes it.
#pragma once

#include <unistd.h>

#include <utility>

#include "net/close_on_fork.hpp"

namespace conch::net {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor former(std::exchange(number_, std::exchange(other.number_, -1)));
    return *this;
  }
  ~Descriptor() {
    if (number_ < 0) return;
    forget_on_fork(number_);
    ::close(number_);
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace conch::net
