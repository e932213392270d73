#include <conch/peer.hpp>

#include "peer/engine.hpp"

namespace conch {

Peer::Peer(PeerOptions options) : engine_(std::make_unique<peer::Engine>(std::move(options))) {}
Peer::~Peer() = default;

void Peer::leave() { engine_->leave(); }
std::uint64_t Peer::id() const { return engine_->life().id.value; }
std::string_view Peer::group() const { return engine_->group(); }
std::string_view Peer::algorithm() const { return engine_->algorithm().about.name; }
std::vector<std::string> Peer::listens() const { return engine_->listens(); }

}  // namespace conch
