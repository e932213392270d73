// What a node has around it besides the network: what it asks to be done, and what it can observe.
// The peer that ships has a register and threads behind it (peer/engine.hpp), the simulator only
// memory (sim/group_simulation.hpp); a node cannot tell the two apart. For data, see
// data_world.hpp.
//
// Calls take effect in the order in which they are made, and none of them calls the node back
// before it returns.
#pragma once

#include <conch/log.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/data_world.hpp"
#include "node/talk.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/view.hpp"
#include "wire/client.hpp"

namespace conch::node {

using wire::ClientId;

class World : public DataWorld {
 public:
  // Clients.

  /// Called when a client enters, before `reply` is sent to it. True if something goes along with
  /// the reply: what the keeper of its command needs to outlast this process.
  virtual bool let_in(ClientId client, std::string_view reply) = 0;
  virtual wire::ClientProcess process_of(ClientId client) const = 0;

  // Lives of this peer, and the register.

  virtual Incarnation draw_incarnation(Incarnation before) = 0;
  /// From now on this process is that life, and messages are sent in its name.
  virtual void begin_life(const PeerInstance& life) = 0;
  /// This former life of the peer has let go of everything, so its lease may end.
  virtual void end_life(const PeerInstance& life) = 0;
  /// Ends in `Node::answered`, or gets no answer.
  virtual void ask(const PeerInstance& asker, recovery::RegisterRequest ask) = 0;
  /// Shows the lease to the keepers of commands: until when it runs, and its full length; or that
  /// it is over.
  virtual void show_lease(Time until, Duration length) = 0;
  virtual void end_lease() = 0;

  // This process.

  virtual void phase_changed() = 0;
  virtual void roster_changed(const recovery::View& view) = 0;
  /// Housekeeping: called at least once a second.
  virtual void keep_house() = 0;
  virtual Duration draw(Duration least, Duration most) = 0;

  virtual wire::ClientProcess process() const = 0;
  virtual std::string command() const = 0;
  virtual std::string host() const = 0;
  /// A lower bound for new fences, in a group without a register.
  virtual Fence fence_floor() const = 0;
};

}  // namespace conch::node
