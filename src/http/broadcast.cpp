#include "http/broadcast.hpp"

#include <fmt/core.h>
#include <sys/eventfd.h>

#include <utility>

namespace conch::http {

namespace {

std::string event_text(std::string_view event, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", event, data);
}

}  // namespace

Broadcast::Broadcast(std::size_t kept_bytes_max)
    : kept_bytes_max_(kept_bytes_max), bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void Broadcast::publish(std::string_view event, std::string_view data) {
  std::lock_guard guard(mutex_);
  if (listeners_ > 0) keep(event_text(event, data));
}

void Broadcast::announce(std::string_view event, std::string_view data) {
  std::string text = event_text(event, data);
  std::lock_guard guard(mutex_);
  announced_.insert_or_assign(std::string(event), text);
  if (listeners_ > 0) keep(std::move(text));
}

void Broadcast::retract() {
  std::lock_guard guard(mutex_);
  announced_.clear();
}

/// The newest event stays, however long it is.
void Broadcast::keep(std::string text) {
  kept_bytes_ += text.size();
  kept_.push_back(std::move(text));
  while (kept_bytes_ > kept_bytes_max_ && kept_.size() > 1) {
    kept_bytes_ -= kept_.front().size();
    kept_.pop_front();
    ++first_;
  }
  ::eventfd_write(bell_.number(), 1);
}

bool Broadcast::await_listener() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return listeners_ > 0 || closed_; });
  return !closed_;
}

std::size_t Broadcast::listeners() const {
  std::lock_guard guard(mutex_);
  return listeners_;
}

bool Broadcast::await_close(std::chrono::nanoseconds patience) {
  std::unique_lock guard(mutex_);
  return changed_.wait_for(guard, patience, [&] { return closed_; });
}

void Broadcast::close() {
  std::lock_guard guard(mutex_);
  closed_ = true;
  changed_.notify_all();
}

Broadcast::Cursor Broadcast::join() {
  std::lock_guard guard(mutex_);
  ++listeners_;
  changed_.notify_all();
  return {first_ + kept_.size(), false};
}

void Broadcast::leave() {
  std::lock_guard guard(mutex_);
  if (--listeners_ > 0) return;
  first_ += kept_.size();
  kept_.clear();
  kept_bytes_ = 0;
}

void Broadcast::take(Cursor& place, std::string& out, std::size_t bytes) {
  std::lock_guard guard(mutex_);
  if (!std::exchange(place.greeted, true))
    for (const auto& [event, text] : announced_) out += text;
  if (place.next < first_) {
    out += event_text("gap", fmt::format("{{\"events\":{}}}", first_ - place.next));
    place.next = first_;
  }
  while (place.next < first_ + kept_.size() && out.size() < bytes)
    out += kept_[place.next++ - first_];
}

bool Broadcast::has_news(const Cursor& place) const {
  std::lock_guard guard(mutex_);
  return !place.greeted || place.next < first_ + kept_.size();
}

void Broadcast::silence() const {
  eventfd_t rings = 0;
  ::eventfd_read(bell_.number(), &rings);
}

}  // namespace conch::http
