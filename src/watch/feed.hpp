// What happens at a peer, noted while somebody watches.
//
// Whoever has the engine's guard takes a note; some times a second another thread fetches the notes
// and makes text of them. In between only so many are taken: of a peer that is faster than anybody
// can see, the rest is counted.
#pragma once

#include <string_view>
#include <vector>

#include "node/witness.hpp"
#include "watch/note.hpp"

namespace conch::watch {

/// Under the engine's guard, like everything that it tells.
class Feed final : public node::Witness {
 public:
  struct Notes {
    std::vector<watch::Note> taken;
    std::uint64_t left_out = 0;
  };
  static constexpr std::size_t notes_max = 64;
  /// Those that are about the peer, and few.
  static constexpr std::size_t rare_max = 256;

  void born(const recovery::Life& life) override;
  void installed(Epoch epoch, const recovery::View& view) override;
  void suspected(const recovery::Life& life) override;
  void gone() override;
  void asked(std::string_view lock, Mode mode) override;
  void entered(std::string_view lock, const Entry& entry) override;
  void withdrew(std::string_view lock, Mode mode) override;
  void left(std::string_view lock, Mode mode, Duration held) override;
  void lost(std::string_view lock, Mode mode, Duration held) override;
  void sent(const recovery::Life& to, const Note& message) override;
  void received(const recovery::Life& from, const Note& message) override;

  /// What has happened since the last time.
  Notes take();

 private:
  /// Nothing if there are enough.
  watch::Note* note(watch::Note::Kind kind, std::string_view lock);
  void note_rare(watch::Note note);
  void note_token(watch::Note::Kind kind, const recovery::Life& other, const Note& message);

  Notes notes_;
  std::size_t frequent_ = 0;
};

}  // namespace conch::watch
