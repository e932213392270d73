// Group simulation: connections that are slow, take little at a time, and break after any byte.
#include <algorithm>

#include "sim/group_simulation_process.hpp"

namespace conch::sim {

namespace {

wire::Serial number_of(std::uint64_t wire, unsigned end) { return 2 * wire + end; }
std::uint64_t wire_of(wire::Serial number) { return number / 2; }
unsigned end_of(wire::Serial number) { return number % 2; }

}  // namespace

/// An address is a peer's name, which means the newest process of that name; or it is that of one
/// process, and a later process may get the same, as a port is used again.
GroupSimulation::Process* GroupSimulation::listener_at(const std::string& address) {
  if (address.find(':') == address.npos) return newest(NodeId{std::stoull(address)});
  for (const auto& [serial, process] : processes_)
    if (process->address == address) return process.get();
  return nullptr;
}

bool GroupSimulation::is_cut(const PeerInstance& from, const PeerInstance& to) const {
  return cut_.contains({from.id.value, to.id.value}) || severed_.contains({from, to});
}

wire::Network::Dialed GroupSimulation::dial(Process& from, const std::string& address) {
  Process* listener = listener_at(address);
  bool reaches =
      listener && !is_cut(from.life, listener->life) && !is_cut(listener->life, from.life);
  bool is_local = listener && share_memory(from.id, listener->id);
  if (from.lacks_descriptors) return {{}, "too many open files"};
  if (is_local && (!reaches || !listener->has_socket || listener->lacks_descriptors))
    return {{}, "nobody listens there"};
  std::uint64_t number = ++wire_count_;
  SimulatedConnection& wire = wires_[number];
  wire.address = address;
  wire.ends[0] = {from.id, from.serial};
  wire::Route route = is_local ? wire::Route::local : wire::Route::remote;
  if (is_local) {
    wire.ends[1] = {listener->id, listener->serial};
    put(number, 1, SimulatedConnection::Piece::Kind::accepted, {});
  } else {
    after(draw_latency(), [this, number] { knock(number); });
  }
  return {
      {.serial = number_of(number, 0), .route = route, .whom = address, .is_connected = is_local}};
}

/// Connects a client of this process through the Unix socket. Returns the number of its end.
wire::Serial GroupSimulation::dial_as_client(const Process& host) {
  std::uint64_t number = ++wire_count_;
  SimulatedConnection& wire = wires_[number];
  wire.ends[0] = {host.id, host.serial, true};
  wire.ends[1] = {host.id, host.serial};
  put(number, 1, SimulatedConnection::Piece::Kind::accepted, {});
  std::string hello;
  wire::put_hello(hello, {.group = host.node->options().group, .role = wire::Role::client});
  write(number_of(number, 0), hello);
  return number_of(number, 0);
}

/// A dial arrives. If the process is stopped, its machine accepts the connection.
void GroupSimulation::knock(std::uint64_t number) {
  auto found = wires_.find(number);
  if (found == wires_.end()) return;
  SimulatedConnection& wire = found->second;
  Process* listener = listener_at(wire.address);
  if (!listener)
    return put(number, 0, SimulatedConnection::Piece::Kind::ended, "connection refused");
  const Process* from = find(wire.ends[0].process);
  bool is_parted =
      from && (is_cut(from->life, listener->life) || is_cut(listener->life, from->life));
  if (is_parted || listener->lacks_descriptors)
    return after(latency_max_, [this, number] { knock(number); });
  wire.ends[1] = {listener->id, listener->serial};
  put(number, 0, SimulatedConnection::Piece::Kind::connected, {});
  put(number, 1, SimulatedConnection::Piece::Kind::accepted, {});
}

/// Sends a piece to this end, behind what is on its way.
void GroupSimulation::put(std::uint64_t number, unsigned end, SimulatedConnection::Piece::Kind kind,
                          std::string text, Duration more) {
  SimulatedConnection& wire = wires_.at(number);
  SimulatedConnection::End& to = wire.ends[end];
  Duration delay = wire.ends[0].is_client ? std::chrono::microseconds(50) : draw_latency();
  if (has_sites_ && !are_near(wire.ends[0].id, wire.ends[1].id)) delay += 20 * latency_max_;
  Time arrival = now_ + delay + more;
  if (!to.pieces.empty()) arrival = std::max(arrival, to.pieces.back().arrival);
  to.bytes += kind == SimulatedConnection::Piece::Kind::bytes ? text.size() : 0;
  to.pieces.push_back({kind, arrival, std::move(text)});
  at(arrival, [this, number, end] { arrive(number, end); });
}

void GroupSimulation::arrive(std::uint64_t number, unsigned side) {
  auto found = wires_.find(number);
  if (found == wires_.end()) return;
  SimulatedConnection::End& end = found->second.ends[side];
  SimulatedConnection::End& other = found->second.ends[1 - side];
  Process* process = find(end.process);
  if (!process || end.pieces.empty() || end.pieces.front().arrival > now_) return;
  const Process* sender = find(other.process);
  if (sender && is_cut(sender->life, process->life)) {
    if (std::exchange(end.is_held_up, true)) return;
    return after(latency_max_, [this, number, side] {
      auto held = wires_.find(number);
      if (held == wires_.end()) return;
      held->second.ends[side].is_held_up = false;
      arrive(number, side);
    });
  }
  if (process->stopped && !end.is_client)
    return process->missed.push_back([this, number, side](Process&) { arrive(number, side); });
  SimulatedConnection::Piece piece = std::move(end.pieces.front());
  end.pieces.pop_front();
  bool is_next_due = !end.pieces.empty() && end.pieces.front().arrival <= now_;
  if (is_next_due) at(now_, [this, number, side] { arrive(number, side); });
  if (piece.kind == SimulatedConnection::Piece::Kind::bytes) end.bytes -= piece.text.size();
  if (other.waits_for_room && end.bytes <= wire_bytes_max_ / 2) {
    other.waits_for_room = false;
    to(other.process, draw_latency(), [this, number, side](Process& writer) {
      if (!wires_.contains(number)) return;
      call(writer, [&](node::Node& node, Time now) {
        node.channels().writable(number_of(number, 1 - side), now);
      });
    });
  }
  bool is_client = end.is_client;
  is_client ? take_as_client(*process, number_of(number, side), piece)
            : take(*process, number_of(number, side), piece);
}

void GroupSimulation::take(Process& process, wire::Serial number,
                           const SimulatedConnection::Piece& piece) {
  call(process, [&](node::Node& node, Time now) {
    wire::Channels& channels = node.channels();
    switch (piece.kind) {
      case SimulatedConnection::Piece::Kind::connected: return channels.connected(number, now);
      case SimulatedConnection::Piece::Kind::accepted: {
        const auto& ends = wires_.at(wire_of(number)).ends;
        bool is_local = share_memory(ends[0].id, ends[1].id);
        bool is_scarce = ends[0].is_client && stormy_ && client_dice_.chance(0.05);
        return channels.accepted({.serial = number,
                                  .route = is_local ? wire::Route::local : wire::Route::remote,
                                  .whom = "somebody",
                                  .room = is_scarce ? wire::Room::scarce : wire::Room::ample},
                                 now);
      }
      case SimulatedConnection::Piece::Kind::bytes:
        return channels.brought(number, piece.text, now);
      case SimulatedConnection::Piece::Kind::ended: return channels.ended(number, piece.text, now);
    }
  });
}

/// A peer never sends away a client that speaks as a client does.
void GroupSimulation::take_as_client(Process& host, wire::Serial number,
                                     const SimulatedConnection::Piece& piece) {
  Client* client = host.find(wire::ClientId{number + 1});
  if (!client || !client->is_connected) return;
  if (piece.kind == SimulatedConnection::Piece::Kind::ended && client->babbles) {
    findings_.see(Sighting::client_sent_away);
    return vanish(host, *client);
  }
  if (piece.kind == SimulatedConnection::Piece::Kind::ended)
    return findings_.report(Property::invariant, name_of(host.life) + " sends a client away");
  client->reader.feed(piece.text);
  while (std::optional<wire::Frame> frame = client->reader.next()) {
    if (frame->kind == wire::FrameKind::note) hear(host, *client, frame->body);
    if (frame->kind == wire::FrameKind::refused)
      findings_.report(Property::invariant, name_of(host.life) + " refuses a client");
  }
  if (!client->reader.ok())
    findings_.report(Property::invariant, "a client cannot read: " + client->reader.error());
}

std::size_t GroupSimulation::write(wire::Serial number, std::string_view bytes) {
  std::uint64_t id = wire_of(number);
  SimulatedConnection& wire = wires_.at(id);
  unsigned there = 1 - end_of(number);
  SimulatedConnection::End& other = wire.ends[there];
  if (wire.is_broken || other.is_closed) return bytes.size();  // The writer does not know yet.
  bool is_of_client = wire.ends[0].is_client;
  std::size_t room = is_of_client ? wire_bytes_plenty : wire_bytes_max_;
  std::size_t taken = std::min(bytes.size(), room - std::min(room, other.bytes));
  wire.ends[end_of(number)].is_midway = taken < bytes.size();
  if (taken < bytes.size()) {
    wire.ends[end_of(number)].waits_for_room = true;
    findings_.see(Sighting::wrote_in_parts);
  }
  if (taken == 0) return 0;
  std::size_t first = chance(0.1) ? random_.below(taken) : 0;
  if (first > 0)
    put(id, there, SimulatedConnection::Piece::Kind::bytes, std::string(bytes.substr(0, first)));
  put(id, there, SimulatedConnection::Piece::Kind::bytes,
      std::string(bytes.substr(first, taken - first)));
  if (!is_of_client && chance(loss_)) break_wire(id, false);
  return taken;
}

/// What was written before still arrives, and then the end.
void GroupSimulation::close(wire::Serial number) {
  auto found = wires_.find(wire_of(number));
  SimulatedConnection::End& end = found->second.ends[end_of(number)];
  unsigned there = 1 - end_of(number);
  SimulatedConnection::End& other = found->second.ends[there];
  end.is_closed = true;
  end.pieces.clear();
  bool is_known = other.process != 0 && !other.is_closed;
  if (!is_known) return void(wires_.erase(found));
  if (!found->second.is_broken)
    put(found->first, there, SimulatedConnection::Piece::Kind::ended, {});
}

/// Cuts the connection after any byte that is on its way, in either direction. The ends hear of it,
/// one perhaps later than the other; after a silent cut, only when the system has waited long
/// enough.
void GroupSimulation::break_wire(std::uint64_t number, bool silently) {
  SimulatedConnection& wire = wires_.at(number);
  if (std::exchange(wire.is_broken, true)) return;
  for (unsigned side : {0U, 1U}) {
    SimulatedConnection::End& end = wire.ends[side];
    if (end.process == 0 || end.is_closed) continue;
    std::size_t left = random_.below(end.bytes + 1);
    if (left < end.bytes) findings_.see(Sighting::connection_cut);
    end.bytes = left;
    for (SimulatedConnection::Piece& piece : end.pieces) {
      if (piece.kind != SimulatedConnection::Piece::Kind::bytes) continue;
      piece.text.resize(std::min(piece.text.size(), left));
      left -= piece.text.size();
    }
    std::erase_if(end.pieces, [](const SimulatedConnection::Piece& piece) {
      return piece.kind == SimulatedConnection::Piece::Kind::bytes && piece.text.empty();
    });
    Duration more = silently ? Duration(wire::silence_max) : Duration{};
    if (chance(0.2)) more += draw({}, options_.lease.length / 2);
    put(number, side, SimulatedConnection::Piece::Kind::ended, "connection reset by peer", more);
  }
}

/// The ends of cut connections hear of it at once.
void GroupSimulation::end_broken_wires() {
  for (auto& [number, wire] : wires_) {
    for (unsigned side : {0U, 1U}) {
      if (!wire.is_broken || wire.ends[side].pieces.empty()) continue;
      for (SimulatedConnection::Piece& piece : wire.ends[side].pieces)
        piece.arrival = std::min(piece.arrival, now_);
      at(now_, [this, number = number, side] { arrive(number, side); });
    }
  }
}

void GroupSimulation::break_some_wire() {
  if (wires_.empty()) return;
  auto place = wires_.begin();
  std::advance(place, static_cast<std::ptrdiff_t>(random_.below(wires_.size())));
  if (place->second.ends[0].is_client) return;
  bool silently = chance(0.2);
  note(std::string("a connection breaks") + (silently ? ", silently" : ""));
  break_wire(place->first, silently);
}

/// Acknowledges what cannot have been sent: that breaks a channel for good.
void GroupSimulation::forge_acknowledgement(const Process& victim, const Process& other) {
  for (const auto& [number, wire] : wires_) {
    for (unsigned side : {0U, 1U}) {
      const SimulatedConnection::End& end = wire.ends[side];
      const SimulatedConnection::End& sender = wire.ends[1 - side];
      bool is_between = end.process == victim.serial && sender.process == other.serial;
      bool is_between_frames = end.bytes == 0 && !sender.is_midway;
      if (!is_between || &victim == &other || end.is_closed || wire.is_broken || !is_between_frames)
        continue;
      note(victim.life, "gets an acknowledgement that makes no sense");
      std::string forged;
      wire::put_frame(forged, wire::FrameKind::acknowledgement, std::string(8, '\x7f'));
      put(number, side, SimulatedConnection::Piece::Kind::bytes, forged);
    }
  }
}

void GroupSimulation::break_wires(const Process& process) {
  for (const auto& [number, wire] : wires_) {
    bool is_its = wire.ends[0].process == process.serial || wire.ends[1].process == process.serial;
    if (is_its && !wire.ends[0].is_client) break_wire(number, false);
  }
}

/// Closes all connections of a process that has gone, silently if its machine has gone, too.
void GroupSimulation::hang_up_all(const Process& process, bool silently) {
  std::vector<std::uint64_t> all;
  for (const auto& [number, wire] : wires_) all.push_back(number);
  for (std::uint64_t number : all) {
    for (unsigned side : {0U, 1U}) {
      auto found = wires_.find(number);
      bool is_its = found != wires_.end() && found->second.ends[side].process == process.serial &&
                    !found->second.ends[side].is_closed;
      if (!is_its) continue;
      if (silently) break_wire(number, true);
      close(number_of(number, side));
    }
  }
}

/// Among peers of its own kind a peer complains of nothing but broken connections.
void GroupSimulation::Process::log(const std::string& line) {
  w_.note(life, "says: " + line);
  for (std::string_view never :
       {"not expected here", "without the one before it", "malformed", "longer than"})
    if (line.find(never) != line.npos) w_.findings_.report(Property::invariant, line);
}

}  // namespace conch::sim
