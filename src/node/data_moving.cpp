// How data get to a holder, and how the ones that it has written get to other peers.
#include <algorithm>

#include "node/data_store.hpp"
#include "node/names.hpp"

namespace conch::node {

using namespace recovery;

namespace {

/// The pause between two pings of a peer that does not answer.
constexpr Duration call_period = std::chrono::milliseconds(500);

/// The pause between two attempts to fetch data from a member that does not answer.
constexpr Duration retry_delay = std::chrono::milliseconds(20);

}  // namespace

std::optional<DataStore::Status> DataStore::bring(DataSection& section, Time now) {
  section.doing_ = DataSection::Doing::bringing;
  return start(section, now);
}

std::optional<DataStore::Status> DataStore::start(DataSection& section, Time now) {
  busy_.push_back(&section);
  std::optional<Status> status = step(section, now);
  if (status) cancel(section);
  return status;
}

void DataStore::cancel(DataSection& section) {
  if (auto number = std::exchange(section.transfer_, std::nullopt)) world_.abort(*number);
  section.doing_ = DataSection::Doing::nothing;
  section.into_.reset();
  std::erase(busy_, &section);
}

/// Takes the next step of a section, if it is busy.
void DataStore::go_on(DataSection& section, Time now) {
  bool is_busy = std::find(busy_.begin(), busy_.end(), &section) != busy_.end();
  if (is_busy) conclude(section, step(section, now));
}

/// If there is a result, ends the work and tells it to the section's owner.
void DataStore::conclude(DataSection& section, std::optional<Status> status) {
  if (!status) return;
  bool was_bringing = section.doing_ == DataSection::Doing::bringing;
  cancel(section);
  was_bringing ? section.brought(*status) : section.left(*status);
}

std::optional<DataStore::Status> DataStore::step(DataSection& section, Time now) {
  if (section.transfer_) return std::nullopt;
  section.again_ = Time::max();
  switch (section.doing_) {
    case DataSection::Doing::nothing: return std::nullopt;
    case DataSection::Doing::bringing: return step_bringing(section, now);
    case DataSection::Doing::patching: return step_patching(section, now);
    case DataSection::Doing::spreading: return step_spreading(section, now);
  }
  return std::nullopt;
}

void DataStore::begin(DataSection& section, const Member& with, Transfer transfer) {
  transfer.number = ++number_;
  transfer.with = with.life();
  transfer.address = with.address;
  transfer.is_awaited = section.is_awaited;
  section.transfer_ = transfer.number;
  section.with_ = transfer.with;
  section.asked_ = section.data_;
  world_.begin(std::move(transfer));
  section.begun();
}

DataSection* DataStore::find_busy(std::uint64_t number) const {
  auto found = std::find_if(busy_.begin(), busy_.end(),
                            [&](const DataSection* each) { return each->transfer_ == number; });
  return found == busy_.end() ? nullptr : *found;
}

void DataStore::ended(std::uint64_t number, const TransferEnd& end, Time now) {
  if (heir_.transfer == number) return heir_answered(end, now);
  DataSection* section = find_busy(number);
  if (!section) return;
  section->transfer_.reset();
  section->again_ = Time::max();
  if (end.kind == TransferEnd::Kind::failed) call(*section, now);
  switch (section->doing_) {
    case DataSection::Doing::nothing: return;
    case DataSection::Doing::bringing:
      return conclude(*section,
                      section->into_ ? copied(*section, end, now) : fetched(*section, end, now));
    case DataSection::Doing::patching: return conclude(*section, patched(*section, end, now));
    case DataSection::Doing::spreading: return conclude(*section, spread(*section, end, now));
  }
}

/// Pings the other peer over a channel. If only this peer cannot reach it, nobody else suspects it,
/// but the channel notices that it does not acknowledge.
void DataStore::call(DataSection& section, Time now) {
  if (now < section.calls_again_) return;
  section.calls_again_ = now + call_period;
  mail_.send(section.with_, packed(PayloadKind::ping, Ping{}));
}

// Fetching.

std::optional<DataStore::Status> DataStore::step_bringing(DataSection& section, Time now) {
  if (find_here(section)) return set_apart(section);
  const DataRef& data = section.data_;
  if (!data.location) return Status::peer_lost;
  if (!roster_.contains(*data.location))
    return std::nullopt;  // The next epoch tells where they are.
  const Member* keeper = find_keeper(section);
  if (!keeper && knowledge_.is_working()) return Status::peer_lost;
  if (!keeper) return section.again_ = now + round_delay, std::nullopt;  // An epoch is beginning.
  begin(section, *keeper,
        {.question = FetchData{section.lock, data.version, range_of(section)}, .data = data});
  return std::nullopt;
}

/// The peer that the lock names is asked first. If it does not have the data, any other member may
/// have a copy: the same version is the same data everywhere.
const Member* DataStore::find_keeper(const DataSection& section) const {
  const Member* named = roster_.find(*section.data_.location);
  bool is_other = named && named->life() != self_;
  if (is_other && !section.without_.contains(named->life())) return named;
  for (const Member* each : others())
    if (!section.without_.contains(each->life())) return each;
  return nullptr;
}

/// Torn data are copied, because the writer that tore them may still be writing. A holder that
/// promises copies works on a copy, too, and leaves the newest data as they are until it has
/// finished.
std::optional<DataStore::Status> DataStore::set_apart(DataSection& section) {
  bool is_needed = !section.is_aside && (section.is_torn_ || is_apart(section));
  if (!is_needed) return section.is_torn_ ? Status::torn : Status::ok;
  try {
    section.into_ = locks_[section.lock].take_spare(section.data_.size, world_);
  } catch (const std::bad_alloc&) {
    return Status::no_memory;
  }
  begin(section, Member{self_.id, self_.incarnation},
        {.question = CopyData{section.into_}, .data = section.data_, .block = section.block});
  return std::nullopt;
}

std::optional<DataStore::Status> DataStore::copied(DataSection& section, const TransferEnd& end,
                                                   Time now) {
  std::shared_ptr<Block> copy = std::exchange(section.into_, nullptr);
  if (section.data_.version != section.asked_.version) return step(section, now);
  if (end.kind != TransferEnd::Kind::came) return Status::no_memory;
  bool has_changed = !section.is_torn_ && !section.block->has(section.asked_.version);
  if (has_changed) return step(section, now);  // Another process has changed it.
  section.block = copy;
  section.is_aside = true;
  return section.is_torn_ ? Status::torn : Status::ok;
}

std::optional<DataStore::Status> DataStore::fetched(DataSection& section, const TransferEnd& end,
                                                    Time now) {
  bool is_same = section.data_ == section.asked_;
  // A peer that was evicted has not reported these data to the epoch, which may count them as lost.
  bool is_meant =
      section.data_.version == section.asked_.version && roster_.contains(section.with_);
  bool has_come = end.kind == TransferEnd::Kind::came && is_meant && take(section, end);
  if (has_come) return set_apart(section);
  if (end.kind == TransferEnd::Kind::no_memory) return Status::no_memory;
  bool is_gone = end.kind == TransferEnd::Kind::gone;
  if (is_gone && is_same) note_without(section);
  // No answer: the other peer is busy, or it has gone and the next epoch tells where the data are.
  if (is_gone || !is_same) return step(section, now);
  section.again_ = now + retry_delay;
  return std::nullopt;
}

void DataStore::note_without(DataSection& section) {
  section.without_.insert(section.with_);
  if (section.with_.id != section.data_.location) return;
  world_.log("peer " + in_hex(section.with_.id.value) + " does not have the data of '" +
                 section.lock + "' that it should have",
             LogLevel::warning);
}

/// False if these are not the data that were asked for.
bool DataStore::take(DataSection& section, const TransferEnd& end) {
  bool is_partial = end.is_streamed && is_part(section);
  bool is_whole = !end.is_torn && !is_partial;
  std::uint64_t version = section.data_.version;
  if (is_whole && end.is_streamed) end.block->finish(version, section.data_.size);
  if (is_whole && !end.block->has(version)) return false;
  section.block = end.block;
  section.is_torn_ = end.is_torn;
  section.is_partial = is_partial;
  section.part_of_ = is_partial ? version : 0;
  section.is_streamed_ = end.is_streamed;
  section.is_aside = end.is_streamed && !is_whole;
  section.data_.location = section.with_.id;
  if (is_whole) locks_[section.lock].install(end.block);
  has_news_ = is_whole || has_news_;
  return true;
}

std::shared_ptr<Block> DataStore::make_room(std::uint64_t number) {
  const DataSection* section = find_busy(number);
  if (!section) return nullptr;
  std::uint64_t size = section->asked_.size;
  return is_part(*section) ? world_.make_block(size)
                           : locks_[section->lock].take_spare(size, world_);
}

// Leaving.

std::optional<DataStore::Status> DataStore::step_patching(DataSection& section, Time now) {
  // A part belongs to the version that it was read from. If an epoch has lost that version, the
  // part is lost, too.
  std::uint64_t version = section.data_.version;
  bool is_meant = version == section.part_of_ || version == section.written_->version;
  bool is_lost = section.is_in_vain() || !section.data_.location || !is_meant;
  if (is_lost) return section.written_.reset(), Status::peer_lost;
  const Member* keeper = roster_.find(*section.data_.location);
  if (!keeper) return section.again_ = now + round_delay, std::nullopt;
  DataRef data = *section.written_;
  data.location = keeper->id;
  Range range = section.window;
  range.end = std::min(range.end, data.size);
  begin(section, *keeper,
        {.question = PatchData{section.lock, version, data, range},
         .data = data,
         .block = section.block});
  return std::nullopt;
}

std::optional<DataStore::Status> DataStore::patched(DataSection& section, const TransferEnd& end,
                                                    Time now) {
  if (end.kind == TransferEnd::Kind::failed)
    return section.again_ = now + round_delay, std::nullopt;
  bool is_kept = end.kind == TransferEnd::Kind::kept && !section.is_in_vain();
  if (!is_kept) return section.written_.reset(), Status::peer_lost;
  section.written_->location = section.with_.id;
  section.replaced(*section.written_);
  return Status::ok;
}

/// Goes on until `copies` other members have the data, or all of them if they are fewer.
std::optional<DataStore::Status> DataStore::step_spreading(DataSection& section, Time now) {
  if (section.is_in_vain()) return Status::peer_lost;
  std::vector<const Member*> members = others();
  auto has_it = [&](const Member* each) { return section.have_.contains(each->life()); };
  auto have = static_cast<std::size_t>(std::count_if(members.begin(), members.end(), has_it));
  if (have >= std::min<std::size_t>(section.copies, members.size())) return Status::ok;
  for (const Member* each : members) {
    if (has_it(each) || section.without_.contains(each->life())) continue;
    begin(section, *each,
          {.question = KeepData{section.lock, *section.written_},
           .data = *section.written_,
           .block = section.block});
    return std::nullopt;
  }
  section.without_.clear();
  section.again_ = now + round_delay;
  return std::nullopt;
}

std::optional<DataStore::Status> DataStore::spread(DataSection& section, const TransferEnd& end,
                                                   Time now) {
  bool is_kept = end.kind == TransferEnd::Kind::kept;
  (is_kept ? section.have_ : section.without_).insert(section.with_);
  return step(section, now);
}

}  // namespace conch::node
