// What a peer does, as lines of a trace (trace/line.hpp; docs/watch.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "node/witness.hpp"
#include "trace/line.hpp"

namespace conch::node {

class WitnessLines : public Witness {
 public:
  void born(const recovery::Life& life) override;
  void installed(Epoch epoch, const recovery::View& view) override;
  void suspected(const recovery::Life& life) override;
  void gone() override { write(line(trace::Happening::left)); }
  void asked(std::string_view lock, Mode mode) override;
  void entered(std::string_view lock, const Entry& entry) override;
  void withdrew(std::string_view lock, Mode mode) override;
  void left(std::string_view lock, Mode mode, Duration held) override;
  void lost(std::string_view lock, Mode mode, Duration held) override;
  void sent(const recovery::Life& to, const Note& note) override;
  void received(const recovery::Life& from, const Note& note) override;

 protected:
  virtual Time now() const = 0;
  /// Which clock the times are of; nothing if nobody knows.
  virtual std::string clock() const = 0;
  virtual void write(const trace::Line& line) = 0;

  trace::Line line(trace::Happening happening) const {
    return {now().time_since_epoch().count(), happening, true, id_};
  }
  static std::string life_of(const recovery::Life& life);

 private:
  /// The other end of a channel, and what has gone through it.
  struct Correspondent {
    std::string id;
    std::string life;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };

  Correspondent& correspondent(const recovery::Life& life);
  void write_claim(trace::Happening happening, std::string_view lock, std::string_view detail);
  void write_message(trace::Line line, const Correspondent& other, const Note& note);

  std::string id_;
  std::map<recovery::Life, Correspondent> correspondents_;
  std::string room_;
  std::string detail_;
};

}  // namespace conch::node
