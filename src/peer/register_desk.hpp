// Asks the register, in a thread of its own: it writes to the disk, or waits for
// a network, and locks do not wait for that.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <map>
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
  /// It cannot be used at the moment. Said once for each kind of failure, until that changes;
  /// empty: it can be used again.
  virtual void register_trouble(const std::string& why) = 0;
};

/// May be used by any number of threads.
class RegisterDesk {
 public:
  /// `proves`: for each life that is this process there is a proof before its first renewal is
  /// answered.
  RegisterDesk(std::unique_ptr<Register> reg, RegisterListener& listener, bool proves = false);
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
  /// This life of ours is over, and has let go of everything.
  void end(const recovery::Life& life);
  /// What keeps this life alive while it is open; see Register::proof. Waits for it.
  file::Descriptor proof(const recovery::Life& life);
  /// Does not wait: the one that it has, or -1.
  int known_proof(const recovery::Life& life);
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

  /// Why one kind of question was not answered last, and when that was.
  struct Trouble {
    std::string kind;
    Time when;
  };

  void put(Job job);
  void run();
  bool await_event();
  void rest();
  bool is_closing();
  bool work();
  void attach_all();
  void answer(const recovery::Life& asker, const recovery::Ask& ask);
  Verdict renew_and_read(const recovery::Life& life);
  void prove(const recovery::Life& life);
  void failed(const Job& job, const std::exception& error);
  void succeeded(const Job& job);
  static std::size_t kind_of(const Job& job) { return job.topic ? job.topic->kind : 0; }

  std::unique_ptr<Register> register_;
  RegisterListener& listener_;
  file::Descriptor wake_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool closing_ = false;
  // Of the thread.
  bool has_read_ = false;
  /// By the kind of question: on a full disk one can look, but not propose.
  std::map<std::size_t, Trouble> troubles_;
  /// How often in a row one has rested because of them.
  unsigned rests_ = 0;
  std::vector<recovery::Life> unattached_;
  std::vector<recovery::Life> lives_;
  bool proves_;
  /// The proof of the newest life; guarded by the mutex.
  std::pair<recovery::Life, file::Descriptor> proof_;
  std::thread thread_;
};

}  // namespace conch::peer
