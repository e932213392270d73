// One object of a kind for each process. A forked child has a new one: in its parent's, mutexes may
// be locked for ever, and what is there is the parent's.
#pragma once

#include <pthread.h>

#include <atomic>

namespace conch::capi {

/// Never destroyed: threads may use it when the process ends. `succeed` makes the one of a child.
template <class T, class Succeed>
T& own_in_each_process(Succeed) {
  struct Own {
    std::atomic<T*> object = new T;
    /// So that no search for leaks complains about the parent's.
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
