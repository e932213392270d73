#include "node/data_store.hpp"

#include <algorithm>

#include "dho/parts.hpp"
#include "wire/limits.hpp"

namespace conch::node {

using namespace recovery;
using dho::bytes_in;

// The group.

void DataStore::live_as(const PeerInstance& life) {
  if (self_ == life) return;
  self_ = life;
  roster_ = {};
  forced_.clear();
  std::erase_if(locks_, [](const auto& each) { return each.second.handles == 0; });
  for (auto& [lock, data] : locks_) {
    unsigned handles = data.handles;
    data = LockData();
    data.handles = handles;
  }
}

void DataStore::follow_view(const View& view, Time now) {
  roster_ = view.roster;
  for (const Forced& each : view.forced) forced_[each.lock] = each.epoch;
  heir_.asked.clear();
  for (DataSection* section : std::vector(busy_)) go_on(*section, now);
  go_on_leaving(now);
}

/// All other members, those with larger identifiers first, so that not all peers ask the same one.
std::vector<const Member*> DataStore::others() const {
  std::vector<const Member*> before;
  std::vector<const Member*> after;
  for (const Member& each : roster_) {
    if (each.id == self_.id) continue;
    (each.id < self_.id ? before : after).push_back(&each);
  }
  after.insert(after.end(), before.begin(), before.end());
  return after;
}

Time DataStore::wakes() const {
  Time next = phase_ == Phase::leaving ? std::min(leaves_until_, heir_.again) : Time::max();
  for (const DataSection* section : busy_) next = std::min(next, section->again_);
  return next;
}

void DataStore::look_after(Time now) {
  for (DataSection* section : std::vector(busy_))
    if (section->again_ <= now) go_on(*section, now);
  bool is_due = std::min(leaves_until_, heir_.again) <= now;
  if (phase_ == Phase::leaving && is_due) go_on_leaving(now);
}

// Handles.

void DataStore::close(const std::string& lock) {
  --locks_.at(lock).handles;
  drop_if_useless(lock);
}

/// A process without a handle keeps only data that may be the newest.
void DataStore::drop_if_useless(const std::string& lock) {
  auto found = locks_.find(lock);
  if (found == locks_.end() || found->second.handles > 0) return;
  if (is_useless(found->second)) locks_.erase(found);
}

void DataStore::enter(DataSection& section, const DataRef& data) {
  cancel(section);
  section.block.reset();
  section.is_aside = section.is_partial = section.is_torn_ = section.is_streamed_ = false;
  section.data_ = data;
  section.written_.reset();
  section.without_.clear();
  section.have_.clear();
  // Data that came ahead of the lock count from here on, and the next epoch is told of them.
  LockData& here = locks_[section.lock];
  if (!here.find_newest(data.version) && here.unpack(data, world_)) {
    ++enclosures_;
    section.is_streamed_ = true;
  }
}

void DataStore::move(DataSection& section, const DataRef& data, Time now) {
  if (section.data_ != data) section.without_.clear();
  section.data_ = data;
  if (section.is_busy()) go_on(section, now);
}

bool DataStore::is_part(const DataSection& section) const {
  std::uint64_t size = section.data_.size;
  return bytes_in(range_of(section), size) < size;
}

/// Finds the data in this process's memory, whole or torn.
bool DataStore::find_here(DataSection& section) {
  LockData& here = locks_[section.lock];
  section.is_torn_ = false;
  section.block = here.find_newest(section.data_.version);
  if (section.block) return true;
  section.block = here.find_torn(section.data_.version);
  return section.is_torn_ = section.block != nullptr;
}

bool DataStore::bring_at_once(DataSection& section) {
  std::uint64_t size = section.data_.size;
  bool is_little = size <= wire::enclosure_bytes_max;
  if (is_apart(section) && !is_little) return false;
  if (!find_here(section) || section.is_torn_) return false;
  if (!is_apart(section)) return true;
  try {
    std::shared_ptr<Block> copy = locks_[section.lock].take_spare(size, world_);
    copy->copy(*section.block, size);
    if (!section.block->has(section.data_.version)) return false;  // It has changed.
    section.block = copy;
  } catch (const std::bad_alloc&) {
    return false;
  }
  return section.is_aside = true;
}

bool DataStore::begin(DataSection& section, std::uint64_t version, std::uint64_t size) {
  if (section.is_in_vain()) return section.block.reset(), false;
  section.written_.reset();
  if (!section.block && size > 0) {
    try {
      resize(section, 0, size);
    } catch (const std::bad_alloc&) {  // then there is nothing to map
    }
  }
  bool is_in_place = section.writes && section.block && !section.is_aside;
  if (!is_in_place) return true;
  // The next holder looks for the mark, so the lock is checked again after it was set. If others
  // have written before, the block keeps what they left.
  Block& block = *section.block;
  bool is_marked = block.begin_writing(version);
  if (is_marked && !section.is_in_vain()) return true;
  if (is_marked) block.finish(block.version(), block.size());
  return section.block.reset(), false;
}

void DataStore::resize(DataSection& section, std::uint64_t before, std::uint64_t size) {
  if (!section.block) {
    section.block = locks_[section.lock].take_spare(size, world_);
    section.is_aside = true;
    before = 0;
  }
  section.block->reserve(size);
  if (size > before) section.block->zero(before, size);
}

std::optional<DataStore::Status> DataStore::leave(DataSection& section, const DataRef& data,
                                                  bool is_rolled_back, Time now) {
  if (!section.writes) return Status::ok;
  // Without a lease nobody may rely on what was written, nor take it for the newest.
  if (section.is_in_vain()) return Status::peer_lost;
  if (!section.block || data.size == 0) {
    bool is_unchanged = section.data_.size == 0 && !is_rolled_back;
    if (is_unchanged) return Status::ok;
    emptied(section.lock, data.version);
    section.written_ = DataRef{data.version, 0, std::nullopt};
    section.replaced(*section.written_);
    return Status::ok;
  }
  section.written_ = data;
  if (section.is_aside && section.is_partial) {
    section.doing_ = DataSection::Doing::patching;
    return start(section, now);
  }
  section.block->finish(data.version, data.size);
  LockData& here = locks_[section.lock];
  here.install(section.block);
  here.owed = data.version;
  section.is_aside = false;
  section.replaced(data);
  if (section.copies == 0) return Status::ok;
  section.doing_ = DataSection::Doing::spreading;
  section.without_.clear();
  return start(section, now);
}

std::optional<DataRef> DataStore::put_down(DataSection& section) {
  std::optional<DataRef> written = std::exchange(section.written_, std::nullopt);
  // A keeper on another machine does not see what was written here, and can drop its copy.
  bool is_moved = written && written->location == self_.id && section.is_streamed_;
  const Member* keeper =
      is_moved && section.data_.location ? roster_.find(*section.data_.location) : nullptr;
  if (keeper && keeper->life() != self_)
    mail_.send(keeper->life(),
               packed(PayloadKind::outdated, Outdated{section.lock, section.data_.version}));
  bool is_spare = section.is_aside && section.block && !section.is_partial;
  if (is_spare) put_spare(section.lock, section.block);
  section.block.reset();
  section.is_aside = section.is_streamed_ = false;
  return written;
}

// Requests of other peers.

DataStore::Found DataStore::find(const std::string& lock, std::uint64_t version) const {
  auto found = locks_.find(lock);
  if (found == locks_.end()) return {};
  if (auto block = found->second.find(version)) return {block, false};
  return {found->second.find_torn(version), true};
}

std::uint64_t DataStore::version(const std::string& lock) const {
  auto found = locks_.find(lock);
  return found == locks_.end() ? 0 : found->second.version();
}

/// Whether the lock was forced open since its holder entered with this fence. What such a holder
/// said before it was told may come late.
bool DataStore::is_overdue(const std::string& lock, std::uint64_t fence) const {
  auto found = forced_.find(lock);
  return found != forced_.end() && Fence(fence).epoch() < found->second;
}

/// Accepts data only from members, only while this peer can answer for them, and not from a holder
/// whose lock was forced open.
bool DataStore::accepts(const PeerInstance& from, const KeepData& m) const {
  if (!roster_.contains(from) || m.data.version == 0) return false;
  if (!m.inherit && is_overdue(m.lock, m.data.version)) return false;
  switch (phase_) {
    case Phase::here: return true;
    case Phase::leaving: return m.inherit && m.insist && from.id < self_.id;
    case Phase::gone: return false;
  }
  return false;
}

std::shared_ptr<Block> DataStore::make_room(const KeepData& m) {
  LockData& here = locks_[m.lock];
  return here.has_or_outdates(m.data.version) ? nullptr : here.take_spare(m.data.size, world_);
}

/// Data that are here already stay where they are, because a holder may be using them. Data that
/// are older than those count as kept, also while a holder writes on the newer ones.
bool DataStore::keep(const PeerInstance& from, const KeepData& m,
                     const std::shared_ptr<Block>& block) {
  LockData& here = locks_[m.lock];
  bool is_here = here.has_or_outdates(m.data.version);
  bool is_newest = here.version_or_torn() <= m.data.version;
  bool has_come = block && block->has(m.data.version) && block->size() == m.data.size;
  bool is_kept = (is_here || has_come) && accepts(from, m);
  if (!is_kept) return drop_if_useless(m.lock), false;
  if (!is_here) here.install(block);
  has_news_ = true;
  if (m.inherit && is_newest) here.owed = m.data.version;
  return true;
}

DataStore::PatchAnswer DataStore::accepts(const PeerInstance& from, const PatchData& m) const {
  bool makes_sense = m.range.begin <= m.range.end && m.range.end <= m.data.size &&
                     m.data.version != 0 && phase_ == Phase::here;
  auto found = locks_.find(m.lock);
  if (!makes_sense || !roster_.contains(from) || found == locks_.end())
    return PatchAnswer::declined;
  // The sender has patched it already, and has not received the answer.
  if (found->second.find(m.data.version)) return PatchAnswer::kept;
  if (is_overdue(m.lock, m.data.version)) return PatchAnswer::declined;
  // This version was reported to the next epoch, and would be lost if it changed now.
  if (!knowledge_.is_working()) return PatchAnswer::later;
  return found->second.find(m.version) ? PatchAnswer::go_on : PatchAnswer::declined;
}

DataStore::PatchAnswer DataStore::patch(const PeerInstance& from, const PatchData& m,
                                        std::string_view bytes) {
  PatchAnswer answer = accepts(from, m);
  if (answer != PatchAnswer::go_on) return answer;
  LockData& here = locks_[m.lock];
  std::shared_ptr<Block> block = here.find(m.version);
  // A peer that has lost the lock may have marked the block, and will leave it as it was.
  if (!block) return PatchAnswer::later;
  // A patch that moves the end of the data has to bring all bytes up to the new end.
  bool has_the_end = m.range.begin <= block->size() && m.range.end == m.data.size;
  if (m.data.size != block->size() && !has_the_end) return PatchAnswer::declined;
  block->reserve(m.data.size);
  if (!block->begin_writing(m.data.version)) return PatchAnswer::later;
  block->fill(bytes, m.range.begin);
  block->finish(m.data.version, m.data.size);
  here.install(block);
  has_news_ = true;
  here.owed = m.data.version;
  return PatchAnswer::kept;
}

void DataStore::put_spare(const std::string& lock, const std::shared_ptr<Block>& block) {
  auto found = locks_.find(lock);
  if (found == locks_.end()) return;
  found->second.put_spare(block);
  drop_if_useless(lock);
}

// The locks.

void DataStore::enclose(const PeerInstance& to, const std::string& lock, const DataRef& data) {
  bool is_wanted = data.size <= wire::enclosure_bytes_max && data.location != to.id;
  auto found = is_wanted ? locks_.find(lock) : locks_.end();
  std::shared_ptr<Block> block = found == locks_.end() ? nullptr : found->second.find(data.version);
  if (!block || !mail_.can_enclose(to)) return;
  try {
    Enclosure enclosure{lock, data.version, block->text(data.size)};
    // The sender of the message need not hold the lock, and the holder may have begun to write.
    if (!block->has(data.version)) return;
    if (!mail_.send(to, packed(PayloadKind::enclosure, enclosure))) return;
  } catch (const std::bad_alloc&) {
    return;  // The receiver will fetch them.
  }
  world_.count_data(data.size, 0);
}

void DataStore::take_enclosure(Enclosure enclosure) {
  auto found = locks_.find(enclosure.lock);
  if (found == locks_.end() || found->second.handles == 0) return;
  world_.count_data(0, enclosure.bytes.size());
  found->second.enclose(enclosure.version, std::move(enclosure.bytes));
}

void DataStore::outdated(const std::string& lock, std::uint64_t version) {
  auto found = locks_.find(lock);
  if (found == locks_.end()) return;
  found->second.outdated = std::max(found->second.outdated, version);
  drop_if_useless(lock);
}

/// A holder has written that there are no data.
void DataStore::emptied(const std::string& lock, std::uint64_t version) {
  outdated(lock, version);
  world_.forget_saved(lock);
}

bool DataStore::is_tidy() const {
  bool keeps_nothing_useless = std::all_of(locks_.begin(), locks_.end(), [](const auto& each) {
    return each.second.handles > 0 || !is_useless(each.second);
  });
  return keeps_nothing_useless && busy_.empty() && !heir_.transfer;
}

std::vector<ArrivedData> DataStore::new_copies() {
  std::vector<ArrivedData> copies;
  has_news_ = false;
  for (auto& [lock, here] : locks_) {
    LockData::Whole whole = here.find_whole();
    if (!whole.block || whole.version == here.told) continue;
    here.told = whole.version;
    copies.push_back({lock, {whole.version, whole.size, self_.id}});
  }
  return copies;
}

}  // namespace conch::node
