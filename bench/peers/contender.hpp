// The contenders of the benchmark: ways to have a lock among processes.
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

/// The connection of one process to the locks. Only that process uses it.
class Entrant {
 public:
  virtual ~Entrant() = default;
  virtual void lock(int which) = 0;
  virtual void unlock(int which) = 0;
  /// The traffic since the object was made.
  virtual Traffic traffic() const = 0;
};

class Contender {
 public:
  explicit Contender(std::string name) : name_(std::move(name)) {}
  virtual ~Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  const std::string& name() const { return name_; }

  /// Starts what it needs, and waits until that works. Throws an exception that says why it cannot.
  virtual void start() {}
  virtual void stop() {}
  /// Stops its processes while others are measured; they stay warm.
  virtual void pause() {}
  virtual void resume() {}
  /// Called before processes enter: chooses names for new locks. Only Conch gets more than one.
  virtual void prepare(int locks) = 0;

  // Called in a process of its own, because a client of a server may have to wait for ever.

  /// When the calls of all processes have returned, each process can lock at once.
  virtual std::unique_ptr<Entrant> enter(int process) = 0;
  /// The version of the software, as that reports it.
  virtual std::string version() { return {}; }

 private:
  std::string name_;
};

/// A contender that needs a server.
class Served : public Contender {
 public:
  using Contender::Contender;

  void start() final;
  void stop() final;
  void pause() final;
  void resume() final;

 protected:
  /// The folder is empty, and is removed after the server has ended. The server's output goes to
  /// `log`.
  virtual Process serve(const std::filesystem::path& folder) = 0;

 private:
  bool works();
  void await_readiness();
  [[noreturn]] void fail_to_start();

  std::optional<ScratchFolder> folder_;
  std::optional<Process> server_;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

std::unique_ptr<Contender> minimal_server();
/// Redis with a token in a list.
std::unique_ptr<Contender> redis_list();
/// Redis with a key that has a time to live.
std::unique_ptr<Contender> redis_set();
std::unique_ptr<Contender> etcd();
std::unique_ptr<Contender> zookeeper();

std::unique_ptr<Contender> conch_peers(const std::string& algorithm, Transport transport);

}  // namespace conch::bench
