// Group simulation: threads and clients that want locks.
#include <algorithm>

#include "core/print.hpp"
#include "sim/group_simulation_process.hpp"

namespace conch::sim {

using namespace recovery;
using node::Claim;

std::string GroupSimulation::draw_lock() { return lock_names_[random_.below(lock_names_.size())]; }

/// Each peer has locks of its own besides those that all use; many of them are first used while
/// something goes wrong.
std::string GroupSimulation::draw_lock(const Process& process) {
  bool is_own = own_locks_ > 0 && client_dice_.chance(0.3);
  if (!is_own) return draw_lock();
  return "shell " + std::to_string(process.id.value) + "." +
         std::to_string(client_dice_.below(own_locks_));
}

Wish GroupSimulation::draw_wish() {
  Wish wish;
  if (entry_.can.shared && chance(options_.readers)) wish.mode = Mode::read;
  return wish;
}

void GroupSimulation::serve(NodeId id, unsigned number, bool asked_after_storm) {
  ++report_.grants;
  if (asked_after_storm) ++served_[{id.value, number}];
}

/// A thread or a client of this process has entered.
void GroupSimulation::entered(Process& process, const Actor& actor,
                              const node::LocalLock& local_lock, const Wish& wish, Fence fence) {
  if (trace_)
    note(name_of(actor) + " enters " + local_lock.name + " to " + std::string(word(wish.mode)) +
         ", " + print(fence) + ", data " + std::to_string(local_lock.data.version));
  see_late_holders();
  check_order(process, local_lock);
  forgive_forced_commands(process);
  oracle(local_lock.name)
      .entered(actor, {fence, local_lock.data}, wish, is_told(process, local_lock));
  if (local_lock.rolled_back)
    oracle(local_lock.name).told_rolled_back(actor, local_lock.data.version);
  see_other_commands(actor, local_lock.name, wish);
}

/// The callers of one peer enter in the order in which they asked.
void GroupSimulation::check_order(const Process& process, const node::LocalLock& local_lock) {
  for (const Claim* inside : local_lock.queue.inside())
    for (const Claim* waiting : local_lock.queue.waiting())
      if (waiting->asked < inside->asked)
        findings_.report(Property::invariant, "a caller of " + name_of(process.life) +
                                                  " overtakes one that requested '" +
                                                  local_lock.name + "' earlier");
}

/// A receipt also counts messages to peers that cannot be reached; observers do not hear of those.
void GroupSimulation::check_receipt(const Process& process, const Thread& thread) {
  const node::LockTraffic& before = thread.traffic_before;
  const node::LockTraffic& now = process.traffic.find(thread.lock)->second;
  const Receipt& receipt = thread.receipt;
  bool is_right = receipt.wait == process.shows() - thread.asked_at &&
                  receipt.messages_received == now.messages_received - before.messages_received &&
                  receipt.bytes_received == now.bytes_received - before.bytes_received &&
                  receipt.messages_sent >= now.messages_sent - before.messages_sent &&
                  receipt.bytes_sent >= now.bytes_sent - before.bytes_sent;
  if (!is_right)
    findings_.report(Property::invariant, name_of(thread.actor()) + " gets a receipt for '" +
                                              thread.lock + "' that is not true");
}

/// Compares the status of a peer that is at rest with what it told its observers.
void GroupSimulation::check_account(const Process& process) {
  node::StatusPart part = process.node->status_part(process.shows());
  const node::Counts& told = process.told;
  bool is_right = part.counts.entries == told.entries && part.counts.handovers == told.handovers &&
                  part.counts.losses == told.losses && part.counts.epochs == told.epochs &&
                  part.life == process.life && part.age == process.shows() - process.born_at;
  if (!is_right)
    findings_.report(Property::invariant,
                     name_of(process.life) + " counts something else than has happened to it");
  if (process.node->group_member().holds_fast())
    findings_.report(Property::invariant,
                     name_of(process.life) + " waits for a command that has ended");
  for (const node::LockPart& lock : part.locks)
    if (lock.holds || lock.waits || lock.in_line > 0)
      findings_.report(Property::progress,
                       name_of(process.life) + " claims to use '" + lock.lock + "', but does not");
}

// Threads.

/// Such a peer always has a reader inside; writers must get their turn all the same.
bool GroupSimulation::is_eager(const Process& process) const {
  return eager_ == process.id && is_well() && stage_ == Stage::busy;
}

void GroupSimulation::think(Process& process, Thread& thread) {
  if (stage_ != Stage::busy) return;
  Duration time = draw({}, thinking_max_);
  if (is_eager(process)) time = {};
  to(process.serial, time, [this, &thread](Process& one) { ask(one, thread); });
}

void GroupSimulation::ask(Process& process, Thread& thread) {
  if (!process.node->is_member()) {
    if (!process.wants_to_leave) think(process, thread);
    return;
  }
  std::string lock = draw_lock(process);
  Wish wish = draw_wish();
  if (is_eager(process)) {
    lock = lock_names_.front();
    wish.mode = Mode::read;
  }
  thread.mode = wish.mode;
  thread.writes = wish.mode == Mode::write;
  thread.uses_data = !is_ring() && chance(0.8);
  thread.lock = lock;
  thread.asked_after_storm = !stormy_;
  std::uint64_t request = ++thread.request;
  note(process.life, "." + std::to_string(thread.number) + " asks for " + lock + " to " +
                         std::string(word(wish.mode)));
  node::LocalLock& local_lock = process.node->local_lock_at(lock);
  ++local_lock.users;
  if (thread.uses_data) open_data(process, thread);
  thread.is_untold = true;
  thread.asked_at = process.shows();
  thread.traffic_before = process.traffic[lock];
  act(process, [&](node::Node& node, Time now) { node.take_place(thread, local_lock, now); });
  bool is_impatient = stormy_ ? chance(0.15) : now_ < stays_until_ && client_dice_.chance(0.5);
  if (!is_impatient) return;
  to(process.serial, draw({}, options_.lease.length / 4),
     [this, &thread, request](Process& one) { lose_patience(one, thread, request); });
}

void GroupSimulation::lose_patience(Process& process, Thread& thread, std::uint64_t request) {
  if (thread.state != Claim::State::waiting || thread.request != request) return;
  note(process.life, "." + std::to_string(thread.number) + " loses patience");
  findings_.see(Sighting::patience_ended);
  std::string lock = thread.lock;
  thread.is_untold = false;
  act(process, [&](node::Node& node, Time now) { node.drop_place(thread, now); });
  finish(process, thread);
  watch_withdrawal(process, lock, withdrawal_looks);
}

/// A caller that gives up leaves the group's queue soon, however long the holder stays.
void GroupSimulation::watch_withdrawal(Process& process, const std::string& lock, unsigned looks) {
  if (!is_well() || !entry_.about.promises_progress) return;
  const node::LocalLock* local_lock = process.node->find_local_lock(lock);
  bool is_out = !local_lock || local_lock->queue.place() != node::LocalQueue::Place::withdrawing;
  if (is_out && now_ < stays_until_) findings_.see(Sighting::withdrew_meanwhile);
  if (is_out) return;
  if (looks == 0)
    return findings_.report(Property::progress, name_of(process.life) + " wants '" + lock +
                                                    "' no more, and cannot leave its queue");
  to(process.serial, options_.lease.length / 2,
     [this, lock, looks](Process& one) { watch_withdrawal(one, lock, looks - 1); });
}

/// The node has changed the state of its claim.
void GroupSimulation::changed(Process& process, Thread& thread) {
  const std::string& lock = thread.local_lock->name;
  Actor actor = thread.actor();
  std::uint64_t request = thread.request;
  thread.is_untold = false;
  switch (thread.state) {
    case Claim::State::inside:
      if (!process.node->has_lease(process.shows()) && options_.without != Rule::lease)
        findings_.report(Property::mutual_exclusion, name_of(actor) + " enters without a lease");
      entered(process, actor, *thread.local_lock, {thread.mode, {}}, thread.fence);
      check_receipt(process, thread);
      return thread.uses_data ? use_data(process, thread)
                              : begin_work(process, thread, dho::CallStatus::ok);
    case Claim::State::lost: {
      note(process.life, "." + std::to_string(thread.number) + " is told that it has lost " + lock);
      const recovery::GroupMember& group_member = process.node->group_member();
      if (process.node->phase() != node::PeerPhase::member) {
        oracle(lock).left(actor, std::nullopt);
      } else if (is_ring() || group_member.stage() == recovery::ViewStage::out) {
        oracle(lock).told_lost(actor);
      } else {
        oracle(lock).told_forced(actor, group_member.view().forced_open(lock));
      }
      break;
    }
    case Claim::State::refused: break;
    case Claim::State::idle:
    case Claim::State::waiting: return;
  }
  to(process.serial, {}, [this, &thread, request](Process& one) {
    if (thread.request == request) finish(one, thread);
  });
}

/// The thread is done with its lock, and may ask again.
void GroupSimulation::finish(Process& process, Thread& thread) {
  thread.state = Claim::State::idle;
  if (thread.uses_data) close_data(process, thread);
  process.node->close_local_lock(*std::exchange(thread.local_lock, nullptr));
  think(process, thread);
}

void GroupSimulation::release(Process& process, Thread& thread) {
  if (thread.uses_data && thread.is_in_vain())  // The thread is told of its loss first.
    return call(process, [](node::Node&, Time) {});
  if (process.node->group_member().stage() == recovery::ViewStage::frozen)
    findings_.see(Sighting::released_while_frozen);
  if (thread.uses_data) return leave_data(process, thread);
  let_go(process, thread, std::nullopt);
}

/// Releases the lock, which then names these data, if any were written.
void GroupSimulation::let_go(Process& process, Thread& thread,
                             const std::optional<DataRef>& written) {
  if (written) thread.local_lock->data = *written;
  if (trace_)
    note(name_of(thread.actor()) + " releases " + thread.local_lock->name +
         (written ? ", version " + std::to_string(written->version) : ""));
  oracle(thread.local_lock->name).left(thread.actor(), written);
  act(process, [&](node::Node& node, Time now) { node.drop_place(thread, now); });
  finish(process, thread);
  if (!is_ring() && data_dice_.chance(0.005)) leave_soon(process, options_.lease.length / 100);
}

// Clients.

void GroupSimulation::connect(Process& process, Client& client) {
  if (client.is_connected || process.wants_to_leave) return;
  if (!process.node->is_member() || !process.has_socket || process.lacks_descriptors)
    return to(process.serial, draw({}, options_.lease.length),
              [this, &client](Process& one) { connect(one, client); });
  Client fresh;
  fresh.number = client.number;
  fresh.id = wire::ClientId{dial_as_client(process) + 1};
  fresh.is_connected = true;
  fresh.reader.allow(wire::frame_bytes_max);
  client = std::move(fresh);
  if (client_dice_.chance(0.3)) {
    client.lock_delay = options_.lease.length / 4;
    say(process, client, node::LockDelay{client.lock_delay});
  }
  say(process, client, node::Describe{"command " + std::to_string(client.number)});
  think(process, client);
}

void GroupSimulation::say(Process& process, const Client& client,
                          const node::ClientMessage& message) {
  std::string body;
  encode(body, message);
  say(process, client, body);
}

void GroupSimulation::say(Process& process, const Client& client, std::string_view body) {
  std::string bytes;
  wire::put_frame(bytes, wire::FrameKind::note, body);
  if (process.find(client.id)) write(static_cast<wire::Serial>(client.id) - 1, bytes);
}

/// The client sends what no client of ours would, is sent away, and comes again.
void GroupSimulation::babble(Process& process, Client& client) {
  client.babbles = true;
  say(process, client, std::string(1 + client_dice_.below(40), '\xa7'));
}

void GroupSimulation::to_client(std::uint64_t serial, wire::ClientId id,
                                const std::function<void(Process& host, Client& client)>& act) {
  Process* host = find(serial);
  Client* client = host ? host->find(id) : nullptr;
  if (client) act(*host, *client);
}

void GroupSimulation::think(Process& process, Client& client) {
  after(draw({}, thinking_max_), [this, serial = process.serial, id = client.id] {
    to_client(serial, id, [this](Process& host, Client& thinker) {
      if (!thinker.is_connected || thinker.doing != Client::Doing::nothing) return;
      if (stormy_ && chance(0.1)) return vanish(host, thinker);
      if (stormy_ && client_dice_.chance(0.02)) return babble(host, thinker);
      if (chance(0.2)) inquire(host, thinker);
      if (!stormy_ && stage_ == Stage::busy && client_dice_.chance(0.1))
        force_open(host, thinker, draw_lock(), client_dice_.chance(0.5));
      if (!stormy_ && stage_ == Stage::busy && client_dice_.chance(0.02))
        evict(host, thinker, *draw_process(client_dice_), client_dice_.chance(0.5));
      if (stage_ == Stage::busy) acquire(host, thinker);
    });
  });
}

void GroupSimulation::acquire(Process& process, Client& client) {
  client.doing = Client::Doing::waits;
  client.lock = draw_lock(process);
  client.wish = draw_wish();
  client.asked_after_storm = !stormy_;
  node::Acquire m{++client.claim, client.lock, client.wish.mode == Mode::read, {}, false};
  if (stormy_ && chance(0.2)) m.patience = draw({}, options_.lease.length / 2);
  if (stormy_ && chance(0.1)) m.once = true;
  bool is_impatient = is_settled(calm_at_) && now_ < stays_until_ && client_dice_.chance(0.5);
  if (is_impatient) m.patience = options_.lease.length / 4;
  say(process, client, m);
  if (is_impatient) watch_patience(process, client, *m.patience);
  if (!stormy_ || !chance(0.05)) return;
  after(draw({}, options_.lease.length / 4), [this, serial = process.serial, id = client.id] {
    to_client(serial, id, [this](Process& host, Client& waiter) {
      if (waiter.is_connected && waiter.doing != Client::Doing::nothing) vanish(host, waiter);
    });
  });
}

/// When all is well, a client is let in or refused within its patience.
void GroupSimulation::watch_patience(const Process& process, const Client& client,
                                     Duration patience) {
  after(patience + options_.lease.length,
        [this, serial = process.serial, id = client.id, claim = client.claim] {
          to_client(serial, id, [this, claim](Process& host, Client& waiter) {
            bool still_waits = waiter.is_connected && waiter.claim == claim &&
                               waiter.doing == Client::Doing::waits;
            if (!still_waits && now_ < stays_until_) findings_.see(Sighting::refused_in_time);
            if (still_waits && is_well())
              findings_.report(Property::progress, name_of(Actor{host.life, waiter.number}) +
                                                       " is kept waiting longer than it wanted");
          });
        });
}

/// Asks for the group's status, or for who claims what.
void GroupSimulation::inquire(Process& process, Client& client) {
  ++client.surveys;
  if (chance(0.5)) return say(process, client, node::AskStatus{});
  say(process, client,
      node::AskClaims{chance(0.5) ? draw_lock() : "", draw({}, options_.lease.length)});
}

GroupSimulation::Client* GroupSimulation::Process::find(wire::ClientId client) {
  auto found = std::find_if(clients.begin(), clients.end(),
                            [&](const Client& each) { return each.id == client; });
  return found == clients.end() ? nullptr : &*found;
}

bool GroupSimulation::Process::let_in(wire::ClientId client, std::string_view reply) {
  std::string why;
  auto message = node::unpacked<node::ClientReply>(reply, why);
  if (Client* found = find(client))
    w_.start_command(*this, *found, std::get<node::Entered>(*message).fence);
  return false;
}

void GroupSimulation::hear(Process& host, Client& client, std::string_view bytes) {
  std::string why;
  auto reply = node::unpacked<node::ClientReply>(bytes, why);
  if (!reply) return findings_.report(Property::invariant, "a client cannot read: " + why);
  if (const auto* entered = std::get_if<node::Entered>(&*reply)) {
    if (entered->claim != client.claim || client.doing != Client::Doing::waits) return;
    client.doing = Client::Doing::holds;
    after(draw({}, options_.lease.length / 10),
          [this, serial = host.serial, id = client.id, claim = client.claim] {
            to_client(serial, id, [this, claim](Process& still, Client& holder) {
              bool holds = holder.claim == claim && holder.doing == Client::Doing::holds;
              if (holds) give_up(still, holder);
            });
          });
  } else if (const auto* refused = std::get_if<node::NotEntered>(&*reply)) {
    if (refused->claim != client.claim || client.doing != Client::Doing::waits) return;
    if (refused->why == node::not_free) findings_.see(Sighting::patience_ended);
    client.doing = Client::Doing::nothing;
    if (refused->why.starts_with("this peer serves")) {
      findings_.see(Sighting::client_turned_away);
      return vanish(host, client);
    }
    think(host, client);
  } else if (const auto* lost = std::get_if<node::LostLock>(&*reply)) {
    bool has_it = client.doing == Client::Doing::waits || client.doing == Client::Doing::holds;
    if (lost->claim != client.claim || !has_it) return;
    bool is_stopped = host.wants_to_leave && client_dice_.chance(0.4);
    is_stopped ? stop(client) : give_up(host, client);
  } else if (std::holds_alternative<node::Status>(*reply) ||
             std::holds_alternative<node::Claims>(*reply)) {
    --client.surveys;
    findings_.see(Sighting::group_surveyed);
    if (const auto* status = std::get_if<node::Status>(&*reply)) check_status(*status);
  } else if (std::holds_alternative<node::Done>(*reply) ||
             std::holds_alternative<node::Failed>(*reply)) {
    client.has_errand = false;
    see_late_holders();
    const auto* failed = std::get_if<node::Failed>(&*reply);
    bool was_out = failed && failed->why.starts_with("no member ");
    bool is_excused = was_out || (failed && failed->why == node::not_in_group);
    if (failed && !is_excused && std::exchange(client.errand_must_succeed, false))
      findings_.report(Property::progress,
                       (client.forced.empty() ? "a member cannot be evicted"
                                              : "'" + client.forced + "' cannot be forced open") +
                           std::string(", though all is well: ") + failed->why);
    if (!failed && !client.forced.empty()) oracle(client.forced).opened(client.inside_before);
  }
}

void GroupSimulation::check_status(const node::Status& status) {
  for (const node::StatusPart& part : status.parts)
    for (const node::LockPart& lock : part.locks)
      if (lock.holds) oracle(lock.lock).shown(part.life, lock.fence);
}

/// The client's command ends, and then the client gives up the lock.
void GroupSimulation::give_up(Process& process, Client& client) {
  client.doing = Client::Doing::ends;
  end_command({client.life, client.number}, [this, serial = process.serial, id = client.id] {
    to_client(serial, id, [this](Process& host, Client& holder) {
      if (!holder.is_connected) return;
      holder.doing = Client::Doing::nothing;
      say(host, holder, node::GiveUp{holder.claim});
      think(host, holder);
    });
  });
}

/// The keeper ends the command, but the stopped client never says so.
void GroupSimulation::stop(Client& client) {
  findings_.see(Sighting::client_stopped);
  client.doing = Client::Doing::ends;
  end_command({client.life, client.number}, [] {});
}

/// The connection closes only after the keeper has ended the command.
void GroupSimulation::vanish(Process& process, Client& client) {
  note(process.life, "." + std::to_string(client.number) + " is a client that vanishes");
  if (client.doing != Client::Doing::nothing) findings_.see(Sighting::client_vanished);
  client.is_connected = false;
  end_command({client.life, client.number}, [this, serial = process.serial, id = client.id] {
    if (!find(serial)) return;
    close(static_cast<wire::Serial>(id) - 1);
    to(serial, draw({}, options_.lease.length), [this, id](Process& again) {
      if (Client* vanished = again.find(id)) connect(again, *vanished);
    });
  });
}

}  // namespace conch::sim
