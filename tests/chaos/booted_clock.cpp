// Hides from the processes of a rebooted site that it has its own time namespace: a peer that saw
// it would count from the boot of the machine below. Linked into the workers, and preloaded into
// `conch`.
#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

#pragma GCC visibility push(default)
extern "C" ssize_t readlink(const char* path, char* target, std::size_t room) noexcept {
  constexpr std::string_view machine = "time:[4026531834]";
  if (std::string_view(path) == "/proc/self/ns/time")
    return static_cast<ssize_t>(machine.copy(target, room));
  return ::syscall(SYS_readlink, path, target, room);
}
#pragma GCC visibility pop
