// What happens to the data when a peer leaves, when the last one leaves, and when the first one of
// a new group begins.
#include <algorithm>

#include "node/data_store.hpp"

namespace conch::node {

using namespace recovery;

/// Whether this peer has to see to it that these data, the newest, do not end with it.
bool DataStore::is_answerable(const std::string& lock, const LockData& data) const {
  std::uint64_t version = data.version();
  if (version == 0 || version == data.bequeathed) return false;
  // Newer data may have been lost since this peer heard of them.
  DataRef known = knowledge_.known_data(lock);
  bool is_ours = known.location == self_.id && known.version == version;
  return is_ours || (data.owed == version && version > data.outdated);
}

std::optional<std::string> DataStore::find_answerable() const {
  for (const auto& [lock, data] : locks_)
    if (is_answerable(lock, data)) return lock;
  return std::nullopt;
}

void DataStore::bequeath(Time until, Time now) {
  phase_ = Phase::leaving;
  leaves_until_ = until;
  go_on_leaving(now);
}

void DataStore::go_on_leaving(Time now) {
  if (phase_ != Phase::leaving) return;
  heir_.again = Time::max();
  while (std::optional<std::string> lock = find_answerable()) {
    if (now >= leaves_until_) {
      world_.log("nobody takes over the data of '" + *lock + "': they are lost with this peer",
                 LogLevel::warning);
      break;
    }
    if (heir_.transfer) return;
    LockData::Whole whole = locks_[*lock].find_whole();
    if (!whole.block) continue;  // Another process of this machine has begun to write.
    if (heir_.lock != *lock || heir_.version != whole.version) heir_ = {*lock, whole.version};
    lock_to_end_.reset();
    if (others().empty()) return void(lock_to_end_ = lock);
    if (offer(whole, now)) return;
  }
  if (auto number = std::exchange(heir_.transfer, std::nullopt)) world_.abort(*number);
  lock_to_end_.reset();
  phase_ = Phase::gone;
}

/// Offers the data to the next member, or waits before it asks all of them again. False if the peer
/// has to insist from now on.
bool DataStore::offer(const LockData::Whole& whole, Time now) {
  for (const Member* each : others()) {
    if (heir_.asked.contains(each->life())) continue;
    DataRef data{whole.version, whole.size, self_.id};
    heir_.transfer = ++number_;
    heir_.with = each->life();
    world_.begin({.number = number_,
                  .question = KeepData{heir_.lock, data, true, heir_.insist},
                  .with = each->life(),
                  .address = each->address,
                  .data = data,
                  .block = whole.block});
    return true;
  }
  heir_.asked.clear();
  heir_.insist = !heir_.insist;
  if (heir_.insist) return false;
  heir_.again = now + round_delay;
  return true;
}

void DataStore::heir_answered(const TransferEnd& end, Time now) {
  heir_.transfer.reset();
  if (end.kind == TransferEnd::Kind::kept) {
    // The data stay here as well, because the lock still says that they are here.
    if (auto found = locks_.find(heir_.lock); found != locks_.end())
      found->second.bequeathed = heir_.version;
  } else {
    heir_.asked.insert(heir_.with);
  }
  go_on_leaving(now);
}

/// The last peer saves the data, and its lock says that there are none. So a peer that joins before
/// the last one is gone begins with nothing, instead of asking for data that nobody has any more.
bool DataStore::end(const std::string& lock, Time now) {
  bool is_last = others().empty();
  if (is_last) {
    LockData& here = locks_[lock];
    LockData::Whole whole = here.find_whole();
    if (whole.block) world_.save_data(lock, *whole.block);
    here.bequeathed = whole.version;
  }
  go_on_leaving(now);
  return is_last;
}

void DataStore::not_entered(Time now) {
  lock_to_end_.reset();
  heir_.again = now + round_delay;
}

std::optional<DataRef> DataStore::restore(const std::string& lock, std::uint64_t version) {
  std::shared_ptr<Block> block = world_.load_data(lock, version);
  if (!block) return std::nullopt;
  LockData& here = locks_[lock];
  here.install(block);
  here.owed = version;
  return DataRef{version, block->size(), self_.id};
}

}  // namespace conch::node
