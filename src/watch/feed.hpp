// Collects events of a peer for its status page while a browser watches.
//
// The engine calls it under its guard; another thread fetches the notes a few times a second and
// turns them into text. Between two fetches only a bounded number is kept, and the rest is only
// counted.
#pragma once

#include <string_view>
#include <vector>

#include "node/observer.hpp"
#include "watch/note.hpp"

namespace conch::watch {

/// Used under the engine's guard.
class Feed final : public node::Observer {
 public:
  struct Notes {
    std::vector<watch::Note> taken;
    std::uint64_t left_out = 0;
  };
  static constexpr std::size_t notes_max = 64;
  /// The limit for rare events, which are about the peer.
  static constexpr std::size_t rare_max = 256;

  void born(const PeerInstance& life) override;
  void installed(Epoch epoch, const recovery::View& view) override;
  void suspected(const PeerInstance& life) override;
  void gone() override;
  void asked(std::string_view lock, Mode mode) override;
  void entered(std::string_view lock, const Entry& entry) override;
  void withdrew(std::string_view lock, Mode mode) override;
  void left(std::string_view lock, Mode mode, Duration held) override;
  void lost(std::string_view lock, Mode mode, Duration held) override;
  void sent(const PeerInstance& to, const MessageNote& message) override;
  void received(const PeerInstance& from, const MessageNote& message) override;

  /// What has happened since the last call.
  Notes take();

 private:
  /// Null if there are enough already.
  watch::Note* note(watch::Note::Kind kind, std::string_view lock);
  void note_rare(watch::Note note);
  void note_token(watch::Note::Kind kind, const PeerInstance& other, const MessageNote& message);

  Notes notes_;
  std::size_t frequent_ = 0;
};

}  // namespace conch::watch
