#include <conch/peer.hpp>

#include "peer/boundary.hpp"
#include "peer/engine.hpp"
#include "peer/group_status.hpp"

namespace conch {

Peer::Peer(PeerOptions options) : Peer(std::move(options), {}) {}

Peer::Peer(PeerOptions options, const peer::Build& build) {
  OptionNames names = options.option_names;
  engine_ = peer::at_boundary(
      names, [&] { return std::make_shared<peer::Engine>(std::move(options), build); });
}

Peer::~Peer() {
  if (engine_->is_inherited()) {
    peer::abandon(std::move(engine_));
  } else {
    engine_->leave();
  }
}

peer::Engine& Peer::engine() const {
  engine_->expect_own();
  return *engine_;
}

void Peer::leave() {
  peer::at_boundary(engine().options().option_names, [&] { engine_->leave(); });
}
std::uint64_t Peer::id() const { return engine().life().id.value; }
std::string_view Peer::group() const { return engine().group(); }
std::string_view Peer::algorithm() const { return engine().node().algorithm().about.name; }
std::vector<std::string> Peer::listens() const { return engine().listens(); }
GroupStatus Peer::status() const { return peer::group_status(engine().status()); }

}  // namespace conch
