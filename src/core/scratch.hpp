// One object per thread that is used again and again, so that nothing is allocated.
//
// Thread-local objects are destroyed before the exit handlers of the program run. A peer that
// leaves in one of those gets a new object for each use.
#pragma once

#include <utility>

namespace conch {

template <class T>
class Scratch {
 public:
  template <class Use>
  static decltype(auto) use(Use&& use) {
    if (is_destroyed_) {
      T fresh{};
      return use(fresh);
    }
    thread_local Scratch scratch;
    return use(scratch.object_);
  }

 private:
  Scratch() = default;
  ~Scratch() { is_destroyed_ = true; }

  T object_{};
  static inline thread_local bool is_destroyed_ = false;
};

}  // namespace conch
