// The node::World of a real process: sockets, a register, memory shared with the keepers of
// commands, and a log.
#pragma once

#include <conch/peer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "net/sockets.hpp"
#include "node/world.hpp"
#include "peer/directories.hpp"
#include "peer/presence.hpp"
#include "peer/register_client.hpp"
#include "register/lease_page.hpp"

namespace conch::peer {

class DataMover;

/// What RealWorld needs from the process around it; the engine implements it.
class HostProcess {
 public:
  virtual ~HostProcess() = default;
  virtual void phase_changed() = 0;
  virtual void keep_house() = 0;
  virtual void log(const std::string& line, LogLevel level) const = 0;
};

/// Call everything under the engine's guard, except as noted.
class RealWorld final : public node::World {
 public:
  RealWorld(HostProcess& process, DataMover& data, std::uint64_t seed);

  void open(net::SocketsOptions options) { sockets_.emplace(std::move(options)); }
  void open(std::unique_ptr<Register> reg, RegisterListener& listener, bool proves);
  void be_present(const std::string& state) { presence_.emplace(state); }
  /// Call it without the guard: joins the register's threads.
  void close_register() {
    if (register_) register_->close();
  }
  void close();

  /// Empty after `close`.
  std::optional<net::Sockets>& sockets() { return sockets_; }
  const std::optional<net::Sockets>& sockets() const { return sockets_; }
  bool has_register() const { return register_ != nullptr; }
  void describe(std::string command) { command_ = std::move(command); }

  /// While a copy of this descriptor is open, nobody takes this life for dead; empty if the
  /// register is on another machine. Call it without the guard, as it waits for the register's
  /// thread.
  net::Descriptor proof(const PeerInstance& life);
  /// The page that shows how long this life's lease runs; empty without a register.
  net::Descriptor lease_page();

  bool let_in(node::ClientId client, std::string_view reply) override;
  wire::ClientProcess process_of(node::ClientId client) const override {
    return sockets_->process_of(client);
  }
  Incarnation draw_incarnation(Incarnation before) override;
  void begin_life(const PeerInstance& life) override;
  void end_life(const PeerInstance& life) override { register_->end(life); }
  void ask(const PeerInstance& asker, recovery::RegisterRequest ask) override {
    register_->ask(asker, std::move(ask));
  }
  void show_lease(Time until, Duration length) override;
  void end_lease() override;
  std::shared_ptr<node::Block> make_block(std::uint64_t capacity) override;
  void begin(node::Transfer transfer) override;
  void abort(std::uint64_t number) override;
  void count_data(std::uint64_t sent, std::uint64_t received) override;
  void save_data(const std::string& lock, node::Block& block) override;
  void forget_saved(const std::string& lock) override;
  std::vector<std::string> saved_locks() override;
  std::shared_ptr<node::Block> load_data(const std::string& lock, std::uint64_t version) override;
  void phase_changed() override { process_.phase_changed(); }
  void roster_changed(const recovery::View& view) override;
  void keep_house() override;
  Duration draw(Duration least, Duration most) override;
  void log(const std::string& line, LogLevel level) override { process_.log(line, level); }
  wire::ClientProcess process() const override;
  std::string command() const override;
  std::string host() const override;
  Fence fence_floor() const override;

 private:
  std::vector<net::Descriptor> pledges();

  HostProcess& process_;
  DataMover& data_;
  Random random_;
  PeerInstance life_;
  std::optional<net::Sockets> sockets_;
  std::unique_ptr<RegisterClient> register_;
  std::optional<Presence> presence_;
  /// The page of this life, made when first asked for.
  std::unique_ptr<file::LeasePage> lease_page_;
  std::optional<Time> lease_until_;
  Duration lease_length_{};
  std::string command_;
};

}  // namespace conch::peer
