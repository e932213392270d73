// A whole peer as a value. It decides everything that a peer decides: which of its threads and
// clients gets which lock next, what it says to other peers and to the register, which peers it
// knows, when it is in the group, and how it leaves.
//
// It has no clock, socket, thread or random source. It is told what happened and when, down to the
// bytes that a connection has brought; its World and its Network carry out what it wants done. The
// peer that ships runs it behind sockets (peer/engine.hpp), and `conch survive` runs the same class
// in virtual time with faults of every kind (sim/group_simulation.hpp).
//
// Several things may be told one after the other; `settle` then does whatever follows from them.
// One `settle` works in a fixed order: introductions, messages to other peers, questions to the
// register, then what threads and clients of this peer are told. So messages are on their way
// before a process learns of anything, and a process that has lost a lock learns it before it does
// anything more with that lock.
#pragma once

#include <conch/log.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "node/claim_survey.hpp"
#include "node/clients.hpp"
#include "node/data_store.hpp"
#include "node/latency_probe.hpp"
#include "node/local_lock.hpp"
#include "node/observer.hpp"
#include "node/overlay_group_settings.hpp"
#include "node/status_survey.hpp"
#include "node/talk.hpp"
#include "node/timers.hpp"
#include "node/world.hpp"
#include "recovery/group_member.hpp"
#include "wire/channels.hpp"

namespace conch::node {

using recovery::Effects;
using recovery::GroupMember;
using recovery::Introduction;

struct NodeOptions {
  std::string group;
  const CatalogEntry* algorithm = nullptr;
  /// The member as which it joins; the incarnation is that of its first life.
  recovery::Member self;
  /// Set if the group has no register: its settings, and the peers to join it through.
  std::optional<OverlayGroupSettings> ring = {};
  std::vector<Introduction> ring_contacts = {};
  recovery::LeaseTerms terms = {};
  /// The eps that the group must have; if empty, the group's own is accepted.
  std::optional<unsigned> eps = {};
  /// Whether this peer can ask the register itself; else it asks through the peers at `join`.
  bool has_register = false;
  std::vector<std::string> join = {};
  bool serves_clients = false;
  Duration try_patience{};
  Duration lock_delay{};
  // Only tests and simulations set these: after how many readers a lock is given back, a variant of
  // the algorithm, how recovery decides, and after how many entries an epoch is renewed.
  unsigned shared_entries = LocalQueue::shared_entries_max;
  Tuning tuning = {};
  const recovery::RecoveryPolicy* policy = conch::policy<recovery::RecoveryPolicy>();
  std::optional<std::uint64_t> entries_max = {};
};

/// A peer goes through these phases once, however many lives it has.
enum class PeerPhase : std::uint8_t { joining, member, leaving, gone, failed };

class Node final : public wire::Recipient, private LockKnowledge, private PeerSender {
 public:
  Node(NodeOptions options, World& world, wire::Network& network);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Events.

  /// Looks for a member that can ask the register for this peer.
  void seek(Time now);
  /// Begins to join the group.
  void start(Time now) { be_born(now); }
  /// To be called when `wakes` has come, if not earlier.
  void tick(Time now);
  /// The network reports here what happens to connections.
  wire::Channels& channels() { return channels_; }
  void answered(const PeerInstance& asker, const recovery::RegisterAnswer& answer, Time now);
  /// The register has something new.
  void register_changed(Time now);
  /// Why the register cannot be used at the moment; empty once it can be used again.
  void register_trouble(const std::string& why);
  /// Leaves the group: refuses waiting claims, asks commands to end, gives its data to others. Ends
  /// in PeerPhase::gone or PeerPhase::failed.
  void leave(Time now);
  DataStore& data() { return data_; }
  /// Whether the locks of a refounded group have been given the data that the former group left.
  bool is_restored() const { return restoring_.empty(); }

  /// Does what follows from what has happened.
  void settle(Time now);
  /// The process is about to end, whatever is left to do.
  void end() {
    if (phase_ != PeerPhase::failed) enter_phase(PeerPhase::gone);
  }
  /// Discards all pending work, once the network has stopped.
  void forget_all();
  /// When `tick` has something to do if nothing else happens.
  Time wakes() const;

  // Threads and clients. The maker of a claim owns it, and drops its place before destroying it.

  LocalLock& local_lock_at(const std::string& lock);
  LocalLock* find_local_lock(std::string_view lock);
  void close_local_lock(LocalLock& local_lock);
  void take_place(Claim& claim, LocalLock& local_lock, Time now);
  /// The claim leaves the lock, or waits no longer.
  void drop_place(Claim& claim, Time now);
  /// Asks that nobody may enter until so long after this peer has vanished. False if the register
  /// has not recorded that yet.
  bool delay_locks(Duration lock_delay, Time now);
  /// Why the register cannot record a lock delay; empty if it can.
  std::string why_no_lock_delay() const;
  /// The error text for a shared request if the algorithm does not support sharing.
  std::string why_not_shared() const;

  // Queries.

  const NodeOptions& options() const { return options_; }
  const CatalogEntry& algorithm() const { return *options_.algorithm; }
  const PeerInstance& self() const { return life_; }
  PeerPhase phase() const { return phase_; }
  bool is_member() const { return phase_ == PeerPhase::member; }
  /// Why the phase is `failed`.
  const std::string& failure() const { return failure_; }
  /// Why the register cannot be used; empty if it can.
  const std::string& trouble() const { return trouble_; }
  bool has_life() const { return group_member_ != nullptr; }
  bool is_ring() const { return options_.ring.has_value(); }
  bool has_lease(Time now) const { return group_member_->has_lease(now); }
  bool has_terms() const { return has_terms_; }
  bool has_company() const { return group_member_->view().roster.size() > 1; }
  Duration lease_length() const { return options_.terms.length; }
  /// An upper bound for the time from asking a command of this peer to end until it is gone.
  Duration command_patience() const { return options_.terms.length + lock_delay_; }
  const GroupMember& group_member() const { return *group_member_; }
  const std::map<std::string, std::unique_ptr<LocalLock>, std::less<>>& local_locks() const {
    return local_locks_;
  }

  // Status.

  StatusSurvey& status_survey() { return status_survey_; }
  ClaimSurvey& claim_survey() { return claim_survey_; }
  StatusPart status_part(Time now) const;
  Status status_here(Time now) const;
  /// The processes of this peer that hold this lock or wait for it; any lock if `lock` is empty.
  ClaimsPart claims_part(const std::string& lock, Time now) const;

  /// The observer is told what happens until `unwatch`.
  void watch(Observer& observer) { observers_.push_back(&observer); }
  void unwatch(Observer& observer) { std::erase(observers_, &observer); }
  void unwatch_all() { observers_.clear(); }
  template <class Call>
  void tell(Call&& call) {
    for (Observer* observer : observers_) call(*observer);
  }

  // For the node's own parts (Clients, StatusSurvey, ClaimSurvey, LatencyProbe).

  /// Sent by the next `settle`. False if nobody knows the address of that life.
  bool send(const PeerInstance& to, std::string_view payload) override;
  void send(ClientId client, std::string_view reply) { channels_.send(client, reply, false); }
  void let_in(ClientId client, std::string_view reply) {
    channels_.send(client, reply, world_.let_in(client, reply));
  }
  void dismiss(ClientId client) { channels_.dismiss(client); }
  World& world() { return world_; }
  const World& world() const { return world_; }
  const wire::Channels& channels() const { return channels_; }
  GroupMember& group_member() { return *group_member_; }
  Effects& effects() { return effects_; }
  void log(const std::string& line, LogLevel level = LogLevel::warning) { world_.log(line, level); }
  /// Asks the commands of clients inside this lock to end, and tells the asker when they have.
  void vacate(const PeerInstance& asker, const Vacate& m, Time now);
  /// Whether the member is known to speak protocol version 2. An older one would reject questions
  /// about claims and commands as malformed, and suspect the asker.
  bool understands_claims(const recovery::Member& member) const;

  // Called by the channels.

  void delivered(const PeerInstance& from, std::string_view payload, Time now) override;
  void contacted(const std::string&, const PeerInstance& life, Time) override { ask_terms(life); }
  void broken(const PeerInstance& life, const std::string& why, Time now) override;
  void client_came(ClientId client) override { clients_.came(client); }
  void client_said(ClientId client, std::string_view payload, Time now) override;
  void client_left(ClientId client, Time now) override;

 private:
  // node.cpp: lives and phases.
  void be_born(Time now);
  void be_born_in_ring(Time now);
  void renew_life(Time now);
  void begin_anew(Time now);
  void enter_phase(PeerPhase phase);
  void remember_neighbours();
  void refuse_waiting(Time now);
  bool ask_to_let_go();
  void turn_everybody_out(Time now);
  void go_on_leaving(Time now);
  bool has_commands_inside() const;
  bool is_idle() const;
  void keep_house(Time now);
  void suspect_unreachable(Time now);
  void forget(const PeerInstance& life);
  void drop_idle_local_locks();

  // node_data.cpp
  bool can_enclose(const PeerInstance& to) const override;
  DataRef known_data(const std::string& lock) const override;
  bool is_working() const override;
  void restore_data();
  void see_to_data(Time now);
  void begin_visit(const std::string& lock, Time now);
  void end_visit(Time now);

  // node_settling.cpp
  void catch_up(Time now);
  void carry_out(Time now);
  void dispatch(const Effects& effects);
  void follow_view(Time now);
  void meet(const recovery::Member& member);
  void follow_epoch();
  void advance(LocalLock& local_lock, Time now);
  bool may_join_readers(Time now) const;
  void admit(LocalLock& local_lock, Time now);
  void lose(LocalLock& local_lock, Time now);
  void touch(LocalLock& local_lock);
  void tell_end(const Claim& claim, Time now);
  void let_go(Claim& claim, Time now);
  template <class M>
  void tell_asker(const PeerInstance& asker, PayloadKind kind, const M& m, Time now);

  void happen(const recovery::Granted& event, Time now);
  void happen(const recovery::DataMoved& event, Time now);
  void happen(const recovery::Withdrew& event, Time now);
  void happen(const recovery::LockLost& event, Time now);
  void happen(const recovery::Opened& event, Time now);
  void happen(const recovery::Admitted& event, Time now);
  void happen(const recovery::Expelled& event, Time now);
  void happen(const recovery::Departed& event, Time now);
  void happen(const recovery::JoinRefused& event, Time now);
  void happen(const recovery::LockArmed& event, Time now);
  void happen(const recovery::LockDisarmed& event, Time now);

  // node_talk.cpp: other peers, and the register.
  void take_other_payload(const PeerInstance& from, PayloadKind kind, std::string_view body,
                          Time now);
  void doubt(const PeerInstance& from, const std::string& why, Time now);
  void ask_terms(const PeerInstance& life);
  void learn_terms(const PeerInstance& from, const recovery::LeaseTerms& terms);
  void find_contacts_again(Time now);
  void put_question(recovery::RegisterRequest ask);
  void rely_on(const PeerInstance& contact);
  bool knows_lock_delays(const PeerInstance& contact) const;
  const PeerInstance* next_contact(const recovery::RegisterRequest& ask);
  void ask_for(const PeerInstance& asker, recovery::RegisterRequest ask);
  void hear(const recovery::RegisterAnswer& answer, Time now);
  void tell_suspicions(const recovery::RegisterRequest& ask);
  LockPart part_of(const recovery::LockReport& report, Time now) const;

  NodeOptions options_;
  World& world_;
  PeerInstance life_;
  wire::Channels channels_;
  Time born_{};
  std::unique_ptr<GroupMember> group_member_;
  std::map<std::string, std::unique_ptr<LocalLock>, std::less<>> local_locks_;
  DataStore data_;
  /// The node's own claim, with which it enters a lock to see to its data: to end data that no heir
  /// takes, or to restore data that a former group has left.
  std::unique_ptr<Claim> visit_;
  std::vector<std::string> restoring_;
  Clients clients_;
  StatusSurvey status_survey_;
  ClaimSurvey claim_survey_;
  LatencyProbe latency_probe_;
  Timers timers_;
  Counts counts_;
  Epoch epoch_{0};
  std::vector<Observer*> observers_;

  /// Commands that were asked to end before a lock is forced open; `claims` are still inside.
  struct Vacancy {
    PeerInstance asker;
    Vacated answer;
    std::vector<const Claim*> claims;
  };
  std::vector<Vacancy> vacancies_;
  /// How many commands run under locks of each life of this peer.
  std::map<PeerInstance, std::size_t> commands_;
  Duration lock_delay_{};

  /// What the calls since the last `settle` want done, and the local locks that they changed.
  Effects effects_;
  Effects carried_out_;
  std::vector<LocalLock*> touched_;
  std::vector<Claim*> entered_;
  recovery::View followed_view_;
  /// The lives that views have mentioned, and of some of them since when views no longer do.
  std::set<PeerInstance> known_lives_;
  std::map<PeerInstance, Time> unmentioned_;
  /// Lives that can receive nothing more. They are suspected as long as they are members.
  std::set<PeerInstance> unreachable_;
  Time next_housekeeping_ = Time::max();
  Time next_forgetting_{};

  /// The members that ask the register for this peer, if it runs on another machine.
  std::vector<PeerInstance> contacts_;
  std::size_t contact_turn_ = 0;
  Time contacts_sought_{};
  unsigned seeks_ = 0;
  bool has_terms_ = false;

  PeerPhase phase_ = PeerPhase::joining;
  /// What a leaving peer waits for; the times below are deadlines.
  enum class Farewell : std::uint8_t { none, commands, data, locks, said } farewell_{};
  bool was_member_ = false;
  Time commands_until_ = Time::max();
  Time leaves_until_ = Time::max();
  /// This life is of no use any more: `settle` begins a new one before it does anything else.
  bool broken_ = false;
  /// Was expelled, and has not been admitted again yet.
  bool expelled_ = false;
  std::string failure_;
  std::string trouble_;
};

}  // namespace conch::node
