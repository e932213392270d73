#include "peer/trace_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <conch/error.hpp>
#include <csignal>
#include <cstring>

#include "core/hash.hpp"
#include "net/clock.hpp"
#include "net/descriptor.hpp"
#include "register/clock.hpp"
#include "register/register.hpp"

namespace conch::peer {

using trace::Happening;
using trace::Line;

namespace {

/// How old a line may become before it is written, and how many bytes are worth a write.
constexpr auto writing_period = std::chrono::milliseconds(50);
constexpr std::size_t worth_writing = std::size_t{1} << 18;

/// Restricts the file to this user, as a trace tells who holds what. A pipe is left as it is:
/// whoever made it has chosen its readers.
void close_to_others(int opened, const std::string& file) {
  struct stat found {};
  if (::fstat(opened, &found) == 0 && !S_ISREG(found.st_mode)) return;
  if (found.st_uid != ::geteuid())
    throw Error(fmt::format("the trace {} belongs to user {}, this is user {}; choose another file",
                            file, found.st_uid, ::geteuid()));
  if (::fchmod(opened, S_IRUSR | S_IWUSR) != 0)
    throw Error(ErrorCode::misconfigured,
                fmt::format("the trace {}: {}", file, std::strerror(errno)));
}

net::Descriptor open_to_write(const std::string& file) {
  net::Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!opened)
    throw Error(ErrorCode::misconfigured,
                fmt::format("the trace {}: {}", file, std::strerror(errno)));
  close_to_others(opened.number(), file);
  if (::flock(opened.number(), LOCK_EX | LOCK_NB) != 0)
    throw Error(
        ErrorCode::misconfigured,
        fmt::format("the trace {} is being written by another peer: give each peer its own file",
                    file));
  if (::ftruncate(opened.number(), 0) != 0 && errno != EINVAL)  // A pipe cannot be truncated.
    throw Error(ErrorCode::misconfigured,
                fmt::format("the trace {}: {}", file, std::strerror(errno)));
  return opened;
}

}  // namespace

TraceFile::TraceFile(Options options)
    : options_(std::move(options)), file_(open_to_write(options_.file)) {
  thread_ = std::thread([this] { write_to_file(); });
}

TraceFile::~TraceFile() {
  {
    std::lock_guard guard(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// Lines.

void TraceFile::born(const PeerInstance& life) {
  TraceWriter::born(life);
  std::lock_guard guard(mutex_);
  life_ = life_of(life);
}

Time TraceFile::now() const { return net::steady_now(); }

std::string TraceFile::clock() const try {
  return fmt::format("clock {:x}", hash64(file::clock_name()));
} catch (const RegisterError&) {
  return "";
}

void TraceFile::write(const Line& line) {
  std::unique_lock guard(mutex_);
  if (kept_.size() >= options_.kept_bytes_max) return void(++missed_);
  std::size_t before = kept_.size();
  trace::append(kept_, line);
  bool is_enough = before < worth_writing && worth_writing <= kept_.size();
  guard.unlock();
  if (is_enough) changed_.notify_one();
}

/// The gap follows the events that were kept before it, and precedes those that come.
void TraceFile::write_gap() {
  std::string missed = fmt::format("{} events", std::exchange(missed_, 0));
  Line gap = line(Happening::gap);
  gap.life = life_;
  gap.detail = missed;
  trace::append(kept_, gap);
}

// The file.

void TraceFile::write_to_file() {
  refuse_broken_pipes();
  std::string text;
  std::unique_lock guard(mutex_);
  bool works = true;
  while (!ends_ || !kept_.empty()) {
    changed_.wait_for(guard, writing_period,
                      [&] { return ends_ || kept_.size() >= worth_writing; });
    std::swap(text, kept_);
    if (missed_ > 0) write_gap();
    guard.unlock();
    if (works && !text.empty() && !write_out(text)) {
      works = false;
      if (options_.log) options_.log("the trace ends here: " + std::string(std::strerror(errno)));
    }
    text.clear();
    guard.lock();
  }
}

/// A trace may be a pipe. If its reader goes, `write` fails in this thread; the signal that comes
/// with that would end the process.
void TraceFile::refuse_broken_pipes() {
  sigset_t broken_pipe;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

bool TraceFile::write_out(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(file_.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace conch::peer
