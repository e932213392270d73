// `conch lock` with locks that are files of this machine, in the folder $LOCKS. They are lost when
// a process opens and closes the FIFO $LOCKS/lost.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <conch/error.hpp>
#include <cstdlib>
#include <iostream>

#include "cli/borrowed_lock.hpp"
#include "cli/commands.hpp"
#include "register/directory.hpp"

namespace conch::cli {
namespace {

class LockedFile : public BorrowedLock {
 public:
  explicit LockedFile(const LockWish& wish)
      : folder_(std::string(std::getenv("LOCKS")) + "/"), wish_(wish) {
    if (wish.group == "forbidden") throw Error("this group is forbidden");
  }

  LockReply acquire(const Patience& patience, int interrupt) override {
    wish_.log("waiting for " + wish_.lock);
    auto began = std::chrono::steady_clock::now();
    file_ =
        net::Descriptor(::open((folder_ + wish_.lock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    lost_ = net::Descriptor(::open((folder_ + "lost").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    while (::flock(file_.number(), (wish_.shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
      if (patience.once) return NotObtained{"it was not free"};
      if (patience.wait && std::chrono::steady_clock::now() > began + *patience.wait)
        return NotObtained{"it was not free in time"};
      pollfd one{interrupt, POLLIN, 0};
      if (::poll(&one, 1, 2) > 0) return Interrupted{};
    }
    return Obtained{next_fence()};
  }
  std::vector<net::Descriptor> take_kept() override {
    std::vector<net::Descriptor> kept;
    kept.emplace_back(::fcntl(file_.number(), F_DUPFD_CLOEXEC, 0));
    return kept;
  }
  int lost() const override { return lost_.number(); }
  void release() override { ::flock(file_.number(), LOCK_UN); }

 private:
  std::uint64_t next_fence() const {
    std::uint64_t fence = 0;
    if (::pread(file_.number(), &fence, sizeof fence, 0) < 0) throw Error("no fence");
    ++fence;
    if (::pwrite(file_.number(), &fence, sizeof fence, 0) < 0) throw Error("no fence");
    return fence;
  }
  std::string folder_;
  LockWish wish_;
  net::Descriptor file_;
  net::Descriptor lost_;
};

}  // namespace

std::unique_ptr<BorrowedLock> borrow(const LockWish& wish) {
  return std::make_unique<LockedFile>(wish);
}

}  // namespace conch::cli

int main(int argc, char** argv) {
  using namespace conch::cli;
  CLI::App app;
  app.require_subcommand(1);
  Invocation invocation{{argv + 1, argv + argc}, Exit::held};
  add_lock_command(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "conch: " << error.what() << "\n";
    return 1;
  }
  return static_cast<int>(invocation.exit);
}
