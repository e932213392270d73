// A singleton per process. A forked child gets a new one: in the parent's, mutexes may be locked
// for ever, and its contents belong to the parent.
#pragma once

#include <pthread.h>

#include <atomic>

namespace conch::capi {

/// The object is never destroyed, as threads may use it when the process ends. `succeed` makes a
/// child's object from its parent's.
template <class T, class Succeed>
T& own_in_each_process(Succeed) {
  struct Own {
    std::atomic<T*> object = new T;
    /// Keeps the parent's object reachable, so that leak checkers do not complain.
    T* inherited = nullptr;

    Own() {
      ::pthread_atfork(nullptr, nullptr, [] {
        own().inherited = own().object;
        own().object = Succeed{}(*own().inherited);
      });
    }
    static Own& own() {
      static auto* it = new Own;
      return *it;
    }
  };
  return *Own::own().object;
}

}  // namespace conch::capi
