// A running peer: one guarded state, which whoever has something to do works on itself.
//
// A thread that unlocks runs the algorithm and writes to the socket. A thread that waits drives: it
// waits for the sockets, and works on what comes, until its own lock has come. Of several that wait
// one drives, and the others are woken when theirs has come or when it is their turn to drive. The
// background thread drives while nobody waits; it takes over a moment after the last one has
// stopped, for that one is likely to wait again soon, and to wake a thread costs more than a
// message.
//
// Whatever a call changes is carried out by `settle` before the guard is given up: messages are on
// their way before the process learns of anything.
#pragma once

#include <conch/deadline.hpp>
#include <conch/peer.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "net/courier.hpp"
#include "peer/agreement.hpp"
#include "peer/any_steward.hpp"
#include "peer/claim.hpp"
#include "peer/directories.hpp"
#include "peer/fork.hpp"
#include "peer/lock_desk.hpp"
#include "peer/names.hpp"
#include "peer/presence.hpp"
#include "peer/register_desk.hpp"
#include "peer/talk.hpp"
#include "peer/timers.hpp"
#include "peer/witness.hpp"
#include "register/lease_page.hpp"

namespace conch::peer {

class ClaimSurvey;
class Clients;
class DataDesk;
class Inquiries;
class Rangefinder;
class TraceFile;

using Guard = std::unique_lock<std::mutex>;

net::Tls tls_of(const TlsOptions& options);
/// So long from now; never, if that is for ever.
std::optional<Time> until(Duration left);

class Engine final : public std::enable_shared_from_this<Engine>,
                     private net::Recipient,
                     private RegisterListener {
 public:
  /// Is a member when it returns. Throws Error.
  explicit Engine(PeerOptions options);
  ~Engine() override;

  void leave();

  /// Its threads are in the parent of this process.
  bool is_inherited() const { return origin_.is_elsewhere(); }
  /// Throws Error unless it was made by this process.
  void expect_own() const {
    if (is_inherited()) fail_because_forked();
  }
  [[noreturn]] void fail_because_left() const;

  // Threads. A claim belongs to its caller; it has no place any more when it dies.

  LockDesk& open_desk(const std::string& lock);
  void close_desk(LockDesk& desk);

  Guard guard() {
    expect_own();
    return Guard(mutex_);
  }
  /// Takes a place in the line; it may be inside at once. Throws Error if the peer has left.
  void request(Claim& claim, LockDesk& desk, const Guard& guard);
  /// Until it waits no longer, or this time has come.
  void wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard);
  void wait(ThreadClaim& claim, const Deadline& deadline, Guard& guard);
  /// Leaves, or gives up its place.
  void give_up(Claim& claim, const Guard& guard);
  /// Called by the peer's own thread, without the guard. Under the guard.
  void call_later(std::function<void()> callback);

  // Under the guard.
  bool is_member() const { return phase_ == Phase::member; }
  bool has_lease() const { return steward_->has_lease(net::steady_now()); }
  /// Whatever is due is done now.
  void look_at_clock();

  const PeerOptions& options() const { return options_; }
  const std::string& group() const { return group_; }
  /// Where its Unix socket is, with a slash at the end.
  std::string socket_folder() const { return directories_.sockets + "/"; }
  const CatalogEntry& algorithm() const { return *algorithm_; }
  std::string why_not_shared() const;
  /// Throws Error if nobody can share a lock of this group.
  void expect_sharing() const;
  /// Empty if data may travel with the locks of this group.
  std::string why_no_data() const;
  recovery::Life life() const;
  std::vector<std::string> listens() const { return listens_; }
  /// While a copy of it is open, this life is not taken for dead; none where the register is on
  /// another machine.
  file::Descriptor proof();
  /// The page that says how long the lease of this life runs (register/lease_page.hpp); none in a
  /// group without a register. Under the guard.
  file::Descriptor lease_page();
  /// For a client that is inside: that page, and the proof, if there is one. Under the guard.
  std::vector<net::Descriptor> pledges();

  // Under the guard: for clients, inquiries and data.

  /// What a call wants done is done before it returns.
  void settle(Time now);
  /// A lock that is here is not entered, nor kept, before one has heard who else wants it. So a
  /// thread that never waits does not keep others waiting.
  void listen();
  const recovery::Life& self() const { return life_; }
  LockDesk& desk_at(const std::string& lock);
  void take_place(Claim& claim, LockDesk& desk, Time now);
  void drop_place(Claim& claim);
  /// Nobody may enter for so long after this peer has vanished; false if the register does not
  /// remember it yet.
  bool delay_locks(Duration lock_delay, Time now);
  /// Empty if the register can be told of a lock delay.
  std::string why_no_lock_delay() const;
  /// The commands of clients that are inside this lock are asked to end; whoever asks is told when
  /// they have.
  void vacate(const recovery::Life& asker, const Vacate& m);
  /// How long it takes at most until a command of this peer's that was asked to end is gone.
  Duration command_patience() const { return terms_.length + lock_delay_; }
  Duration lease_length() const { return terms_.length; }
  net::Courier& courier() { return *courier_; }
  AnySteward& steward() { return *steward_; }
  Inquiries& inquiries() { return *inquiries_; }
  ClaimSurvey& claim_survey() { return *claim_survey_; }
  DataDesk& data() { return *data_; }
  /// Where the data of a group that ends are kept; empty: nowhere.
  std::string data_folder() const;
  /// Something is here that was not before.
  void tell_copies();
  /// Bytes of data have come or gone.
  void tell_data(std::uint64_t sent, std::uint64_t received) {
    if (sent > 0) tell([&](Witness& witness) { witness.data_sent(sent); });
    if (received > 0) tell([&](Witness& witness) { witness.data_received(received); });
  }
  Effects& effects() { return effects_; }
  StatusPart status_part(Time now) const;
  Status status_here(Time now) const;
  /// The processes of this peer that hold this lock or wait for it; any lock, if it is empty.
  ClaimsPart claims_part(const std::string& lock, Time now) const;
  /// Whether it speaks version 2, for all we know. A member that does not would take whoever asks
  /// about claims and commands for a stranger.
  bool understands_claims(const recovery::Member& member) const;
  /// What this process runs, for those who ask who holds a lock; its command line, if it is empty.
  void describe(std::string command) { command_ = std::move(command); }
  /// What keeps the register from being used; empty: nothing.
  const std::string& trouble() const { return trouble_; }
  void log(const std::string& line, LogLevel level = LogLevel::warning) const;
  /// From here on until the engine ends, or it looks away. Under the guard.
  void watch(Witness& witness) { witnesses_.push_back(&witness); }
  void unwatch(Witness& witness) { std::erase(witnesses_, &witness); }
  /// Whoever drives calls it at least this often, while this peer is or may become a member. It
  /// comes from the loop that does the work, so that it ceases when that loop hangs; it neither
  /// blocks nor calls the engine. Under the guard.
  void beat_every(Duration period, std::function<void()> beat);

 private:
  // The courier.
  void delivered(const recovery::Life& from, std::string_view payload) override;
  void contacted(const std::string& address, const recovery::Life& life) override;
  void broken(const recovery::Life& life, const std::string& why) override;
  void client_came(net::ClientId client) override;
  void client_said(net::ClientId client, std::string_view payload) override;
  void client_left(net::ClientId client) override;
  void stream_came(const recovery::Life& from, net::Stream stream) override;
  // The register; by its desk's thread.
  void answered(const recovery::Life& asker, const recovery::Answer& answer) override;
  void register_changed() override;
  void register_trouble(const std::string& why) override;

  [[noreturn]] static void fail_because_forked();

  // Life.
  enum class Phase : std::uint8_t { joining, member, leaving, gone, failed };
  net::Acquaintance who_is_there() const;
  // Without a register: engine_ring.cpp.
  bool is_ring() const { return ring_.has_value(); }
  Insistence insistence() const { return {options_.algorithm, options_.dht, options_.replicas}; }
  bool find_ring();
  bool seek_ring();
  void note_ring() const;
  bool find_ring_there();
  bool find_ring_here();
  bool is_register_group(const net::Acquaintance& there) const;
  void meet_ring(const net::Acquaintance& there, const std::string& place);
  void check_ring_options() const;
  void be_born_in_ring();
  void remember_neighbours();
  bool is_adaptive() const { return options_.cluster == measured_cluster; }
  void check_register_options() const;
  void found_again(const recovery::View& last);
  std::vector<std::string> way_in() const;
  void expect_own_register() const;
  void open_courier();
  void come_in();
  std::string why_not_admitted() const;
  void find_contacts_again();
  void look_after_socket();
  void note_whereabouts() const;
  void be_born();
  void enter_phase(Phase phase);
  void refuse_waiting();
  bool ask_to_let_go();
  void turn_everybody_out();
  void leave_if_idle(Time now);
  void stop();

  // Driving.
  void start_driving();
  void drive(ThreadClaim& claim, std::optional<Time> until, Guard& guard);
  void find_driver();
  void background();
  void call_back(Guard& guard);
  void stand_by(Guard& guard);
  void drive_in_background(Guard& guard);
  void work(const net::Readiness& ready);
  void ring_again();
  void look_after(Time now);
  void keep_house(Time now);
  void beat_if_due(Time now);
  Time wakes() const;
  void rouse_driver();
  void rouse_background() const;

  // Settling.
  void forget_all();
  void do_all(Time now);
  void carry_out(Effects& effects, Time now);
  void dispatch(const Effects& effects);
  void follow_view(Time now);
  void follow_epoch();
  void advance(LockDesk& desk, Time now);
  void admit(LockDesk& desk, Time now);
  void lose(LockDesk& desk);
  void touch(LockDesk& desk);
  LockDesk* find_desk(std::string_view lock);
  void drop_idle_desks();

  // Witnesses.
  template <class Call>
  void tell(Call&& call) {
    for (Witness* witness : witnesses_) call(*witness);
  }
  void tell_end(const Claim& claim, Time now);
  void tell_suspicions(const recovery::Ask& ask);

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

  // The others, and the register.
  void take_other_payload(const recovery::Life& from, PayloadKind kind, std::string_view body);
  void doubt(const recovery::Life& from, const std::string& why);
  void ask_terms(const recovery::Life& life);
  void learn_terms(const recovery::Life& from, const recovery::LeaseTerms& terms);
  void put_question(recovery::Ask ask);
  bool knows_lock_delays(const recovery::Life& contact) const;
  const recovery::Life* next_contact(const recovery::Ask& ask);
  void ask_for(const recovery::Life& asker, recovery::Ask ask);
  void hear(const recovery::Answer& answer);
  void show_lease();
  void let_go(Claim& claim);
  template <class M>
  void tell_asker(const recovery::Life& asker, PayloadKind kind, const M& m);
  LockPart part_of(const recovery::LockReport& report, Time now) const;

  Origin origin_;
  PeerOptions options_;
  std::string group_;
  /// The label with which it comes in.
  std::string cluster_;
  Directories directories_;
  const CatalogEntry* algorithm_ = nullptr;
  /// What the group has agreed on that needs no register, and through whom this peer comes in.
  std::optional<Agreement> ring_;
  std::vector<Introduction> ring_contacts_;
  /// Of those who start on this machine at once, one founds.
  file::Descriptor founding_;
  recovery::LeaseTerms terms_;
  std::vector<std::string> listens_;
  /// Why the socket could not be made again; empty: there is none, or nobody has removed it.
  std::string socket_trouble_;

  mutable std::mutex mutex_;
  recovery::Life life_;
  Time born_{};
  std::unique_ptr<net::Courier> courier_;
  std::unique_ptr<RegisterDesk> register_;
  std::optional<Presence> presence_;
  std::unique_ptr<AnySteward> steward_;
  /// Whose commands were asked to end before a lock is forced open, and which of them have not.
  struct Vacancy {
    recovery::Life asker;
    Vacated answer;
    std::vector<const Claim*> claims;
  };
  std::vector<Vacancy> vacancies_;
  /// Commands under locks of each life of this peer.
  std::map<recovery::Life, std::size_t> commands_;
  Duration lock_delay_{};
  /// The page of this life, once somebody has asked for it.
  std::unique_ptr<file::LeasePage> lease_page_;
  std::unique_ptr<Clients> clients_;
  std::unique_ptr<Inquiries> inquiries_;
  std::unique_ptr<ClaimSurvey> claim_survey_;
  std::unique_ptr<Rangefinder> rangefinder_;
  std::unique_ptr<DataDesk> data_;
  std::unordered_map<std::string, std::unique_ptr<LockDesk>, NameHash, std::equal_to<>> desks_;
  Timers timers_;
  std::minstd_rand dice_;
  Counts counts_;
  Epoch epoch_{0};
  std::vector<Witness*> witnesses_;
  std::unique_ptr<TraceFile> trace_;
  std::string command_;

  /// What the calls since the last `settle` want done, and the desks they have changed.
  Effects effects_;
  Effects carried_out_;
  std::vector<LockDesk*> touched_;
  std::vector<Claim*> entered_;
  /// What the clock showed when the driver began to work.
  Time work_now_{};
  std::uint64_t followed_view_ = 0;
  /// Whom the courier knows, and since when no view mentions it.
  std::map<recovery::Life, std::optional<Time>> known_lives_;
  Time next_housekeeping_ = Time::max();
  Time next_forgetting_{};
  std::function<void()> beat_;
  Duration beat_period_{};
  Time next_beat_ = Time::max();

  /// Where the register is on another machine: who asks it for us.
  std::vector<recovery::Life> contacts_;
  std::size_t contact_turn_ = 0;
  Time contacts_sought_{};
  bool has_terms_ = false;

  Phase phase_ = Phase::joining;
  std::condition_variable phase_changed_;
  /// Nothing is left to do before it leaves.
  bool may_leave_ = false;
  bool asked_to_leave_ = false;
  /// Somebody has made this life useless: it ends before anything else happens.
  bool broken_ = false;
  /// Was expelled, and is not in again yet.
  bool expelled_ = false;
  std::string failure_;
  /// Of the register, if any.
  std::string trouble_;

  // Driving.
  bool thread_drives_ = false;
  bool background_drives_ = false;
  bool takeover_due_ = false;
  /// Longer while threads wait again and again, for then it would be for nothing.
  Duration takeover_delay_{};
  /// When the driver wakes by itself.
  Time driver_until_ = Time::max();
  std::vector<ThreadClaim*> waiting_threads_;
  std::vector<std::function<void()>> callbacks_;
  bool stopping_ = false;
  file::Descriptor background_wake_;
  file::Descriptor takeover_timer_;
  std::thread thread_;
};

}  // namespace conch::peer
