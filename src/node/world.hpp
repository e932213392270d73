// What is around a node besides the network: what it has done there, and what it can see. The peer
// that ships has a register and threads behind it (peer/engine.hpp), the simulator has nothing but
// memory (sim/survival.hpp); a node does not know which.
//
// Of data, see data_world.hpp.
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

  /// It enters, and is told so. True if something goes with that: what its keeper needs to outlast
  /// this process.
  virtual bool let_in(ClientId client, std::string_view reply) = 0;
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

  // This process.

  virtual void phase_changed() = 0;
  virtual void roster_changed(const recovery::View& view) = 0;
  /// Now and then.
  virtual void keep_house() = 0;
  virtual Duration draw(Duration least, Duration most) = 0;

  virtual wire::ClientProcess process() const = 0;
  virtual std::string command() const = 0;
  virtual std::string host() const = 0;
  /// Of fences, where there is no register.
  virtual Fence fence_floor() const = 0;
};

}  // namespace conch::node
