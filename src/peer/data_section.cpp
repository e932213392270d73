// What a handle does with the data: from the lock that says where they are to the one that says
// where they were left.
#include <cstring>
#include <system_error>

#include "dho/copies.hpp"
#include "peer/data_handle.hpp"

namespace conch::peer {

namespace {

/// Whom the handle believes to hear: all that is said to it is said by its peer.
constexpr NodeId peer_itself{0};

}  // namespace

// How they come.

void DataHandle::begin_errand(const dho::Fetch& fetch) {
  auto errand = std::make_shared<Errand>();
  bool copies = writes_ && options_.copies > 0;
  errand->lock = line_->name;
  errand->number = fetch.number;
  errand->data = line_->data;
  errand->range = copies ? Range{} : handle_.window();
  errand->apart = copies;
  errand_ = errand;
  if (engine_.data().bring_at_once(*errand)) return end_errand(*errand, dho::Status::ok);
  bool nobody_waits = handle_.peer() != dho::Peer::blocked;
  if (nobody_waits) run_in_background();
}

/// So that a thread that does something else, or waits only for so long, need not do it.
void DataHandle::run_in_background() {
  if (!errand_ || std::exchange(errand_->taken, true)) return;
  try {
    engine_.data().spawn([self = shared_from_this(), errand = errand_] {
      Guard guard = self->engine_.guard();
      self->run_errand(errand, guard);
    });
  } catch (const std::system_error&) {  // Whoever comes for the data does it then.
    errand_->taken = false;
  }
}

/// The handle may have another by the time that it ends, or none: this one is the caller's.
void DataHandle::run_errand(const std::shared_ptr<Errand>& errand, Guard& guard) {
  errand->taken = true;
  dho::Status fault = dho::Status::ok;
  try {
    engine_.data().bring(*errand, guard);
  } catch (const std::bad_alloc&) {
    fault = dho::Status::no_memory;
  }
  bool is_meant = errand_ == errand && !errand->ended;
  if (!is_meant) return;
  end_errand(*errand, fault);
  carried_out(dho::Status::ok);
}

/// Nobody wants the data any more: the lock goes on without waiting for them.
void DataHandle::drop_errand() {
  if (!errand_ || errand_->ended) return;
  errand_->cancel();
  if (std::exchange(errand_->taken, true)) return;  // Who runs it ends it.
  end_errand(*errand_, dho::Status::ok);
  carry_out();
}

void DataHandle::end_errand(Errand& errand, dho::Status fault) {
  errand.taken = true;
  errand.ended = true;
  buffer_ = errand.cancelled ? nullptr : errand.buffer;
  own_ = errand.own;
  if (fault == dho::Status::ok && !buffer_) fault = dho::Status::peer_lost;
  if (fault == dho::Status::ok && errand.torn) fault = dho::Status::torn;
  if (fault == dho::Status::ok) {
    handle_.receive(peer_itself, dho::Data{errand.number, errand.total}, orders_);
  } else {
    handle_.receive(peer_itself, dho::Absent{errand.number, fault}, orders_);
  }
}

// Between acquire and release.

/// Who was told that the data are lost, and goes on, finds zeroes.
void DataHandle::begin_section() {
  written_.reset();
  if (!buffer_ && handle_.size() > 0) {
    try {
      grow(0, handle_.size());
    } catch (const std::bad_alloc&) {  // then there is nothing to map
    }
  }
  if (writes_ && buffer_ && !own_) buffer_->begin_writing(version());
}

std::span<std::byte> DataHandle::bytes() {
  Guard guard = engine_.guard();
  std::uint64_t size = handle_.size();
  std::uint64_t count = dho::bytes_in(handle_.window(), size);
  if (!is_inside() || leaving_ || !buffer_ || count == 0) return {};
  std::uint64_t begin = handle_.window().begin;
  if (writes_) return buffer_->writable(size).subspan(begin, count);
  std::span<const std::byte> bytes = buffer_->readable(size).subspan(begin, count);
  return {const_cast<std::byte*>(bytes.data()), count};  // The system sees that nobody writes.
}

dho::Status DataHandle::resize(std::uint64_t size) {
  Guard guard = engine_.guard();
  if (leaving_) return dho::Status::busy;
  const Range& window = handle_.window();
  std::uint64_t before = handle_.size();
  bool has_the_end = before <= window.end && size <= window.end - window.begin;
  if (is_inside() && writes_ && !has_the_end) return dho::Status::invalid;
  dho::Status status = handle_.resize(window.begin + size);
  if (status != dho::Status::ok) return status;
  try {
    grow(before, window.begin + size);
  } catch (const std::bad_alloc&) {
    handle_.resize(before);
    return dho::Status::no_memory;
  }
  return dho::Status::ok;
}

/// What comes in is zero, whatever was there.
void DataHandle::grow(std::uint64_t before, std::uint64_t size) {
  if (!buffer_) {
    buffer_ = engine_.data().stock(line_->name).take_spare(size);
    own_ = true;
    before = 0;
  }
  buffer_->reserve(size);
  if (size > before) std::memset(buffer_->writable(size).data() + before, 0, size - before);
}

// How they are left.

/// Before the lock is given back.
dho::Status DataHandle::end_section(Guard& guard) {
  if (!writes_) return dho::Status::ok;
  DataRef data{version(), handle_.size(), engine_.node().self().id};
  if (!buffer_ || data.size == 0) {
    bool is_unchanged = line_->data.size == 0 && !line_->rolled_back;
    if (is_unchanged) return dho::Status::ok;
    engine_.data().emptied(line_->name, data.version);
    written_ = DataRef{data.version, 0, std::nullopt};
    return dho::Status::ok;
  }
  leaving_ = true;
  dho::Status status = write_back(data, guard);
  leaving_ = false;
  // Without a lease nobody may count on what was written, nor on its copies.
  bool held_on = state == Claim::State::inside && engine_.has_lease();
  return held_on ? status : dho::Status::peer_lost;
}

dho::Status DataHandle::write_back(const DataRef& data, Guard& guard) {
  std::shared_ptr<Errand> errand = errand_;
  bool is_part = own_ && errand && errand->partial;
  if (is_part) {
    DataRef there{data.version, data.size, errand->data.location};
    if (!engine_.data().patch(*errand, there, guard)) return dho::Status::peer_lost;
    written_ = DataRef{data.version, data.size, errand->data.location};
    return dho::Status::ok;
  }
  buffer_->finish(data.version, data.size);
  Stock& stock = engine_.data().stock(line_->name);
  stock.install(buffer_);
  stock.owed = data.version;
  own_ = false;
  written_ = data;
  if (options_.copies > 0) {
    auto in_vain = [&] { return state != Claim::State::inside || !engine_.has_lease(); };
    std::shared_ptr<Buffer> buffer =
        buffer_;  // That the lock is lost meanwhile is no reason to stop.
    engine_.data().spread(line_->name, data, buffer, options_.copies, in_vain, guard);
  }
  return dho::Status::ok;
}

/// The lock goes on. What was nobody else's is of use for the next transfer.
void DataHandle::put_down() {
  bool is_spare = own_ && buffer_ && !(errand_ && errand_->partial);
  if (is_spare) engine_.data().stock(line_->name).put_spare(buffer_);
  buffer_.reset();
  own_ = false;
}

}  // namespace conch::peer
