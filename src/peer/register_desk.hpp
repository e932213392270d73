// Asks the register, in a thread of its own: it writes to the disk, or waits for
// a network, and locks do not wait for that.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "recovery/register_talk.hpp"
#include "register/register.hpp"

namespace conch::peer {

/// Who is told; by the desk's thread.
class RegisterListener {
 public:
  virtual ~RegisterListener() = default;
  virtual void answered(const recovery::Life& asker, const recovery::Answer& answer) = 0;
  /// The register has something new.
  virtual void register_changed() = 0;
  /// It cannot be used at the moment. Said once for each new reason; empty: it can be, again.
  virtual void register_trouble(const std::string& why) = 0;
};

/// May be used by any number of threads.
class RegisterDesk {
 public:
  RegisterDesk(std::unique_ptr<Register> reg, RegisterListener& listener);
  /// Ends the leases of the lives that are this process.
  ~RegisterDesk();
  RegisterDesk(const RegisterDesk&) = delete;
  RegisterDesk& operator=(const RegisterDesk&) = delete;

  /// This process is that life from now on.
  void attach(const recovery::Life& life);
  /// A question of the same kind that this asker has put before, and that nobody has begun to
  /// answer, gives way: whoever asks again no longer waits for that. So a slow register is never
  /// behind by more than one question of each kind.
  void ask(const recovery::Life& asker, recovery::Ask ask);
  /// What keeps this life alive while it is open; see Register::proof. Waits for it.
  file::Descriptor proof(const recovery::Life& life);
  /// Asks no more, and does not call the listener any more.
  void close();

 private:
  /// Whether the register has answered. Throws if it cannot.
  using Work = std::function<bool(Register&)>;
  /// Who asks, and for what.
  struct Topic {
    recovery::Life asker;
    std::size_t kind;
    bool operator==(const Topic&) const = default;
  };
  struct Job {
    Work work;
    std::optional<Topic> topic = {};
  };

  void put(Job job);
  void run();
  bool await_event();
  bool work();
  void answer(const recovery::Life& asker, const recovery::Ask& ask);
  void report(const std::string& trouble);

  std::unique_ptr<Register> register_;
  RegisterListener& listener_;
  file::Descriptor wake_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool closing_ = false;
  // Of the thread.
  bool has_read_ = false;
  std::string trouble_;
  std::vector<recovery::Life> lives_;
  std::thread thread_;
};

}  // namespace conch::peer
