#include "peer/data_mover.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "dho/parts.hpp"
#include "peer/engine.hpp"
#include "peer/saved_data.hpp"
#include "wire/limits.hpp"

namespace conch::peer {

using namespace recovery;
using namespace node;

namespace {

using Kind = TransferEnd::Kind;

template <class T>
std::string question_of(const T& question) {
  std::string bytes;
  encode(bytes, DataQuestion(question));
  return bytes;
}

DataAnswer answer_in(const net::Stream::Message& note) {
  std::string why;
  auto answer = unpacked<DataAnswer>(note.text, why);
  if (!answer) throw Error("malformed answer about data");
  return *answer;
}

template <class T>
bool is(const DataAnswer& answer) {
  return std::holds_alternative<T>(answer);
}

/// The result of offering data to be kept.
TransferEnd end_of(const DataAnswer& answer) {
  return {is<KeptData>(answer) ? Kind::kept : Kind::declined};
}

/// The range that is moved; none for transfers that always move everything.
std::optional<Range> range_of(const Transfer& transfer) {
  if (const auto* fetch = std::get_if<FetchData>(&transfer.question)) return fetch->range;
  if (const auto* patch = std::get_if<PatchData>(&transfer.question)) return patch->range;
  return std::nullopt;
}

Buffer& buffer_of(const Transfer& transfer) { return static_cast<Buffer&>(*transfer.block); }

}  // namespace

// Transfers.

void DataMover::begin(Transfer transfer) {
  if (is_stopped_) return;
  auto running = std::make_shared<Running>(Running{std::move(transfer), nullptr});
  if (auto range = range_of(running->transfer)) {
    running->progress = std::make_shared<TransferProgress>();
    running->progress->total = dho::bytes_in(*range, running->transfer.data.size);
  }
  running_.emplace(running->transfer.number, running);
  if (!running->transfer.is_awaited) start(running);
}

void DataMover::start(const Shared& running) {
  running->is_taken = true;
  try {
    spawn([this, running] {
      Guard guard = engine_.guard();
      run(running, guard);
    });
  } catch (const std::system_error&) {
    running->is_taken = false;
  }
}

void DataMover::begin_again() {
  for (const auto& [number, running] : running_)
    if (!running->is_taken) start(running);
}

bool DataMover::carry_out(std::uint64_t number, Guard& guard) {
  auto found = running_.find(number);
  if (found == running_.end() || found->second->is_taken) return false;
  Shared running = found->second;
  running->is_taken = true;
  run(running, guard);
  return true;
}

/// A transfer that no thread has taken is erased at once; otherwise its thread finishes it.
void DataMover::abort(std::uint64_t number) {
  auto found = running_.find(number);
  if (found == running_.end()) return;
  Running& running = *found->second;
  running.is_aborted = true;
  if (running.stream) running.stream->abort();
  if (!running.is_taken) running_.erase(found);
}

std::shared_ptr<TransferProgress> DataMover::progress(std::uint64_t number) const {
  auto found = running_.find(number);
  return found == running_.end() ? nullptr : found->second->progress;
}

void DataMover::run(const Shared& running, Guard& guard) {
  net::StreamOptions options = stream_options();
  guard.unlock();
  TransferEnd end = carry_out(*running, options);
  guard.lock();
  running_.erase(running->transfer.number);
  engine_.node().data().ended(running->transfer.number, end, net::steady_now());
  engine_.settle();
}

net::StreamOptions DataMover::stream_options() const {
  const PeerOptions& options = engine_.options();
  return {
      engine_.node().self(), engine_.group(),  std::string(engine_.node().algorithm().about.name),
      tls_of(options.tls),   options.tcp_only, engine_.socket_folder(),
      engine_.build().speaks};
}

TransferEnd DataMover::carry_out(Running& running, const net::StreamOptions& options) {
  const Transfer& transfer = running.transfer;
  if (const auto* copy = std::get_if<CopyData>(&transfer.question)) {
    try {
      copy->into->copy(*transfer.block, transfer.data.size);
    } catch (const std::bad_alloc&) {
      return {Kind::no_memory};
    }
    return {Kind::came, copy->into};
  }
  return talk(running, options, [&](net::Stream& stream) {
    if (std::holds_alternative<FetchData>(transfer.question)) return fetch(running, stream);
    if (std::holds_alternative<KeepData>(transfer.question)) return offer(running, stream);
    return patch(running, stream);
  });
}

/// Asks again over a new stream if one that was reused turns out to be broken.
template <class Talk>
TransferEnd DataMover::talk(Running& running, const net::StreamOptions& options, Talk&& talk) {
  const Transfer& transfer = running.transfer;
  for (;;) {
    Streams::Loan loan;
    try {
      loan = streams_.borrow(options, transfer.with, transfer.address);
      {
        Guard guard = engine_.guard();
        running.stream = loan.stream;
        if (running.is_aborted) throw Error("the data are no longer wanted");
      }
      TransferEnd end = talk(*loan.stream);
      streams_.give_back(transfer.with, loan.stream);
      return end;
    } catch (const Error&) {
      streams_.strike(loan.stream);
    } catch (const std::bad_alloc&) {
      streams_.strike(loan.stream);
      return {Kind::no_memory};
    }
    Guard guard = engine_.guard();
    running.stream.reset();
    if (!loan.is_used || running.is_aborted) return {};
  }
}

TransferEnd DataMover::fetch(const Running& running, net::Stream& stream) {
  const Transfer& transfer = running.transfer;
  stream.say(question_of(std::get<FetchData>(transfer.question)));
  net::Stream::Message note = stream.hear();
  DataAnswer answer = answer_in(note);
  if (is<GoneData>(answer)) return {Kind::gone};
  const auto* here = std::get_if<HereData>(&answer);
  if (!here || here->size != transfer.data.size || here->attached != bool(note.descriptor))
    throw Error("a peer offers data that do not fit the question");
  if (!here->attached) return receive(running, here->torn, stream);
  ++traffic_.passed;
  running.progress->moved = running.progress->total.load();
  return {Kind::came, std::make_shared<Buffer>(std::move(note.descriptor)), here->torn};
}

TransferEnd DataMover::receive(const Running& running, bool is_torn, net::Stream& stream) {
  const Transfer& transfer = running.transfer;
  const auto& m = std::get<FetchData>(transfer.question);
  std::shared_ptr<Block> block;
  {
    Guard guard = engine_.guard();
    block = engine_.node().data().make_room(transfer.number);
  }
  if (!block) throw Error("the data are no longer wanted");
  std::uint64_t total = running.progress->total;
  try {
    auto bytes = static_cast<Buffer&>(*block).writable(transfer.data.size);
    stream.receive(bytes.subspan(m.range.begin, total), running.progress->moved);
    DataAnswer answer = answer_in(stream.hear());
    const auto* sound = std::get_if<SoundData>(&answer);
    if (!sound || !sound->sound) throw Error("the data have changed in the meantime");
  } catch (...) {
    Guard guard = engine_.guard();
    engine_.node().data().put_spare(m.lock, block);
    throw;
  }
  count_unguarded(0, total);
  return {Kind::came, block, is_torn, true};
}

TransferEnd DataMover::offer(const Running& running, net::Stream& stream) {
  const Transfer& transfer = running.transfer;
  KeepData m = std::get<KeepData>(transfer.question);
  Buffer& buffer = buffer_of(transfer);
  // A leaving peer does not hold the lock, so another process of this machine may begin to write.
  auto expect_unchanged = [&] {
    if (!buffer.has(m.data.version)) throw Error("the data have changed in the meantime");
  };
  m.attached = stream.is_local();
  if (m.attached) {
    ++traffic_.passed;
    stream.say(question_of(m), buffer.share());
    return end_of(answer_in(stream.hear()));
  }
  if (m.data.size <= wire::enclosure_bytes_max) {
    m.enclosed = buffer.text(m.data.size);
    expect_unchanged();
  }
  stream.say(question_of(m));
  if (!m.enclosed.empty()) count_unguarded(m.data.size, 0);
  DataAnswer answer = answer_in(stream.hear());
  if (!is<GoOn>(answer)) return end_of(answer);
  // Send the last byte only after checking that all bytes are of this version.
  std::atomic<std::uint64_t> moved = 0;
  std::span<const std::byte> bytes = buffer.readable(m.data.size);
  std::vector<std::byte> last(bytes.end() - std::min<std::ptrdiff_t>(1, std::ssize(bytes)),
                              bytes.end());
  stream.send(bytes.first(bytes.size() - last.size()), moved);
  expect_unchanged();
  stream.send(last, moved);
  count_unguarded(m.data.size, 0);
  return end_of(answer_in(stream.hear()));
}

TransferEnd DataMover::patch(const Running& running, net::Stream& stream) {
  const Transfer& transfer = running.transfer;
  const auto& m = std::get<PatchData>(transfer.question);
  stream.say(question_of(m));
  DataAnswer answer = answer_in(stream.hear());
  if (!is<GoOn>(answer)) return end_of(answer);
  std::uint64_t total = m.range.end - m.range.begin;
  auto bytes = buffer_of(transfer).readable(transfer.data.size);
  stream.send(bytes.subspan(m.range.begin, total), running.progress->moved);
  count_unguarded(total, 0);
  return end_of(answer_in(stream.hear()));
}

void DataMover::count(std::uint64_t sent, std::uint64_t received) {
  traffic_.bytes_sent += sent;
  traffic_.bytes_received += received;
  engine_.tell_data(sent, received);
}

void DataMover::count_unguarded(std::uint64_t sent, std::uint64_t received) {
  Guard guard = engine_.guard();
  count(sent, received);
}

// Threads.

void DataMover::spawn(std::function<void()> work) {
  std::lock_guard guard(threads_mutex_);
  std::thread([this, work = std::move(work)] {
    work();
    std::lock_guard guard(threads_mutex_);
    --threads_;
    threads_changed_.notify_all();
  }).detach();
  ++threads_;
}

void DataMover::stop() {
  streams_.close();
  {
    Guard guard = engine_.guard();
    is_stopped_ = true;
    for (const auto& [number, running] : running_) running->is_aborted = true;
  }
  Guard guard(threads_mutex_);
  threads_changed_.wait(guard, [&] { return threads_ == 0; });
}

// Data saved when a group ends.

void DataMover::save(const std::string& lock, Block& block) {
  std::string folder = engine_.data_folder();
  if (folder.empty()) return;
  try {
    save_data(folder, lock, static_cast<Buffer&>(block).readable(block.size()));
  } catch (const Error& error) {
    engine_.log(error.what());
  }
}

void DataMover::forget_saved(const std::string& lock) {
  if (std::string folder = engine_.data_folder(); !folder.empty()) forget_data(folder, lock);
}

std::vector<std::string> DataMover::saved_locks() {
  std::string folder = engine_.data_folder();
  try {
    return folder.empty() ? std::vector<std::string>() : peer::saved_locks(folder);
  } catch (const Error& error) {
    engine_.log(error.what());
    return {};
  }
}

std::shared_ptr<Block> DataMover::load(const std::string& lock, std::uint64_t version) {
  try {
    auto buffer = std::make_shared<Buffer>(0);
    buffer->finish(version, load_data(engine_.data_folder(), lock, *buffer));
    return buffer;
  } catch (const Error& error) {
    engine_.log(error.what());
  } catch (const std::bad_alloc&) {
    engine_.log("out of memory for the data of '" + lock + "'");
  }
  return nullptr;
}

}  // namespace conch::peer
