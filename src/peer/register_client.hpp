// Uses the register in a thread of its own: the register writes to a disk or waits for a network,
// and locks must not wait for that.
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

/// Gets the results; the client's thread makes all calls.
class RegisterListener {
 public:
  virtual ~RegisterListener() = default;
  virtual void answered(const PeerInstance& asker, const recovery::RegisterAnswer& answer) = 0;
  /// The register may have a new view, or a lease has ended.
  virtual void register_changed() = 0;
  /// The register cannot be used at the moment. Called once for each kind of failure, until it
  /// works again; then called with an empty text.
  virtual void register_trouble(const std::string& why) = 0;
};

/// Any number of threads may use it.
class RegisterClient {
 public:
  /// With `proves`, a life of this process has a proof before its first renewal is answered.
  RegisterClient(std::unique_ptr<Register> reg, RegisterListener& listener, bool proves = false);
  /// Ends the leases of this process's lives.
  ~RegisterClient();
  RegisterClient(const RegisterClient&) = delete;
  RegisterClient& operator=(const RegisterClient&) = delete;

  /// Declares that this process is that life from now on.
  void attach(const PeerInstance& life);
  /// Queues a question. It replaces a queued question of the same kind by the same asker, which no
  /// longer waits for that answer. So a slow register is never behind by more than one question of
  /// each kind and asker.
  void ask(const PeerInstance& asker, recovery::RegisterRequest ask);
  /// A life of this process is over and has released everything.
  void end(const PeerInstance& life);
  /// A descriptor that keeps this life's lease alive while it is open; see Register::proof. Waits
  /// for the client's thread.
  net::Descriptor proof(const PeerInstance& life);
  /// The proof that the client already has, or -1. Does not wait.
  int known_proof(const PeerInstance& life);
  /// Stops the thread: no more questions are answered, and the listener is not called any more.
  void close();

 private:
  /// Returns whether the register was used successfully. Throws if it cannot be used.
  using Work = std::function<bool(Register&)>;
  /// The asker and the kind of question.
  struct Topic {
    PeerInstance asker;
    std::size_t kind;
    bool operator==(const Topic&) const = default;
  };
  struct Job {
    Work work;
    std::optional<Topic> topic = {};
  };

  /// The last failure of a kind of question, and when it happened.
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
  void answer(const PeerInstance& asker, const recovery::RegisterRequest& ask);
  ProposalResult renew_and_read(const PeerInstance& life);
  void prove(const PeerInstance& life);
  void failed(const Job& job, const std::exception& error);
  void succeeded(const Job& job);
  static std::size_t kind_of(const Job& job) { return job.topic ? job.topic->kind : 0; }

  std::unique_ptr<Register> register_;
  RegisterListener& listener_;
  net::Descriptor wake_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool closing_ = false;
  // Only the client's thread uses these.
  bool has_read_ = false;
  /// By kind of question: on a full disk, reads work but proposals do not.
  std::map<std::size_t, Trouble> troubles_;
  /// How many times in a row the client has backed off.
  unsigned rests_ = 0;
  std::vector<PeerInstance> unattached_;
  std::vector<PeerInstance> lives_;
  bool proves_;
  /// The proof of the newest life; guarded by the mutex.
  std::pair<PeerInstance, net::Descriptor> proof_;
  std::thread thread_;
};

}  // namespace conch::peer
