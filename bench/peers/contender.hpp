// What is compared: ways to have a lock among processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection.hpp"
#include "process.hpp"

namespace conch::bench {

/// A process's way to the locks. Used by that process alone.
class Entrant {
 public:
  virtual ~Entrant() = default;
  virtual void lock(int which) = 0;
  virtual void unlock(int which) = 0;
  /// Since it was made.
  virtual Traffic traffic() const = 0;
};

class Contender {
 public:
  explicit Contender(std::string name) : name_(std::move(name)) {}
  virtual ~Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  const std::string& name() const { return name_; }

  /// Starts what it needs, and waits until that works. Throws a sentence if that is impossible.
  virtual void start() {}
  virtual void stop() {}
  /// Whatever runs for it stands still while others are measured, but keeps what it has warmed up.
  virtual void pause() {}
  virtual void resume() {}
  /// Before processes enter: names for locks that nobody has used. Only Conch is asked for more
  /// than one.
  virtual void prepare(int locks) = 0;

  // In a process of its own, because who talks to a server may have to wait for ever.

  /// When all processes' calls have returned, each could lock at once.
  virtual std::unique_ptr<Entrant> enter(int process) = 0;
  /// What has been started, in its own words.
  virtual std::string version() { return {}; }

 private:
  std::string name_;
};

/// One that needs a server.
class Served : public Contender {
 public:
  using Contender::Contender;

  void start() final;
  void stop() final;
  void pause() final;
  void resume() final;

 protected:
  /// The folder is empty, and removed after the server's end. What the server says goes to `log`.
  virtual Process serve(const std::filesystem::path& folder) = 0;

 private:
  bool works();
  void await_readiness();
  [[noreturn]] void fail_to_start();

  std::optional<TemporaryFolder> folder_;
  std::optional<Process> server_;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

std::unique_ptr<Contender> minimal_server();
/// A token in a list.
std::unique_ptr<Contender> redis_list();
/// A key with a time to live.
std::unique_ptr<Contender> redis_set();
std::unique_ptr<Contender> etcd();
std::unique_ptr<Contender> zookeeper();

std::unique_ptr<Contender> conch_peers(const std::string& algorithm, Transport transport);

}  // namespace conch::bench
