// Writes what a peer does as lines of a trace (trace/line.hpp; docs/view.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "node/observer.hpp"
#include "trace/line.hpp"

namespace conch::node {

class TraceWriter : public Observer {
 public:
  void born(const PeerInstance& life) override;
  void installed(Epoch epoch, const recovery::View& view) override;
  void suspected(const PeerInstance& life) override;
  void gone() override { write(line(trace::Happening::left)); }
  void asked(std::string_view lock, Mode mode) override;
  void entered(std::string_view lock, const Entry& entry) override;
  void withdrew(std::string_view lock, Mode mode) override;
  void left(std::string_view lock, Mode mode, Duration held) override;
  void lost(std::string_view lock, Mode mode, Duration held) override;
  void sent(const PeerInstance& to, const MessageNote& note) override;
  void received(const PeerInstance& from, const MessageNote& note) override;

 protected:
  virtual Time now() const = 0;
  /// The name of the clock that shows the times; empty if it is unknown.
  virtual std::string clock() const = 0;
  virtual void write(const trace::Line& line) = 0;

  trace::Line line(trace::Happening happening) const {
    return {now().time_since_epoch().count(), happening, true, id_};
  }
  static std::string life_of(const PeerInstance& life);

 private:
  /// The other end of a channel, and how many messages went each way.
  struct MessageCounts {
    std::string id;
    std::string life;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };

  MessageCounts& counts_of_peer(const PeerInstance& life);
  void write_claim(trace::Happening happening, std::string_view lock, std::string_view detail);
  void write_message(trace::Line line, const MessageCounts& other, const MessageNote& note);

  std::string id_;
  std::map<PeerInstance, MessageCounts> counts_;
  std::string room_;
  std::string detail_;
};

}  // namespace conch::node
