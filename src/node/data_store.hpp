// What a peer has of the data that locks protect, how it gets the rest, and how others get theirs:
// everything about that is decided here. Transfers are carried out by its world.
//
// Which version is where is told by the lock. Versions are the fences of their writers: what has
// the same number is the same, for ever.
//
//   - Who enters and does not have the data asks whom the lock names, and then all others, for any
//     of them may have a copy. While nobody is there who has the name, the next epoch will tell.
//   - Within a machine the memory is passed, once; from then on all who have it see which version
//     it is, and a handover costs nothing but the lock. Between machines the bytes are streamed.
//   - Who promises copies works beside the data, and its lock goes on when others have them.
//   - Who had nothing but a part sends that back to where the rest is.
//   - A peer keeps what it has until it sees something newer. One that leaves gives the newest to
//     an heir first; the epoch in which it leaves then finds them there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "node/data_section.hpp"
#include "node/data_world.hpp"
#include "node/talk.hpp"
#include "node/versioned_blocks.hpp"
#include "recovery/steward.hpp"

namespace conch::node {

/// What a peer knows of its locks.
class LockKnowledge {
 public:
  /// The newest data of a lock that it has heard of.
  virtual DataRef known_data(const std::string& lock) const = 0;
  /// It is in an epoch that goes on: it has not reported what is here to the next.
  virtual bool is_working() const = 0;

 protected:
  ~LockKnowledge() = default;
};

/// How a peer reaches others.
class Mail {
 public:
  /// False if nobody knows where it is: then nothing is sent.
  virtual bool send(const Life& to, std::string_view payload) = 0;
  /// Data may go to this one with a lock: it has no memory with us, and the way is free.
  virtual bool can_enclose(const Life& to) const = 0;

 protected:
  ~Mail() = default;
};

class DataStore {
 public:
  using Status = dho::Status;

  DataStore(DataWorld& world, const LockKnowledge& locks, Mail& mail)
      : world_(world), knowledge_(locks), mail_(mail) {}

  // The group.

  /// A life begins: with nothing, and nobody knows it yet.
  void live_as(const Life& life);
  void follow_view(const recovery::View& view, Time now);
  /// Nothing is to end with this peer that another can take. By then it ends in any case.
  void bequeath(Time until, Time now);
  bool is_bequeathed() const { return phase_ == Phase::gone; }
  /// The lock whose data nobody is there to take: somebody is to enter it and call `end`.
  const std::optional<std::string>& lock_to_end() const { return lock_to_end_; }
  /// False if somebody has come who can take them: they have not ended.
  bool end(const std::string& lock, Time now);
  /// It could not be entered: again, after a while.
  void not_entered(Time now);
  /// What the former group has left, by who founds the next and has entered; none if there is none.
  std::optional<DataRef> restore(const std::string& lock, std::uint64_t version);

  void look_after(Time now);
  Time wakes() const;

  // Handles. A section is busy from a call that did not end at once to what the store says then.

  void open(const std::string& lock) { ++locks_[lock].handles; }
  void close(const std::string& lock);
  /// Its holder was told of these data; what it had before is over.
  void enter(DataSection& section, const DataRef& data);
  /// The data are elsewhere now.
  void move(DataSection& section, const DataRef& data, Time now);
  /// True: the data are in this process's memory, and what had to be done with them was little.
  bool bring_at_once(DataSection& section);
  /// How that ended, or nothing yet.
  std::optional<Status> bring(DataSection& section, Time now);
  /// Data that end at `size` are used, and perhaps changed. Who was told that they are lost finds
  /// zeroes. False if that would be in vain: they may be another's by now.
  bool begin(DataSection& section, std::uint64_t version, std::uint64_t size);
  /// What comes in is zero. Throws std::bad_alloc.
  void resize(DataSection& section, std::uint64_t before, std::uint64_t size);
  /// They are this version from now on, and as many others have it as were promised. Whether older
  /// ones were found than those of the last writer.
  std::optional<Status> leave(DataSection& section, const DataRef& data, bool is_rolled_back,
                              Time now);
  /// What the lock is to say of the data when it goes on, if that has changed.
  std::optional<DataRef> put_down(DataSection& section);
  /// It wants nothing any more.
  void cancel(DataSection& section);

  // Transfers.

  /// For what comes; none if nobody wants it any more. Throws std::bad_alloc.
  std::shared_ptr<Block> make_room(std::uint64_t number);
  void ended(std::uint64_t number, const TransferEnd& end, Time now);

  // What others ask.

  struct Found {
    std::shared_ptr<Block> block;
    bool is_torn = false;
  };
  Found find(const std::string& lock, std::uint64_t version) const;
  /// Room for data that another peer wants us to keep; none if they are here already, or newer
  /// ones. Throws std::bad_alloc.
  std::shared_ptr<Block> make_room(const KeepData& m);
  bool accepts(const Life& from, const KeepData& m) const;
  /// The block is what `make_room` gave, filled, or the sender's own memory. False if it has become
  /// too late.
  bool keep(const Life& from, const KeepData& m, const std::shared_ptr<Block>& block);
  /// Later: it is to be asked again, so nothing is said.
  enum class PatchAnswer : std::uint8_t { declined, later, go_on, kept };
  PatchAnswer accepts(const Life& from, const PatchData& m) const;
  PatchAnswer patch(const Life& from, const PatchData& m, std::string_view bytes);
  void put_spare(const std::string& lock, const std::shared_ptr<Block>& block);

  // The locks.

  /// The lock is about to be sent to this one, and tells of these data: they go ahead, if they are
  /// small and here, and there is no memory to share.
  void enclose(const Life& to, const std::string& lock, const DataRef& data);
  void take_enclosure(Enclosure enclosure);
  /// Somebody has written a newer version than this.
  void outdated(const std::string& lock, std::uint64_t version);
  /// What has come to be here since the last call, also by what others of this machine have
  /// written into memory that is shared.
  std::vector<recovery::Copy> new_copies();
  /// Something has come since. It is to be reported at once: who shares the memory may tear it.
  bool has_news() const { return has_news_; }

  /// Times that data were here when their lock came, because they came with it.
  std::uint64_t enclosures() const { return enclosures_; }
  /// The newest version that is here and whole; 0 if none is.
  std::uint64_t version(const std::string& lock) const;
  /// Nothing is under way, and nothing is kept that nobody needs.
  bool is_tidy() const;

 private:
  /// Between two rounds of asking members who did not want to, or could not be reached.
  static constexpr Duration round_delay = std::chrono::milliseconds(50);

  struct LockData : VersionedBlocks {
    /// The version that this peer answers for, because it wrote or inherited it; 0 if for none.
    std::uint64_t owed = 0;
    /// Something newer than this version is elsewhere.
    std::uint64_t outdated = 0;
    /// The version that an heir has from us, or that has ended with us.
    std::uint64_t bequeathed = 0;
    /// The version that the recovery knows to be here.
    std::uint64_t told = 0;
    /// Of this process.
    unsigned handles = 0;
  };
  enum class Phase : std::uint8_t { here, leaving, gone };
  /// Of a peer that leaves: to whom it offers the data of a lock.
  struct Heir {
    std::string lock;
    std::uint64_t version = 0;
    /// All have declined: those who stay longer cannot any more.
    bool insist = false;
    std::set<Life> asked = {};
    std::optional<std::uint64_t> transfer = {};
    Life with = {};
    Time again = Time::max();
  };

  /// Nothing that may be the newest.
  static bool is_useless(const LockData& data) { return data.version_or_torn() <= data.outdated; }
  void drop_if_useless(const std::string& lock);
  bool is_overdue(const std::string& lock, std::uint64_t fence) const;
  void emptied(const std::string& lock, std::uint64_t version);
  std::vector<const recovery::Member*> others() const;
  bool is_apart(const DataSection& section) const { return section.writes && section.copies > 0; }
  /// Of the data, what is wanted here.
  Range range_of(const DataSection& section) const {
    return is_apart(section) ? Range{} : section.window;
  }
  bool is_part(const DataSection& section) const;
  bool find_here(DataSection& section);

  // data_moving.cpp
  std::optional<Status> start(DataSection& section, Time now);
  std::optional<Status> step(DataSection& section, Time now);
  void go_on(DataSection& section, Time now);
  void conclude(DataSection& section, std::optional<Status> status);
  std::optional<Status> step_bringing(DataSection& section, Time now);
  std::optional<Status> step_patching(DataSection& section, Time now);
  std::optional<Status> step_spreading(DataSection& section, Time now);
  void call(DataSection& section, Time now);
  const recovery::Member* find_keeper(const DataSection& section) const;
  std::optional<Status> set_apart(DataSection& section);
  void begin(DataSection& section, const recovery::Member& with, Transfer transfer);
  std::optional<Status> fetched(DataSection& section, const TransferEnd& end, Time now);
  std::optional<Status> copied(DataSection& section, const TransferEnd& end, Time now);
  std::optional<Status> patched(DataSection& section, const TransferEnd& end, Time now);
  std::optional<Status> spread(DataSection& section, const TransferEnd& end, Time now);
  bool take(DataSection& section, const TransferEnd& end);
  void note_without(DataSection& section);
  DataSection* find_busy(std::uint64_t number) const;

  // data_leaving.cpp
  bool is_answerable(const std::string& lock, const LockData& data) const;
  std::optional<std::string> find_answerable() const;
  void go_on_leaving(Time now);
  bool offer(const LockData::Whole& whole, Time now);
  void heir_answered(const TransferEnd& end, Time now);

  DataWorld& world_;
  const LockKnowledge& knowledge_;
  Mail& mail_;
  Life self_;
  recovery::Roster roster_;
  /// By which epoch locks were forced open.
  std::map<std::string, Epoch, std::less<>> forced_;
  std::map<std::string, LockData, std::less<>> locks_;
  /// In the order in which they began.
  std::vector<DataSection*> busy_;
  std::uint64_t number_ = 0;
  std::uint64_t enclosures_ = 0;
  bool has_news_ = false;

  Phase phase_ = Phase::here;
  Heir heir_;
  Time leaves_until_ = Time::max();
  std::optional<std::string> lock_to_end_;
};

}  // namespace conch::node
