// How copies come to other peers: because a writer wants them, or because this peer leaves.
#include <fmt/core.h>

#include <algorithm>

#include "peer/data_desk.hpp"
#include "peer/engine.hpp"
#include "peer/saved_data.hpp"
#include "wire/limits.hpp"

namespace conch::peer {

using namespace recovery;

namespace {

/// Between two rounds of asking members who did not want to, or could not be reached.
constexpr Duration round_delay = std::chrono::milliseconds(50);

template <class T>
std::string question_of(const T& question) {
  std::string bytes;
  encode(bytes, DataQuestion(question));
  return bytes;
}

std::optional<DataAnswer> hear_answer(net::Stream& stream) {
  std::string why;
  return node::unpacked<DataAnswer>(stream.hear().text, why);
}

template <class T>
bool is(const std::optional<DataAnswer>& answer) {
  return answer && std::holds_alternative<T>(*answer);
}

}  // namespace

/// Runs a conversation over a stream to a member, without the guard. What was said over a stream
/// that had broken before is said again over a new one.
template <class Talk>
DataDesk::Answer DataDesk::talk(const Keeper& keeper, Guard& guard, Talk&& talk) {
  net::StreamOptions options = stream_options();
  guard.unlock();
  Answer answer = Answer::failed;
  bool was_used = true;
  while (answer == Answer::failed && was_used) {
    std::shared_ptr<net::Stream> stream;
    try {
      Streams::Loan loan = streams_.borrow(options, keeper.life, keeper.address);
      stream = loan.stream;
      was_used = loan.is_used;
      answer = talk(*stream) ? Answer::kept : Answer::declined;
      streams_.give_back(keeper.life, stream);
    } catch (const Error&) {
      if (!stream) was_used = false;
      streams_.strike(stream);
    }
  }
  guard.lock();
  return answer;
}

DataDesk::Answer DataDesk::ask_to_keep(const Keeper& keeper, KeepData m, Buffer& buffer,
                                       Guard& guard) {
  return talk(keeper, guard, [&](net::Stream& stream) {
    m.attached = stream.is_local();
    if (m.attached) {
      ++traffic_.passed;
      stream.say(question_of(m), buffer.share());
      return is<KeptData>(hear_answer(stream));
    }
    if (m.data.size <= wire::enclosure_bytes_max) m.enclosed = buffer.text(m.data.size);
    stream.say(question_of(m));
    if (!m.enclosed.empty()) count(m.data.size, 0);
    std::optional<DataAnswer> answer = hear_answer(stream);
    if (!is<GoOn>(answer)) return is<KeptData>(answer);
    std::atomic<std::uint64_t> moved = 0;
    stream.send(buffer.readable(m.data.size), moved);
    count(m.data.size, 0);
    return is<KeptData>(hear_answer(stream));
  });
}

void DataDesk::spread(const std::string& lock, const DataRef& data,
                      const std::shared_ptr<Buffer>& buffer, unsigned copies,
                      const std::function<bool()>& in_vain, Guard& guard) {
  KeepData m{lock, data};
  std::set<Life> have;
  for (;;) {
    std::vector<Keeper> members = others();
    std::size_t missing = std::min<std::size_t>(copies, members.size());
    for (const Keeper& keeper : members)
      if (have.contains(keeper.life) && missing > 0) --missing;
    for (const Keeper& keeper : members) {
      if (missing == 0 || in_vain()) return;
      if (have.contains(keeper.life)) continue;
      if (ask_to_keep(keeper, m, *buffer, guard) != Answer::kept) continue;
      have.insert(keeper.life);
      --missing;
    }
    if (missing == 0 || in_vain()) return;
    view_changed_.wait_for(guard, round_delay);
  }
}

bool DataDesk::patch(Errand& errand, const DataRef& data, Guard& guard) {
  while (!errand.cancelled && errand.data.location) {
    std::optional<Keeper> keeper = member(*errand.data.location);
    Answer answer = Answer::failed;
    if (keeper) {
      PatchData m{errand.lock, errand.data.version, data, errand.range};
      m.range.end = std::min(m.range.end, data.size);
      answer = talk(*keeper, guard, [&](net::Stream& stream) {
        stream.say(question_of(m));
        if (!is<GoOn>(hear_answer(stream))) return false;
        auto bytes = errand.buffer->readable(data.size);
        stream.send(bytes.subspan(m.range.begin, m.range.end - m.range.begin), errand.moved);
        count(m.range.end - m.range.begin, 0);
        return is<KeptData>(hear_answer(stream));
      });
    }
    if (answer != Answer::failed) return answer == Answer::kept;
    errand.woken.wait_for(guard, round_delay);
  }
  return false;
}

// Leaving.

/// It is for this peer to see that the newest data do not end with it.
bool DataDesk::is_answerable(const std::string& lock, const Stock& stock) const {
  std::uint64_t version = stock.version();
  if (version == 0 || version <= stock.outdated) return false;
  DataRef known = engine_.node().steward().known_data(lock);
  bool is_ours = known.location == engine_.node().self().id && known.version == version;
  return is_ours || stock.owed == version;
}

std::optional<std::string> DataDesk::find_answerable() const {
  for (const auto& [lock, stock] : stocks_)
    if (is_answerable(lock, stock)) return lock;
  return std::nullopt;
}

void DataDesk::bequeath(Time until, Guard& guard) {
  phase_ = Phase::leaving;
  bool insist = false;
  while (std::optional<std::string> lock = find_answerable()) {
    bool is_alone = others().empty();
    if (is_alone ? end_data(*lock, until, guard) : find_heir(*lock, insist, guard)) continue;
    if (net::steady_now() >= until) {
      engine_.log(fmt::format("nobody takes the data of '{}': they end with this peer", *lock));
      break;
    }
    if (insist) view_changed_.wait_for(guard, round_delay);
    insist = !insist;
  }
  phase_ = Phase::gone;
}

bool DataDesk::find_heir(const std::string& lock, bool insist, Guard& guard) {
  std::uint64_t version = stocks_[lock].version();
  KeepData m{lock, {version, stocks_[lock].size(), engine_.node().self().id}, true, insist};
  std::shared_ptr<Buffer> buffer = stocks_[lock].find(version);
  for (const Keeper& keeper : others()) {
    if (!buffer || ask_to_keep(keeper, m, *buffer, guard) != Answer::kept) continue;
    stocks_[lock].outdated = version;  // But it stays: the lock still says that it is here.
    return true;
  }
  return !buffer;
}

// A group that ends, and begins again.

/// Of the last peer: whoever comes before it has gone finds nothing, not something that is missing.
/// False if somebody has come already, or it is too late.
bool DataDesk::end_data(const std::string& lock, Time until, Guard& guard) {
  return visit(lock, until, guard, [&](LockDesk& desk, std::uint64_t fence) {
    if (!others().empty()) return false;
    save(lock);
    stocks_[lock].outdated = stocks_[lock].version();
    desk.data = {fence, 0, std::nullopt};
    return true;
  });
}

void DataDesk::save(const std::string& lock) {
  std::string folder = engine_.data_folder();
  Stock& stock = stocks_[lock];
  std::shared_ptr<Buffer> buffer = stock.find(stock.version());
  if (folder.empty() || !buffer) return;
  try {
    save_data(folder, lock, buffer->readable(buffer->size()));
  } catch (const Error& error) {
    engine_.log(error.what());
  }
}

void DataDesk::emptied(const std::string& lock, std::uint64_t version) {
  outdated(lock, version);
  if (std::string folder = engine_.data_folder(); !folder.empty()) forget_data(folder, lock);
}

/// Enters a lock to see to its data; false if that did not come to pass.
template <class Work>
bool DataDesk::visit(const std::string& lock, std::optional<Time> until, Guard& guard,
                     Work&& work) {
  LockDesk& desk = engine_.node().desk_at(lock);
  ++desk.users;
  ThreadClaim claim(Mode::write);
  Time now = net::steady_now();
  engine_.node().take_place(claim, desk, now);
  engine_.settle();
  engine_.wait(claim, until, guard);
  auto leave = [&] {
    engine_.give_up(claim, guard);
    --desk.users;
  };
  try {
    bool done = claim.state == Claim::State::inside && work(desk, claim.fence.number());
    return leave(), done;
  } catch (...) {
    leave();
    throw;
  }
}

void DataDesk::restore(Guard& guard) {
  std::string folder = engine_.data_folder();
  if (folder.empty() || !others().empty()) return;
  try {
    for (const std::string& lock : saved_locks(folder)) restore(folder, lock, guard);
  } catch (const Error& error) {
    engine_.log(error.what());
  }
}

/// As if this peer wrote them now; unless somebody has written meanwhile.
void DataDesk::restore(const std::string& folder, const std::string& lock, Guard& guard) {
  visit(lock, std::nullopt, guard, [&](LockDesk& desk, std::uint64_t version) {
    if (desk.data != DataRef{}) return false;
    auto buffer = std::make_shared<Buffer>(0);
    std::uint64_t size = load_data(folder, lock, *buffer);
    buffer->finish(version, size);
    Stock& stock = stocks_[lock];
    stock.install(buffer);
    stock.owed = version;
    desk.data = {version, size, engine_.node().self().id};
    return true;
  });
}

}  // namespace conch::peer
