// Serves this peer's data to others, and keeps data of theirs.
#include <cstring>

#include "dho/parts.hpp"
#include "peer/buffer.hpp"
#include "peer/data_mover.hpp"
#include "peer/engine.hpp"
#include "wire/limits.hpp"

namespace conch::peer {

using namespace recovery;
using namespace node;

namespace {

template <class T>
std::string answer_of(const T& answer) {
  std::string bytes;
  encode(bytes, DataAnswer(answer));
  return bytes;
}

std::string answer_of(bool is_kept) {
  return is_kept ? answer_of(KeptData{}) : answer_of(DeclinedData{});
}

/// Throws Error, which closes the stream, if the sender has to ask again later.
std::string answer_of(DataStore::PatchAnswer answer) {
  if (answer == DataStore::PatchAnswer::later) throw Error("the next epoch must begin first");
  return answer_of(answer == DataStore::PatchAnswer::kept);
}

/// Copies the bytes enclosed in the question, or receives them from the stream.
void fill(std::span<std::byte> bytes, const KeepData& m, net::Stream& stream) {
  if (!m.enclosed.empty()) return void(std::memcpy(bytes.data(), m.enclosed.data(), bytes.size()));
  stream.say(answer_of(GoOn{}));
  std::atomic<std::uint64_t> moved = 0;
  stream.receive(bytes, moved);
}

}  // namespace

void DataMover::serve(const PeerInstance& from, net::Stream stream) {
  {
    std::lock_guard guard(threads_mutex_);
    if (threads_ >= wire::streams_max) return;
  }
  auto shared = std::make_shared<net::Stream>(std::move(stream));
  try {
    streams_.enlist(from, shared);
    spawn([this, from, shared] {
      answer_all(from, *shared);
      streams_.strike(shared);
    });
  } catch (const std::exception& error) {
    streams_.strike(shared);
    engine_.log(std::string("turned away a peer that wanted data: ") + error.what());
  }
}

void DataMover::answer_all(const PeerInstance& from, net::Stream& stream) {
  try {
    for (;;) {
      net::Stream::Message note = stream.hear();
      std::string why;
      auto question = unpacked<DataQuestion>(note.text, why);
      if (!question) return;
      std::visit([&](const auto& m) { answer(from, m, std::move(note.descriptor), stream); },
                 *question);
    }
  } catch (const Error&) {
    // The other side has gone or breaks the protocol: only this stream ends.
  } catch (const std::bad_alloc&) {
  }
}

void DataMover::answer(const PeerInstance&, const FetchData& m, net::Descriptor,
                       net::Stream& stream) {
  DataStore::Found found;
  {
    Guard guard = engine_.guard();
    found = engine_.node().data().find(m.lock, m.version);
  }
  if (!found.block || m.range.begin > m.range.end) return stream.say(answer_of(GoneData{}));
  auto& buffer = static_cast<Buffer&>(*found.block);
  HereData here{buffer.size(), found.is_torn, stream.is_local()};
  if (here.attached) {
    ++traffic_.passed;
    return stream.say(answer_of(here), buffer.share());
  }
  stream.say(answer_of(here));
  Range range = dho::intersection(m.range, {0, here.size});
  std::uint64_t bytes = dho::bytes_in(range, here.size);
  std::atomic<std::uint64_t> moved = 0;
  if (bytes > 0) stream.send(buffer.readable(here.size).subspan(range.begin, bytes), moved);
  count_unguarded(bytes, 0);
  bool is_same = here.torn ? buffer.is_torn(m.version) : buffer.has(m.version);
  stream.say(answer_of(SoundData{is_same}));
}

void DataMover::answer(const PeerInstance& from, const KeepData& m, net::Descriptor attached,
                       net::Stream& stream) {
  bool is_whole = m.enclosed.empty() || (m.enclosed.size() == m.data.size && !m.attached);
  bool makes_sense = is_whole && m.data.size <= Buffer::bytes_max && m.attached == bool(attached);
  if (!makes_sense) throw Error("malformed request to keep data");
  bool is_kept = false;
  {
    Guard guard = engine_.guard();
    is_kept = engine_.node().data().accepts(from, m);
  }
  if (is_kept) {
    std::shared_ptr<Block> block = receive_kept(m, std::move(attached), stream);
    Guard guard = engine_.guard();
    is_kept = engine_.node().data().keep(from, m, block);
    engine_.settle();
  }
  stream.say(answer_of(is_kept));
}

std::shared_ptr<Block> DataMover::receive_kept(const KeepData& m, net::Descriptor attached,
                                               net::Stream& stream) {
  if (m.attached) return std::make_shared<Buffer>(std::move(attached));
  std::shared_ptr<Block> block;
  {
    Guard guard = engine_.guard();
    block = engine_.node().data().make_room(m);
  }
  if (!block) return nullptr;
  try {
    fill(static_cast<Buffer&>(*block).writable(m.data.size), m, stream);
  } catch (...) {
    Guard guard = engine_.guard();
    engine_.node().data().put_spare(m.lock, block);
    throw;
  }
  count_unguarded(0, m.data.size);
  block->finish(m.data.version, m.data.size);
  return block;
}

void DataMover::answer(const PeerInstance& from, const PatchData& m, net::Descriptor,
                       net::Stream& stream) {
  auto accepted = DataStore::PatchAnswer::declined;
  if (m.data.size <= Buffer::bytes_max) {
    Guard guard = engine_.guard();
    accepted = engine_.node().data().accepts(from, m);
  }
  if (accepted != DataStore::PatchAnswer::go_on) return stream.say(answer_of(accepted));
  stream.say(answer_of(GoOn{}));
  // Receive into separate memory, as the sender may die half-way.
  Buffer aside(m.range.end - m.range.begin);
  std::span<std::byte> bytes = aside.writable(m.range.end - m.range.begin);
  std::atomic<std::uint64_t> moved = 0;
  stream.receive(bytes, moved);
  count_unguarded(0, bytes.size());
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  {
    Guard guard = engine_.guard();
    accepted = engine_.node().data().patch(from, m, text);
    engine_.settle();
  }
  stream.say(answer_of(accepted));
}

}  // namespace conch::peer
