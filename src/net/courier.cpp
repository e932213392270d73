#include "net/courier.hpp"

#include "net/post.hpp"

namespace conch::net {

Courier::Courier(CourierOptions options) : post_(std::make_unique<Post>(std::move(options))) {}
Courier::~Courier() = default;

const std::string& Courier::address() const { return post_->reception().address(); }
std::vector<std::string> Courier::listens() const { return post_->reception().listens(); }

bool Courier::has_socket_file() const { return post_->reception().has_socket_file(); }
void Courier::listen_again() { post_->listen_again(); }

void Courier::live_as(const Life& self) {
  post_->channels().live_as(self, steady_now());
  post_->ring();
}
void Courier::know(const Life& life, const std::string& address) {
  post_->channels().know(life, address);
  post_->ring();
}
void Courier::forget(const Life& life) {
  post_->channels().forget(life, steady_now());
  post_->ring();
}
void Courier::contact(const std::string& address) {
  post_->channels().contact(address);
  post_->ring();
}

bool Courier::send(const Life& to, std::string_view payload) {
  bool is_sent = post_->channels().send(to, payload, steady_now());
  if (!is_sent) post_->ring();  // It may have broken.
  return is_sent;
}
void Courier::send(ClientId client, std::string_view payload, std::vector<Descriptor> enclosed) {
  bool encloses = !enclosed.empty();
  if (encloses) post_->enclose(client, std::move(enclosed));
  post_->channels().send(client, payload, encloses, steady_now());
  post_->ring();
}
void Courier::dismiss(ClientId client) {
  post_->channels().dismiss(client, steady_now());
  post_->ring();
}
bool Courier::is_surplus(ClientId client) const { return post_->channels().is_surplus(client); }
ClientProcess Courier::process_of(ClientId client) const { return post_->process_of(client); }
void Courier::flush() {
  post_->channels().flush(steady_now());
  post_->ring();
}

Readiness Courier::wait(Time until) const { return post_->poller().wait(until); }
int Courier::descriptor() const { return post_->poller().descriptor(); }
void Courier::poke() const { post_->poller().poke(); }
void Courier::work(const Readiness& ready, Time now, Recipient& recipient) {
  post_->work(ready, now, recipient);
}
Time Courier::wakes() const { return post_->wakes(); }

bool Courier::is_local(const Life& life) const { return post_->channels().is_local(life); }
std::uint32_t Courier::version_with(const Life& life) const {
  return post_->channels().version_with(life);
}
std::size_t Courier::backlog(const Life& life) const { return post_->channels().backlog(life); }
std::vector<std::pair<Life, Duration>> Courier::unacknowledged(Time now) const {
  return post_->channels().unacknowledged(now);
}
const Courier::Counts& Courier::counts() const { return post_->channels().counts(); }

}  // namespace conch::net
