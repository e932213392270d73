#include "peer/streams.hpp"

#include <conch/error.hpp>

#include "wire/limits.hpp"

namespace conch::peer {

Streams::Loan Streams::borrow(const net::StreamOptions& options, const PeerInstance& to,
                              const std::string& address) {
  {
    std::lock_guard guard(mutex_);
    auto found = idle_.find(to);
    if (found != idle_.end() && !found->second.empty()) {
      Shared stream = std::move(found->second.back());
      found->second.pop_back();
      used_.emplace(stream, to);
      return {stream, true};
    }
  }
  Time until = net::steady_now() + wire::handshake_patience;
  auto stream = std::make_shared<net::Stream>(options, to, address, until);
  enlist(to, stream);
  return {stream, false};
}

void Streams::give_back(const PeerInstance& to, const Shared& stream) {
  std::lock_guard guard(mutex_);
  used_.erase(stream);
  std::vector<Shared>& idle = idle_[to];
  if (!closed_ && idle.size() < idle_max) idle.push_back(stream);
}

void Streams::enlist(const PeerInstance& with, const Shared& stream) {
  std::lock_guard guard(mutex_);
  if (closed_) throw Error(ErrorCode::left, "this peer has left its group");
  used_.emplace(stream, with);
}

void Streams::strike(const Shared& stream) {
  std::lock_guard guard(mutex_);
  used_.erase(stream);
}

void Streams::follow_view(const recovery::View& view) {
  std::lock_guard guard(mutex_);
  std::erase_if(idle_, [&](const auto& each) { return !view.mentions(each.first); });
  for (const auto& [stream, life] : used_)
    if (!view.mentions(life)) stream->abort();
}

void Streams::drop_all() {
  std::lock_guard guard(mutex_);
  idle_.clear();
  for (const auto& [stream, life] : used_) stream->abort();
}

void Streams::close() {
  std::lock_guard guard(mutex_);
  closed_ = true;
  idle_.clear();
  for (const auto& [stream, life] : used_) stream->abort();
}

}  // namespace conch::peer
