// Everything that a peer decides: who of its threads and clients gets which lock next, what is said
// to other peers and to the register, whom it knows, when it is in the group and how it leaves.
//
// It has no clock, no socket, no thread, no random source: it is told what happened and when, down
// to the bytes that a connection has brought, and what it wants done it has done by its World and
// its Network. The peer that ships runs it behind sockets (peer/engine.hpp), and `conch survive` in
// virtual time with everything going wrong (sim/survival.hpp): the same class.
//
// Several things may be told one after the other; `settle` then does whatever follows from them.
// What is done for one `settle` has an order: introductions, messages to other peers, questions to
// the register, then what threads and clients of this peer are told. So messages are on their way
// before a process learns of anything; and who has lost a lock hears of it before it does anything
// more with it.
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
#include "node/agreement.hpp"
#include "node/claim_survey.hpp"
#include "node/clients.hpp"
#include "node/data_store.hpp"
#include "node/inquiries.hpp"
#include "node/lock_desk.hpp"
#include "node/rangefinder.hpp"
#include "node/talk.hpp"
#include "node/timers.hpp"
#include "node/witness.hpp"
#include "node/world.hpp"
#include "recovery/any_steward.hpp"
#include "wire/channels.hpp"

namespace conch::node {

using recovery::AnySteward;
using recovery::Effects;
using recovery::Introduction;

struct NodeOptions {
  std::string group;
  const CatalogEntry* algorithm = nullptr;
  /// As it comes in; its incarnation is that of its first life.
  recovery::Member self;
  /// Set if the group has no register: its settings, and the peers to join it through.
  std::optional<Agreement> ring = {};
  std::vector<Introduction> ring_contacts = {};
  recovery::LeaseTerms terms = {};
  /// What the group must have; whatever it has without.
  std::optional<unsigned> eps = {};
  /// The register can be asked from here; else those at these addresses are asked to ask.
  bool has_register = false;
  std::vector<std::string> join = {};
  bool serves_clients = false;
  Duration try_patience{};
  Duration lock_delay{};
  // Only tests and simulations set these: after how many readers a lock is given back, a variant of
  // the algorithm, a recovery rule to leave out, and after how many entries an epoch is renewed.
  unsigned shared_entries = LocalQueue::shared_entries_max;
  Tuning tuning = {};
  recovery::Rule without = recovery::Rule::none;
  std::optional<std::uint64_t> entries_max = {};
};

/// A peer goes through these once, however many lives it has.
enum class Phase : std::uint8_t { joining, member, leaving, gone, failed };

class Node final : public wire::Recipient, private LockKnowledge, private Mail {
 public:
  Node(NodeOptions options, World& world, wire::Network& network);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // What happens.

  /// Looks for a member that can ask the register for this peer.
  void seek(Time now);
  /// Wants to be in the group.
  void start(Time now) { be_born(now); }
  /// Something may be due.
  void tick(Time now);
  /// Where the network says what has become of connections.
  wire::Channels& channels() { return channels_; }
  void answered(const Life& asker, const recovery::Answer& answer, Time now);
  /// The register has something new.
  void register_changed(Time now);
  /// It cannot be used at the moment; empty: it can be used again.
  void register_trouble(const std::string& why);
  /// Wants to be out of the group: those who wait are refused, commands are asked to end, data are
  /// given to others. Ends in Phase::gone, or failed.
  void leave(Time now);
  DataStore& data() { return data_; }
  /// Whether the locks of a group that is founded again say what the former one has left.
  bool is_restored() const { return restoring_.empty(); }

  /// Does what follows from what has happened.
  void settle(Time now);
  /// Its process is about to end, whatever else there is to do.
  void end() {
    if (phase_ != Phase::failed) enter_phase(Phase::gone);
  }
  /// Nobody carries out, and nobody hears, what is still done to its locks.
  void forget_all();
  /// When `tick` has something to do even if nothing happens.
  Time wakes() const;

  // Threads and clients. A claim belongs to its maker; it has no place any more when it dies.

  LockDesk& desk_at(const std::string& lock);
  LockDesk* find_desk(std::string_view lock);
  void close_desk(LockDesk& desk);
  void take_place(Claim& claim, LockDesk& desk, Time now);
  /// Leaves, or waits no longer.
  void drop_place(Claim& claim, Time now);
  /// Nobody may enter for so long after this peer has vanished; false if the register does not
  /// remember it yet.
  bool delay_locks(Duration lock_delay, Time now);
  /// Empty if the register can be told of a lock delay.
  std::string why_no_lock_delay() const;
  /// Those who use these locks have to be told who can share them.
  std::string why_not_shared() const;

  // What is known.

  const NodeOptions& options() const { return options_; }
  const CatalogEntry& algorithm() const { return *options_.algorithm; }
  const Life& self() const { return life_; }
  Phase phase() const { return phase_; }
  bool is_member() const { return phase_ == Phase::member; }
  /// Why it has failed.
  const std::string& failure() const { return failure_; }
  /// What keeps the register from being used; empty: nothing.
  const std::string& trouble() const { return trouble_; }
  bool has_life() const { return steward_ != nullptr; }
  bool is_ring() const { return options_.ring.has_value(); }
  bool has_lease(Time now) const { return steward_->has_lease(now); }
  bool has_terms() const { return has_terms_; }
  bool has_company() const { return steward_->view().roster.size() > 1; }
  Duration lease_length() const { return options_.terms.length; }
  /// How long it takes at most until a command of this peer's that was asked to end is gone.
  Duration command_patience() const { return options_.terms.length + lock_delay_; }
  const AnySteward& steward() const { return *steward_; }
  const std::map<std::string, std::unique_ptr<LockDesk>, std::less<>>& desks() const {
    return desks_;
  }

  // Status.

  Inquiries& inquiries() { return inquiries_; }
  ClaimSurvey& claim_survey() { return claim_survey_; }
  StatusPart status_part(Time now) const;
  Status status_here(Time now) const;
  /// The processes of this peer that hold this lock or wait for it; any lock, if it is empty.
  ClaimsPart claims_part(const std::string& lock, Time now) const;

  /// From here on until it looks away.
  void watch(Witness& witness) { witnesses_.push_back(&witness); }
  void unwatch(Witness& witness) { std::erase(witnesses_, &witness); }
  void unwatch_all() { witnesses_.clear(); }
  template <class Call>
  void tell(Call&& call) {
    for (Witness* witness : witnesses_) call(*witness);
  }

  // For its parts.

  /// Goes out with the next `settle`. False if nobody knows where that life is.
  bool send(const Life& to, std::string_view payload) override;
  void send(ClientId client, std::string_view reply) { channels_.send(client, reply, false); }
  void let_in(ClientId client, std::string_view reply) {
    channels_.send(client, reply, world_.let_in(client, reply));
  }
  void dismiss(ClientId client) { channels_.dismiss(client); }
  World& world() { return world_; }
  const World& world() const { return world_; }
  const wire::Channels& channels() const { return channels_; }
  AnySteward& steward() { return *steward_; }
  Effects& effects() { return effects_; }
  void log(const std::string& line, LogLevel level = LogLevel::warning) { world_.log(line, level); }
  /// The commands of clients that are inside this lock are asked to end; whoever asks is told when
  /// they have.
  void vacate(const Life& asker, const Vacate& m, Time now);
  /// Whether it speaks version 2, for all we know. A member that does not would take whoever asks
  /// about claims and commands for a stranger.
  bool understands_claims(const recovery::Member& member) const;

  // Of the channels.

  void delivered(const Life& from, std::string_view payload, Time now) override;
  void contacted(const std::string&, const Life& life, Time) override { ask_terms(life); }
  void broken(const Life& life, const std::string& why, Time now) override;
  void client_came(ClientId client) override { clients_.came(client); }
  void client_said(ClientId client, std::string_view payload, Time now) override;
  void client_left(ClientId client, Time now) override;

 private:
  // node.cpp: lives and phases.
  void be_born(Time now);
  void be_born_in_ring(Time now);
  void renew_life(Time now);
  void begin_anew(Time now);
  void enter_phase(Phase phase);
  void remember_neighbours();
  void refuse_waiting(Time now);
  bool ask_to_let_go();
  void turn_everybody_out(Time now);
  void go_on_leaving(Time now);
  bool has_commands_inside() const;
  bool is_idle() const;
  void keep_house(Time now);
  void suspect_unreachable(Time now);
  void forget(const Life& life);
  void drop_idle_desks();

  // node_data.cpp
  bool can_enclose(const Life& to) const override;
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
  void follow_epoch();
  void advance(LockDesk& desk, Time now);
  bool may_join_readers(Time now) const;
  void admit(LockDesk& desk, Time now);
  void lose(LockDesk& desk, Time now);
  void touch(LockDesk& desk);
  void tell_end(const Claim& claim, Time now);
  void let_go(Claim& claim, Time now);
  template <class M>
  void tell_asker(const Life& asker, PayloadKind kind, const M& m, Time now);

  void happen(const recovery::Granted& event, Time now);
  void happen(const recovery::Moved& event, Time now);
  void happen(const recovery::Withdrew& event, Time now);
  void happen(const recovery::Lost& event, Time now);
  void happen(const recovery::Opened& event, Time now);
  void happen(const recovery::Admitted& event, Time now);
  void happen(const recovery::Expelled& event, Time now);
  void happen(const recovery::Departed& event, Time now);
  void happen(const recovery::Refused& event, Time now);
  void happen(const recovery::LockArmed& event, Time now);
  void happen(const recovery::LockDisarmed& event, Time now);

  // node_talk.cpp: the others, and the register.
  void take_other_payload(const Life& from, PayloadKind kind, std::string_view body, Time now);
  void doubt(const Life& from, const std::string& why, Time now);
  void ask_terms(const Life& life);
  void learn_terms(const Life& from, const recovery::LeaseTerms& terms);
  void find_contacts_again(Time now);
  void put_question(recovery::Ask ask);
  void rely_on(const Life& contact);
  bool knows_lock_delays(const Life& contact) const;
  const Life* next_contact(const recovery::Ask& ask);
  void ask_for(const Life& asker, recovery::Ask ask);
  void hear(const recovery::Answer& answer, Time now);
  void tell_suspicions(const recovery::Ask& ask);
  LockPart part_of(const recovery::LockReport& report, Time now) const;

  NodeOptions options_;
  World& world_;
  Life life_;
  wire::Channels channels_;
  Time born_{};
  std::unique_ptr<AnySteward> steward_;
  std::map<std::string, std::unique_ptr<LockDesk>, std::less<>> desks_;
  DataStore data_;
  /// By which the node itself enters a lock, to see to its data: to what ends with it, or to those
  /// that a former group has left.
  std::unique_ptr<Claim> visit_;
  std::vector<std::string> restoring_;
  Clients clients_;
  Inquiries inquiries_;
  ClaimSurvey claim_survey_;
  Rangefinder rangefinder_;
  Timers timers_;
  Counts counts_;
  Epoch epoch_{0};
  std::vector<Witness*> witnesses_;

  /// Whose commands were asked to end before a lock is forced open, and which of them have not.
  struct Vacancy {
    Life asker;
    Vacated answer;
    std::vector<const Claim*> claims;
  };
  std::vector<Vacancy> vacancies_;
  /// Commands under locks of each life of this peer.
  std::map<Life, std::size_t> commands_;
  Duration lock_delay_{};

  /// What the calls since the last `settle` want done, and the desks they have changed.
  Effects effects_;
  Effects carried_out_;
  std::vector<LockDesk*> touched_;
  std::vector<Claim*> entered_;
  std::uint64_t followed_view_ = 0;
  /// The lives whose addresses the world knows. The time is when views stopped mentioning the life.
  std::map<Life, std::optional<Time>> known_lives_;
  /// Lives that can receive nothing more. They are suspected while they are members.
  std::set<Life> unreachable_;
  Time next_housekeeping_ = Time::max();
  Time next_forgetting_{};

  /// Where the register is on another machine: who asks it for us.
  std::vector<Life> contacts_;
  std::size_t contact_turn_ = 0;
  Time contacts_sought_{};
  unsigned seeks_ = 0;
  bool has_terms_ = false;

  Phase phase_ = Phase::joining;
  /// What a leaving peer still waits for, and until when.
  enum class Farewell : std::uint8_t { none, commands, data, locks, said } farewell_{};
  bool was_member_ = false;
  Time commands_until_ = Time::max();
  Time leaves_until_ = Time::max();
  /// Somebody has made this life useless: it ends before anything else happens.
  bool broken_ = false;
  /// Was expelled, and is not in again yet.
  bool expelled_ = false;
  std::string failure_;
  std::string trouble_;
};

}  // namespace conch::node
