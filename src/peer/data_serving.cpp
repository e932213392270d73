// How others get the data that are here, and how this peer keeps theirs.
#include <cstring>

#include "dho/copies.hpp"
#include "peer/data_desk.hpp"
#include "peer/engine.hpp"
#include "wire/limits.hpp"

namespace conch::peer {

using namespace recovery;
using dho::bytes_in;

namespace {

template <class T>
std::string answer_of(const T& answer) {
  std::string bytes;
  encode(bytes, DataAnswer(answer));
  return bytes;
}

/// What the question has brought, or what follows.
void fill(std::span<std::byte> bytes, const KeepData& m, net::Stream& stream) {
  if (!m.enclosed.empty()) return void(std::memcpy(bytes.data(), m.enclosed.data(), bytes.size()));
  stream.say(answer_of(GoOn{}));
  std::atomic<std::uint64_t> moved = 0;
  stream.receive(bytes, moved);
}

}  // namespace

void DataDesk::serve(const Life& from, net::Stream stream) {
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
    engine_.log(std::string("a peer that wanted data was turned away: ") + error.what());
  }
}

void DataDesk::answer_all(const Life& from, net::Stream& stream) {
  try {
    for (;;) {
      net::Stream::Note note = stream.hear();
      std::string why;
      auto question = node::unpacked<DataQuestion>(note.text, why);
      if (!question) return;
      std::visit([&](const auto& m) { answer(from, m, std::move(note.descriptor), stream); },
                 *question);
    }
  } catch (const Error&) {
    // It has gone, or does not speak as a peer would: it loses the stream, and nothing else.
  } catch (const std::bad_alloc&) {
  }
}

void DataDesk::answer(const Life&, const FetchData& m, net::Descriptor, net::Stream& stream) {
  std::shared_ptr<Buffer> buffer;
  bool torn = false;
  {
    Guard guard = engine_.guard();
    if (auto found = stocks_.find(m.lock); found != stocks_.end()) {
      buffer = found->second.find(m.version);
      torn = !buffer;
      if (torn) buffer = found->second.find_torn(m.version);
    }
  }
  if (!buffer || m.range.begin > m.range.end) return stream.say(answer_of(GoneData{}));
  HereData here{buffer->size(), torn, stream.is_local()};
  if (here.attached) {
    ++traffic_.passed;
    return stream.say(answer_of(here), buffer->share());
  }
  stream.say(answer_of(here));
  Range range = dho::intersection(m.range, {0, here.size});
  std::uint64_t bytes = bytes_in(range, here.size);
  std::atomic<std::uint64_t> moved = 0;
  if (bytes > 0) stream.send(buffer->readable(here.size).subspan(range.begin, bytes), moved);
  count(bytes, 0);
  bool is_same = torn ? buffer->is_torn(m.version) : buffer->has(m.version);
  stream.say(answer_of(SoundData{is_same}));
}

void DataDesk::enclose(const Life& to, const std::string& lock, const DataRef& data) {
  bool is_wanted = data.size <= wire::enclosure_bytes_max && data.location != to.id;
  auto found = is_wanted ? stocks_.find(lock) : stocks_.end();
  std::shared_ptr<Buffer> buffer =
      found == stocks_.end() ? nullptr : found->second.find(data.version);
  const wire::Channels& channels = engine_.node().channels();
  if (!buffer || channels.is_local(to)) return;
  if (channels.backlog(to) > wire::enclosing_backlog_max) return;
  try {
    node::Enclosure enclosure{lock, data.version, buffer->text(data.size)};
    if (!engine_.node().send(to, node::packed(node::PayloadKind::enclosure, enclosure))) return;
  } catch (const std::bad_alloc&) {
    return;  // They will be asked for.
  }
  traffic_.bytes_sent += data.size;
  engine_.tell_data(data.size, 0);
}

void DataDesk::take_enclosure(node::Enclosure enclosure) {
  auto found = stocks_.find(enclosure.lock);
  if (found == stocks_.end() || found->second.handles == 0) return;
  traffic_.bytes_received += enclosure.bytes.size();
  engine_.tell_data(0, enclosure.bytes.size());
  found->second.enclose(enclosure.version, std::move(enclosure.bytes));
}

/// From a member, and not in vain.
bool DataDesk::accepts(const Life& from, const KeepData& m) {
  Guard guard = engine_.guard();
  std::optional<Keeper> keeper = member(from.id);
  if (!keeper || keeper->life != from || m.data.version == 0) return false;
  switch (phase_) {
    case Phase::here: return true;
    case Phase::leaving: return m.inherit && m.insist && from.id < engine_.node().self().id;
    case Phase::gone: return false;
  }
  return false;
}

void DataDesk::answer(const Life& from, const KeepData& m, net::Descriptor attached,
                      net::Stream& stream) {
  bool is_whole = m.enclosed.empty() || (m.enclosed.size() == m.data.size && !m.attached);
  bool makes_sense = is_whole && m.data.size <= Buffer::bytes_max && m.attached == bool(attached);
  if (!makes_sense) throw Error("a peer wants something kept that makes no sense");
  if (!accepts(from, m)) return stream.say(answer_of(DeclinedData{}));
  std::shared_ptr<Buffer> buffer = receive_kept(m, std::move(attached), stream);
  if (!buffer->has(m.data.version) || buffer->size() != m.data.size)
    return stream.say(answer_of(DeclinedData{}));
  bool is_kept = keep(from, m, buffer);
  stream.say(is_kept ? answer_of(KeptData{}) : answer_of(DeclinedData{}));
}

std::shared_ptr<Buffer> DataDesk::receive_kept(const KeepData& m, net::Descriptor attached,
                                               net::Stream& stream) {
  if (m.attached) return std::make_shared<Buffer>(std::move(attached));
  std::shared_ptr<Buffer> buffer;
  {
    Guard guard = engine_.guard();
    if (auto here = stocks_[m.lock].find(m.data.version)) return here;
    buffer = stocks_[m.lock].take_spare(m.data.size);
  }
  try {
    fill(buffer->writable(m.data.size), m, stream);
  } catch (...) {
    give_back_spare(m.lock, buffer);
    throw;
  }
  count(0, m.data.size);
  buffer->finish(m.data.version, m.data.size);
  return buffer;
}

/// What is older than what is here is kept in its own way. False if it has become too late.
bool DataDesk::keep(const Life& from, const KeepData& m, const std::shared_ptr<Buffer>& buffer) {
  if (!accepts(from, m)) return false;
  Guard guard = engine_.guard();
  Stock& stock = stocks_[m.lock];
  if (stock.version() > m.data.version) return true;
  stock.install(buffer);
  if (m.inherit) stock.owed = m.data.version;
  engine_.node().tell_copies(net::steady_now());
  engine_.settle();
  return true;
}

void DataDesk::answer(const Life& from, const PatchData& m, net::Descriptor, net::Stream& stream) {
  std::shared_ptr<Buffer> buffer;
  {
    Guard guard = engine_.guard();
    std::optional<Keeper> keeper = member(from.id);
    bool may = phase_ == Phase::here && keeper && keeper->life == from;
    if (may) buffer = stocks_[m.lock].find(m.version);
  }
  bool makes_sense = m.range.begin <= m.range.end && m.range.end <= m.data.size &&
                     m.data.size <= Buffer::bytes_max && m.data.version != 0;
  if (!buffer || !makes_sense) return stream.say(answer_of(DeclinedData{}));
  stream.say(answer_of(GoOn{}));
  // Beside the data: who sends them may die.
  Buffer aside(m.range.end - m.range.begin);
  std::span<std::byte> bytes = aside.writable(m.range.end - m.range.begin);
  std::atomic<std::uint64_t> moved = 0;
  stream.receive(bytes, moved);
  count(0, bytes.size());
  Guard guard = engine_.guard();
  if (phase_ != Phase::here || !buffer->has(m.version))
    return guard.unlock(), stream.say(answer_of(DeclinedData{}));
  buffer->reserve(m.data.size);
  buffer->begin_writing(m.data.version);
  std::memcpy(buffer->writable(m.data.size).data() + m.range.begin, bytes.data(), bytes.size());
  buffer->finish(m.data.version, m.data.size);
  stocks_[m.lock].install(buffer);
  stocks_[m.lock].owed = m.data.version;
  engine_.node().tell_copies(net::steady_now());
  engine_.settle();
  guard.unlock();
  stream.say(answer_of(KeptData{}));
}

}  // namespace conch::peer
