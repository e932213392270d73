// What is around a node: what it has done there, and what it can see. The peer that ships has
// sockets, a register and threads behind it (peer/engine.hpp), the simulator has nothing but memory
// (sim/survival.hpp); a node does not know which.
//
// Whatever is called here happens in the order in which it is called, and none of it calls the node
// back before it returns.
#pragma once

#include <conch/log.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/any_steward.hpp"
#include "node/talk.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/view.hpp"
#include "wire/client.hpp"

namespace conch::node {

using recovery::Life;
using wire::ClientId;

class World {
 public:
  virtual ~World() = default;

  // Other lives. What is sent to one comes there once and in order, or it is told to be `broken`.

  /// False if nobody knows where it is: then nothing is sent.
  virtual bool send(const Life& to, std::string_view payload) = 0;
  /// Where a life is. One that was forgotten is not known again. Empty if only it can tell: what is
  /// sent to it waits until it calls.
  virtual void know(const Life& life, const std::string& address) = 0;
  /// Nothing more comes from it or goes to it.
  virtual void forget(const Life& life) = 0;
  /// Finds out who is at this address, and tells the node when it knows.
  virtual void contact(const std::string& address) = 0;
  /// The protocol version agreed with this life; 0 if there was no connection yet.
  virtual std::uint32_t version_with(const Life& life) const = 0;
  /// For how long each life has left something unacknowledged, of those that do.
  virtual std::vector<std::pair<Life, Duration>> unacknowledged(Time now) const = 0;

  // Clients.

  virtual void send(ClientId client, std::string_view reply) = 0;
  /// It enters: with what its keeper needs to outlast this process.
  virtual void let_in(ClientId client, std::string_view reply) = 0;
  /// Disconnects it after what was sent.
  virtual void dismiss(ClientId client) = 0;
  /// There are more than can be served: it may look, and should not stay.
  virtual bool is_surplus(ClientId client) const = 0;
  virtual wire::ClientProcess process_of(ClientId client) const = 0;

  // Lives of this peer, and the register.

  virtual recovery::Incarnation draw_incarnation(recovery::Incarnation before) = 0;
  /// This process is that life from now on; everything is said to others by it.
  virtual void begin_life(const Life& life) = 0;
  /// A life of this peer that is over, and has let go of everything.
  virtual void end_life(const Life& life) = 0;
  /// Ends in `answered`, or in nothing.
  virtual void ask(const Life& asker, recovery::Ask ask) = 0;
  /// Where keepers of commands look: how long the lease runs, of what length it is; or that it is
  /// over.
  virtual void show_lease(Time until, Duration length) = 0;
  virtual void end_lease() = 0;

  // Data that travel with locks.

  /// The lock is about to be sent to this one, and tells of these data: they may go ahead.
  virtual void enclose(const Life& to, const std::string& lock, const DataRef& data) = 0;
  virtual void take_enclosure(Enclosure enclosure) = 0;
  /// Somebody has written a newer version than this.
  virtual void outdated(const std::string& lock, std::uint64_t version) = 0;
  /// What has come to be here since the last call.
  virtual std::vector<Copy> new_copies() = 0;
  virtual void forget_data() = 0;
  /// This peer leaves: nothing is to end with it that another can take. Ends in `bequeathed`.
  virtual void bequeath() = 0;

  // This process.

  virtual void phase_changed() = 0;
  virtual void roster_changed() = 0;
  /// Now and then.
  virtual void keep_house() = 0;
  virtual Duration draw(Duration least, Duration most) = 0;
  virtual void log(const std::string& line, LogLevel level) = 0;

  virtual wire::ClientProcess process() const = 0;
  virtual std::string command() const = 0;
  virtual std::string host() const = 0;
  /// Adds what its channels have seen.
  virtual void add_traffic(Counts& counts) const = 0;
  /// Of fences, where there is no register.
  virtual Fence fence_floor() const = 0;
};

}  // namespace conch::node
