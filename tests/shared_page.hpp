// A value that the processes of a test share, in a mapped file. It begins as zeroes and survives
// when a process is killed.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace conch::testing {

template <class T>
class SharedPage {
 public:
  explicit SharedPage(const std::string& file) {
    int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::ftruncate(descriptor, sizeof(T)) != 0)
      throw std::runtime_error("cannot make " + file);
    void* memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + file);
    page_ = static_cast<T*>(memory);
  }
  ~SharedPage() { ::munmap(page_, sizeof(T)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  T* operator->() const { return page_; }
  T& operator*() const { return *page_; }

 private:
  T* page_;
};

}  // namespace conch::testing
