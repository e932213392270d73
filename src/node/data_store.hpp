// Decides everything about the data that locks protect: which of them this peer has, how it gets
// the others, and how other peers get theirs. Its world carries out the transfers.
//
// The lock tells which version is where. A version is the fence of its writer, so what has the same
// version is the same for ever.
//
//   - A holder that does not have the data asks the peer that the lock names, and then all others,
//     as any of them may have a copy. If the named peer is not a member, the next epoch will tell.
//   - Within a machine the memory itself is passed, once. From then on all processes that have it
//     see which version is in it, and a handover costs nothing but the lock. Between machines the
//     bytes are streamed.
//   - A holder that promises copies works on a copy, and its lock goes on once other peers have the
//     new version.
//   - A holder that had only a part sends that part back to where the rest is.
//   - A peer keeps what it has until it sees something newer. One that leaves gives the newest to
//     an heir first, and the epoch in which it leaves finds them there.
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
#include "recovery/leased_member.hpp"

namespace conch::node {

/// What a peer knows about its locks.
class LockKnowledge {
 public:
  /// The newest data of a lock that this peer has heard of.
  virtual DataRef known_data(const std::string& lock) const = 0;
  /// Whether the current epoch goes on: this peer has not yet reported its data to the next one.
  virtual bool is_working() const = 0;

 protected:
  ~LockKnowledge() = default;
};

/// Sends messages to other peers.
class PeerSender {
 public:
  /// False if the address of that life is unknown; then nothing is sent.
  virtual bool send(const PeerInstance& to, std::string_view payload) = 0;
  /// Whether data may go ahead of a lock: this life shares no memory with us, and the backlog of
  /// its channel is small.
  virtual bool can_enclose(const PeerInstance& to) const = 0;

 protected:
  ~PeerSender() = default;
};

class DataStore {
 public:
  using Status = dho::CallStatus;

  DataStore(DataWorld& world, const LockKnowledge& locks, PeerSender& mail)
      : world_(world), knowledge_(locks), mail_(mail) {}

  // The group.

  /// Begins a life, which has nothing and is known to nobody.
  void live_as(const PeerInstance& life);
  void follow_view(const recovery::View& view, Time now);
  /// Gives to others what would otherwise end with this peer. What nobody has taken at `until` ends
  /// with it.
  void bequeath(Time until, Time now);
  bool is_bequeathed() const { return phase_ == Phase::gone; }
  /// A lock whose data nobody can take: the peer has to enter it and call `end`.
  const std::optional<std::string>& lock_to_end() const { return lock_to_end_; }
  /// False if a peer that can take the data has come, so that they have not ended.
  bool end(const std::string& lock, Time now);
  /// The lock could not be entered. Try again after a while.
  void not_entered(Time now);
  /// For the founder of a group that has entered the lock: the data that the former group left;
  /// empty if there are none.
  std::optional<DataRef> restore(const std::string& lock, std::uint64_t version);

  void look_after(Time now);
  Time wakes() const;

  // Handles. A section is busy from a call that did not end at once until the store calls it back.

  void open(const std::string& lock) { ++locks_[lock].handles; }
  void close(const std::string& lock);
  /// A holder enters, and was told of these data. What the section had before is dropped.
  void enter(DataSection& section, const DataRef& data);
  /// The data have moved to another peer.
  void move(DataSection& section, const DataRef& data, Time now);
  /// True if the data are in this process's memory and needed little work.
  bool bring_at_once(DataSection& section);
  /// The result, or empty if it takes longer.
  std::optional<Status> bring(DataSection& section, Time now);
  /// The holder is going to use data that end at `size`, and perhaps to change them. Data that it
  /// was told are lost read as zeroes. False if the lock or the lease is gone: the memory may be
  /// another holder's by now.
  bool begin(DataSection& section, std::uint64_t version, std::uint64_t size);
  /// New bytes are zero. Throws std::bad_alloc.
  void resize(DataSection& section, std::uint64_t before, std::uint64_t size);
  /// The data are this version from now on. Ends once as many others have them as were promised.
  /// `is_rolled_back` says that the holder found older data than the last writer had left.
  std::optional<Status> leave(DataSection& section, const DataRef& data, bool is_rolled_back,
                              Time now);
  /// What the lock has to tell of the data when it is passed on; empty if that has not changed.
  std::optional<DataRef> put_down(DataSection& section);
  /// The section wants nothing any more.
  void cancel(DataSection& section);

  // Transfers.

  /// Memory for the bytes that come; null if nobody wants them any more. Throws std::bad_alloc.
  std::shared_ptr<Block> make_room(std::uint64_t number);
  void ended(std::uint64_t number, const TransferEnd& end, Time now);

  // Requests of other peers.

  struct Found {
    std::shared_ptr<Block> block;
    bool is_torn = false;
  };
  Found find(const std::string& lock, std::uint64_t version) const;
  /// Memory for data that another peer asks us to keep; null if these or newer ones are here
  /// already. Throws std::bad_alloc.
  std::shared_ptr<Block> make_room(const KeepData& m);
  bool accepts(const PeerInstance& from, const KeepData& m) const;
  /// `block` is what `make_room` gave, filled, or the sender's own memory. False if it has come too
  /// late.
  bool keep(const PeerInstance& from, const KeepData& m, const std::shared_ptr<Block>& block);
  /// `later` gets no answer, so that the sender asks again.
  enum class PatchAnswer : std::uint8_t { declined, later, go_on, kept };
  PatchAnswer accepts(const PeerInstance& from, const PatchData& m) const;
  PatchAnswer patch(const PeerInstance& from, const PatchData& m, std::string_view bytes);
  void put_spare(const std::string& lock, const std::shared_ptr<Block>& block);

  // The locks.

  /// A message about the lock is going to `to`, and tells of these data. They are sent ahead of it,
  /// if they are here and small, and the two peers share no memory.
  void enclose(const PeerInstance& to, const std::string& lock, const DataRef& data);
  void take_enclosure(Enclosure enclosure);
  /// A version newer than this one exists.
  void outdated(const std::string& lock, std::uint64_t version);
  /// The versions that are new here since the last call, including those that other processes of
  /// this machine have written into shared memory.
  std::vector<recovery::ArrivedData> new_copies();
  /// New data are here. They have to be reported at once, because a process that shares the memory
  /// may tear them.
  bool has_news() const { return has_news_; }

  /// How often data were here when their lock came, because they had been sent ahead of it.
  std::uint64_t enclosures() const { return enclosures_; }
  /// The newest version that is here and whole; 0 if there is none.
  std::uint64_t version(const std::string& lock) const;
  /// Nothing is under way, and nothing useless is kept.
  bool is_tidy() const;

 private:
  /// The pause between two rounds of asking members that declined or could not be reached.
  static constexpr Duration round_delay = std::chrono::milliseconds(50);

  struct LockData : VersionedBlocks {
    /// The version that this peer answers for, because it wrote or inherited it; 0 if none.
    std::uint64_t owed = 0;
    /// A version newer than this one is elsewhere.
    std::uint64_t outdated = 0;
    /// The version that an heir has taken, or that has ended with this peer.
    std::uint64_t bequeathed = 0;
    /// The version that the recovery knows to be here.
    std::uint64_t told = 0;
    /// Open handles of this process.
    unsigned handles = 0;
  };
  enum class Phase : std::uint8_t { here, leaving, gone };
  /// The offer of a lock's data to other members, by a peer that leaves.
  struct Heir {
    std::string lock;
    std::uint64_t version = 0;
    /// All have declined. Peers that stay longer than this one may not decline again.
    bool insist = false;
    std::set<PeerInstance> asked = {};
    std::optional<std::uint64_t> transfer = {};
    PeerInstance with = {};
    Time again = Time::max();
  };

  /// Whether nothing in it can be the newest.
  static bool is_useless(const LockData& data) { return data.version_or_torn() <= data.outdated; }
  void drop_if_useless(const std::string& lock);
  bool is_overdue(const std::string& lock, std::uint64_t fence) const;
  void emptied(const std::string& lock, std::uint64_t version);
  std::vector<const recovery::Member*> others() const;
  bool is_apart(const DataSection& section) const { return section.writes && section.copies > 0; }
  /// The part of the data that is wanted here.
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
  PeerSender& mail_;
  PeerInstance self_;
  recovery::Roster roster_;
  /// The epochs by which locks were forced open.
  std::map<std::string, Epoch, std::less<>> forced_;
  std::map<std::string, LockData, std::less<>> locks_;
  /// Busy sections, in the order in which they began.
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
