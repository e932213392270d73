// An object in memory that is shared with processes forked from here on.
#pragma once

#include <sys/mman.h>

#include <new>
#include <stdexcept>
#include <type_traits>

namespace conch {

/// Its pages are mapped from the beginning, so that no measurement contains a page fault.
template <class T>
class SharedState {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  SharedState() {
    void* memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot allocate shared memory");
    object_ = new (memory) T;
  }
  ~SharedState() { ::munmap(object_, sizeof(T)); }
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  T* operator->() { return object_; }
  T& operator*() { return *object_; }

 private:
  T* object_;
};

}  // namespace conch
