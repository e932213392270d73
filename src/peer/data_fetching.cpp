// How the data come to a holder.
#include <fmt/core.h>

#include <cstring>

#include "dho/copies.hpp"
#include "peer/data_desk.hpp"
#include "peer/engine.hpp"
#include "wire/limits.hpp"

namespace conch::peer {

using namespace recovery;
using dho::bytes_in;

namespace {

/// Between two attempts to reach a peer that is a member, and does not answer.
constexpr Duration retry_delay = std::chrono::milliseconds(20);

template <class T>
T heard(net::Stream& stream) {
  std::string why;
  auto answer = node::unpacked<DataAnswer>(stream.hear().text, why);
  if (auto* expected = answer ? std::get_if<T>(&*answer) : nullptr) return *expected;
  throw Error("a peer says of data what makes no sense");
}

void copy_bytes(Buffer& from, Buffer& to, std::uint64_t size) {
  std::memcpy(to.writable(size).data(), from.readable(size).data(), size);
}

/// What nobody wants does not change what is here: the lock may be elsewhere, or this a new life.
void check_is_wanted(const Errand& errand) {
  if (errand.cancelled) throw Error("nobody wants the data any more");
}

}  // namespace

void DataDesk::bring(Errand& errand, Guard& guard) {
  errands_.insert(&errand);
  try {
    while (!errand.cancelled && !find_here(errand) && errand.data.location) {
      if (!member(*errand.data.location)) {  // The next epoch will tell where they are.
        errand.woken.wait(guard);
        continue;
      }
      std::optional<Keeper> keeper = find_keeper(errand);
      if (!keeper || ask(*keeper, errand, guard)) break;
    }
    if (errand.buffer && !errand.cancelled) set_apart(errand, guard);
  } catch (...) {
    if (!guard.owns_lock()) guard.lock();
    errands_.erase(&errand);
    throw;
  }
  errands_.erase(&errand);
}

bool DataDesk::find_here(Errand& errand) {
  Stock& stock = stocks_[errand.lock];
  errand.buffer = stock.find_newest(errand.data.version);
  if (errand.buffer) return true;
  errand.buffer = stock.unpack(errand.data);
  if (errand.buffer) return ++traffic_.enclosed, errand.streamed = true;
  errand.buffer = stock.find_torn(errand.data.version);
  errand.torn = errand.buffer != nullptr;
  return errand.torn;
}

bool DataDesk::bring_at_once(Errand& errand) {
  bool is_little = errand.data.size <= wire::enclosure_bytes_max;
  if (errand.apart && !is_little) return false;
  if (!find_here(errand) || errand.torn) return false;
  if (!errand.apart) return true;
  try {
    std::shared_ptr<Buffer> copy = stocks_[errand.lock].take_spare(errand.data.size);
    copy_bytes(*errand.buffer, *copy, errand.data.size);
    errand.buffer = copy;
  } catch (const std::bad_alloc&) {
    return false;
  }
  return errand.own = true;
}

/// Whom the lock names. If that one does not have them, another may have a copy: what has the same
/// number is the same, whoever has it.
std::optional<DataDesk::Keeper> DataDesk::find_keeper(const Errand& errand) const {
  std::optional<Keeper> named = member(*errand.data.location);
  bool is_other = named && named->life != engine_.node().self();
  if (is_other && !errand.without.contains(named->life)) return named;
  for (const Keeper& each : others())
    if (!errand.without.contains(each.life)) return each;
  return std::nullopt;
}

/// True if the data that are still meant have come. A stream that was used before may have broken
/// since.
bool DataDesk::ask(const Keeper& keeper, Errand& errand, Guard& guard) {
  net::StreamOptions options = stream_options();
  DataRef data = errand.data;
  errand.total = bytes_in(errand.range, data.size);
  Streams::Loan loan;
  bool answered = false;
  guard.unlock();
  try {
    loan = streams_.borrow(options, keeper.life, keeper.address);
    guard.lock();
    errand.stream = loan.stream;
    bool wanted = !errand.cancelled;
    guard.unlock();
    if (wanted) receive(data, errand, *loan.stream);
    answered = true;
    streams_.give_back(keeper.life, loan.stream);
  } catch (const Error&) {
    // It has gone, or is about to: the next epoch tells; or it was busy.
  }
  guard.lock();
  errand.stream.reset();
  if (!answered) streams_.strike(loan.stream);
  bool at_once = loan.is_used || errand.cancelled || errand.data != data;
  if (!answered && !at_once) errand.woken.wait_for(guard, retry_delay);
  bool is_meant = !errand.cancelled && errand.data.version == data.version;
  if (!answered || !is_meant) return false;
  if (errand.buffer) return errand.data.location = keeper.life.id, true;
  if (errand.data == data) note_without(keeper, errand);
  return false;
}

void DataDesk::note_without(const Keeper& keeper, Errand& errand) {
  errand.without.insert(keeper.life);
  if (keeper.life.id != errand.data.location) return;
  engine_.log(fmt::format("peer {:x} does not have the data of '{}' that it should have",
                          keeper.life.id.value, errand.lock));
}

/// Without the guard.
void DataDesk::receive(const DataRef& data, Errand& errand, net::Stream& stream) {
  std::string question;
  encode(question, DataQuestion(FetchData{errand.lock, data.version, errand.range}));
  stream.say(question);
  net::Stream::Note note = stream.hear();
  std::string why;
  auto answer = node::unpacked<DataAnswer>(note.text, why);
  if (answer && std::holds_alternative<GoneData>(*answer)) return;
  const auto* here = answer ? std::get_if<HereData>(&*answer) : nullptr;
  if (!here || here->size != data.size || here->attached != bool(note.descriptor))
    throw Error("a peer offers other data than it was asked for");
  if (!here->attached) return receive_bytes(data, *here, errand, stream);
  ++traffic_.passed;
  errand.moved = errand.total.load();
  take_buffer(data, *here, errand, std::make_shared<Buffer>(std::move(note.descriptor)));
}

void DataDesk::receive_bytes(const DataRef& data, const HereData& here, Errand& errand,
                             net::Stream& stream) {
  bool is_part = errand.total < data.size;
  std::shared_ptr<Buffer> buffer;
  {
    Guard guard = engine_.guard();
    check_is_wanted(errand);
    errand.partial = is_part;
    errand.streamed = true;
    buffer =
        is_part ? std::make_shared<Buffer>(data.size) : stocks_[errand.lock].take_spare(data.size);
  }
  try {
    auto bytes = buffer->writable(data.size).subspan(errand.range.begin, errand.total);
    stream.receive(bytes, errand.moved);
    if (!heard<SoundData>(stream).sound) throw Error("the data have changed meanwhile");
  } catch (...) {
    if (!is_part) give_back_spare(errand.lock, buffer);
    throw;
  }
  count(0, errand.total);
  bool is_whole = !here.torn && !is_part;
  if (is_whole) buffer->finish(data.version, data.size);
  take_buffer(data, here, errand, buffer);
}

void DataDesk::give_back_spare(const std::string& lock, const std::shared_ptr<Buffer>& buffer) {
  Guard guard = engine_.guard();
  stocks_[lock].put_spare(buffer);
}

void DataDesk::take_buffer(const DataRef& data, const HereData& here, Errand& errand,
                           std::shared_ptr<Buffer> buffer) {
  Guard guard = engine_.guard();
  check_is_wanted(errand);
  bool is_whole = !here.torn && !errand.partial;
  if (is_whole && !buffer->has(data.version))
    throw Error("a peer offers other data than it was asked for");
  errand.torn = here.torn;
  errand.own = errand.streamed && !is_whole;
  errand.buffer = std::move(buffer);
  if (is_whole) stocks_[errand.lock].install(errand.buffer);
}

/// What is torn may still be written by who tore it. Whoever wants others to have copies leaves
/// what is here as it is until then.
void DataDesk::set_apart(Errand& errand, Guard& guard) {
  if (errand.own || (!errand.torn && !errand.apart)) return;
  std::uint64_t size = errand.data.size;
  std::shared_ptr<Buffer> copy = stocks_[errand.lock].take_spare(size);
  guard.unlock();
  copy_bytes(*errand.buffer, *copy, size);
  guard.lock();
  errand.buffer = copy;
  errand.own = true;
}

}  // namespace conch::peer
