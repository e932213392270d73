// How a handle fetches, serves, keeps and bequeaths the data.
#include <utility>

#include "dho/handle.hpp"

namespace conch::dho {

// The data.

bool Handle::is_elsewhere(const Part& part) const {
  const DataRef& data = part.baton.data;
  return data.location && data.location != self_ && bytes_in(part.range, data.size) > 0;
}

/// Asks for what is not here.
void Handle::gather(Orders& out) {
  if (gathered_ || !transfers_.empty()) return;
  for (const Part& part : parts_) {
    if (!is_elsewhere(part)) continue;
    transfers_.insert(++number_);
    out.send(*part.baton.data.location, Fetch{number_, part.range, part.baton.data});
  }
  gathered_ = transfers_.empty();
}

void Handle::receive(NodeId from, const Fetch& m, Orders& out) {
  if (copies_.have(m.range, m.data)) {
    out.send(from, Data{m.number, bytes_in(m.range, m.data.size)});
  } else {
    out.send(from, Absent{m.number});
  }
}

void Handle::receive(NodeId, const Data& m, Orders& out) { arrive(m.number, out); }

void Handle::receive(NodeId, const Absent& m, Orders& out) {
  if (transfers_.contains(m.number)) fault_ = m.why;
  arrive(m.number, out);
}

/// A transfer has ended.
void Handle::arrive(std::uint64_t number, Orders& out) {
  if (!transfers_.erase(number) || !transfers_.empty()) return;
  gathered_ = true;
  if (abandoned_ || departure_) return proceed(out);
  state_ = State::grant;
  if (acquiring_) finish_acquire(out);
}

/// The application waits, and everything that can be had is here.
void Handle::finish_acquire(Orders& out) {
  Status status = take(out);
  if (status == Status::ok) {
    end_acquire(Acquired{}, out);
  } else {
    end_acquire(AcquireFailed{status}, out);
  }
}

void Handle::lock(Orders& out) {
  state_ = State::locked;
  if (asked_.mode == Mode::write) take_over(out);
}

/// From here on the data are ours: our release will say so.
void Handle::take_over(Orders& out) {
  for (const Part& part : parts_)
    if (is_elsewhere(part))
      out.send(*part.baton.data.location, Got{part.range, part.baton.data.version});
}

void Handle::receive(NodeId, const Got& m, Orders& out) {
  copies_.drop(m.range, m.version);
  copies_changed(out);
}

/// Passes on a lock that nobody wants any more, as it came.
void Handle::let_go(Orders& out) {
  bool scattered = asked_.mode == Mode::write && parts_.size() > 1;
  if (!scattered) return give_back(parts_.front().baton.data, out);
  gather(out);
  if (!gathered_) return;
  take_over(out);
  write_back(out);
}

void Handle::write_back(Orders& out) {
  DataRef data = next_version(self_);
  copies_.keep(span_, data);
  if (!copies_.touch(span_)) data.location.reset();  // there is nothing to keep
  give_back(data, out);
}

DataRef Handle::next_version(std::optional<NodeId> location) const {
  std::uint64_t newest = 0;
  for (const Part& part : parts_) newest = std::max(newest, part.baton.data.version);
  return {newest + 1, size_, location};
}

void Handle::give_back(const DataRef& data, Orders& out) {
  forget_lock();
  out.order(Release{data});
  copies_changed(out);
  if (!departure_) proceed(out);
}

// Leaving.

/// Nothing is asked for and nothing held.
void Handle::depart(Orders& out) {
  if (copies_.empty()) {
    bond_ = Bond::leaving;
    out.order(Leave{});
  } else if (!departure_->stuck) {
    ask(Wish{Mode::write, copies_.front().range}, out);
  }
}

/// Finds somebody who takes what we keep, while we hold the lock so that nobody comes for it.
void Handle::bequeath(Orders& out) {
  if (!copies_.touch(span_)) {
    abandoned_ = true;
    return let_go(out);
  }
  gather(out);
  if (!gathered_ || departure_->heir) return;
  departure_->heir = next_heir();
  if (departure_->heir) {
    departure_->invitation = ++number_;
    return out.send(*departure_->heir, Invite{number_, departure_->insist});
  }
  members_.without(self_).size() == 0 ? end_data(out) : retreat(out);
}

/// The next who has not declined; when everybody has, those who stay longer than we do.
std::optional<NodeId> Handle::next_heir() {
  for (NodeId node : members_) {
    bool may = node != self_ && (!departure_->insist || self_ < node);
    if (may && !departure_->declined.contains(node)) return node;
  }
  if (std::exchange(departure_->insist, true)) return std::nullopt;
  departure_->declined.clear();
  return next_heir();
}

/// The last one takes the data along; whoever comes later begins with nothing.
void Handle::end_data(Orders& out) {
  copies_.drop(span_);
  size_ = 0;
  give_back(next_version(std::nullopt), out);
}

/// All others leave, too, and before us. They may need the lock for it.
void Handle::retreat(Orders& out) {
  departure_->stuck = true;
  abandoned_ = true;
  let_go(out);
}

void Handle::roster(const Members& members, Orders& out) {
  members_ = members;
  if (!departure_) return;
  bool heir_left = departure_->heir && !members.contains(*departure_->heir);
  if (heir_left) departure_->heir.reset();
  departure_->declined.clear();
  departure_->insist = false;
  departure_->stuck = false;
  proceed(out);
}

void Handle::receive(NodeId from, const Invite& m, Orders& out) {
  bool lasts = !departure_ || (m.insist && from < self_);
  if (can_keep() && lasts) {
    out.send(from, Accept{m.number});
  } else {
    out.send(from, Decline{m.number});
  }
}

bool Handle::can_keep() const { return bond_ == Bond::joining || bond_ == Bond::member; }

bool Handle::is_heir(NodeId node, std::uint64_t invitation) const {
  return departure_ && departure_->heir == node && departure_->invitation == invitation;
}

void Handle::receive(NodeId from, const Accept& m, Orders& out) {
  if (!is_heir(from, m.number)) return;
  out.send(from, Push{m.number, span_, next_version(from), bytes_in(span_, size_)});
}

void Handle::receive(NodeId from, const Decline& m, Orders& out) {
  if (!is_heir(from, m.number)) return;
  departure_->declined.insert(from);
  departure_->heir.reset();
  proceed(out);
}

void Handle::receive(NodeId from, const Push& m, Orders& out) {
  // It was for one who left and came back as us, if the lock has gone on since.
  bool outdated =
      (lock_ == Lock::held && span_.overlaps(m.range)) || copies_.touch(m.range, m.data.version);
  if (!can_keep() || outdated) return out.send(from, Decline{m.number});
  copies_.keep(m.range, m.data);
  out.send(from, Kept{m.number});
  copies_changed(out);
}

void Handle::receive(NodeId from, const Kept& m, Orders& out) {
  if (!is_heir(from, m.number)) return;
  take_over(out);
  copies_.drop(span_);
  give_back(next_version(from), out);
}

}  // namespace conch::dho
