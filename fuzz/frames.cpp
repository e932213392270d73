// Fuzzes an accepted peer, which sends anything in parts of any size: frames, payloads and
// acknowledgements.
#include "fuzz.hpp"
#include "wire/frame.hpp"
#include "wire/incoming.hpp"
#include "wire/outgoing.hpp"

using namespace conch;
using namespace conch::wire;

namespace {

/// Both ends of a channel whose peer cannot be trusted.
class Ends {
 public:
  void take(const Frame& frame) {
    if (frame.kind == FrameKind::payload) take_payload(frame.body);
    if (frame.kind == FrameKind::acknowledgement) take_acknowledgement(frame.body);
    if (frame.kind == FrameKind::note) outgoing_.append(frame.body);
    if (frame.kind == FrameKind::hello) outgoing_.wrote(outgoing_.unwritten().size() / 2);
    if (frame.kind == FrameKind::accepted && frame.body.size() == 8)
      whole_ = whole_ && outgoing_.resume(*read_acknowledgement(frame.body));
    fuzz::require(outgoing_.bytes() <= kept_bytes_max, "a channel is bounded");
  }

 private:
  static constexpr std::size_t kept_bytes_max = 4096;

  void take_payload(std::string_view body) {
    std::uint64_t before = incoming_.received();
    bool taken = incoming_.take(body, Time{}).has_value();
    fuzz::require(incoming_.received() == before + (taken ? 1 : 0), "a payload counts once");
    std::string out;
    if (incoming_.due() <= Time{}) incoming_.acknowledge(out);
  }
  void take_acknowledgement(std::string_view body) {
    std::optional<std::uint64_t> received = read_acknowledgement(body);
    if (!received || !whole_) return;
    // The first impossible acknowledgement breaks the channel.
    whole_ = outgoing_.acknowledge(*received);
    if (!whole_) return;
    fuzz::require(outgoing_.acknowledged() <= *received, "what is not acknowledged is kept");
    // What a new connection has not taken is acknowledged again.
    if (outgoing_.unwritten().empty())
      fuzz::require(outgoing_.acknowledged() == *received, "what is acknowledged is gone");
  }

  Incoming incoming_;
  Outgoing outgoing_{kept_bytes_max};
  bool whole_ = true;
};

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::string all("\x05", 1);
  for (std::string_view note : {"one", "two"}) put_frame(all, FrameKind::note, note);
  put_frame(all, FrameKind::hello, "");
  put_frame(all, FrameKind::acknowledgement, std::string("\0\0\0\0\0\0\0\1", 8));
  put_frame(all, FrameKind::accepted, std::string("\0\0\0\0\0\0\0\1", 8));
  put_frame(all, FrameKind::payload, std::string("\0\0\0\0first", 9));
  put_frame(all, FrameKind::payload, std::string("\0\0\0\1second", 10));

  std::string over_two_connections("\x05", 1);
  for (std::string_view note : {"one", "two"})
    put_frame(over_two_connections, FrameKind::note, note);
  put_frame(over_two_connections, FrameKind::hello, "");
  put_frame(over_two_connections, FrameKind::accepted, std::string(8, '\0'));
  put_frame(over_two_connections, FrameKind::acknowledgement, std::string("\0\0\0\0\0\0\0\1", 8));
  return {all, over_two_connections};
}

/// The first byte says in what parts the rest arrives; the frames must not depend on it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes = fuzz::view_of(data, size).substr(1);
  FrameReader whole;
  FrameReader parts;
  whole.allow(frame_bytes_max);
  parts.allow(frame_bytes_max);
  std::vector<std::string> frames;
  Ends ends;
  whole.feed(bytes);
  while (std::optional<Frame> frame = whole.next()) {
    frames.emplace_back(frame->body);
    ends.take(*frame);
  }
  std::size_t at = 0;
  for (std::size_t part = data[0] + 1; !bytes.empty();
       bytes.remove_prefix(std::min(part, bytes.size()))) {
    std::string fresh(bytes.substr(0, part));
    parts.feed(fresh);
    while (std::optional<Frame> frame = parts.next())
      fuzz::require(at < frames.size() && frame->body == frames[at++], "frames are as they came");
  }
  fuzz::require(at == frames.size() && whole.error() == parts.error(), "no frame is missing");
  return 0;
}
