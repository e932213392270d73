#include "register/etcd_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "net/patience.hpp"
#include "wire/back_off.hpp"

namespace conch::etcd {

Watch::Watch(Options options, KeyNames names, LeaseLedger& ledger)
    : names_(std::move(names)),
      ledger_(ledger),
      silence_max_(options.silence_max),
      cluster_(std::move(options.cluster)),
      from_(options.from),
      stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      client_(std::move(options.client), stop_.number()) {
  if (!stop_) throw RegisterError("this process has too many open files: raise `ulimit -n`");
  client_.set_patience(options.patience);
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  ::eventfd_write(stop_.number(), 1);
  thread_.join();
}

void Watch::run() {
  unsigned failures = 0;
  while (true) {
    std::int64_t before = from_;
    try {
      follow();
    } catch (const Interrupted&) {
      return;
    } catch (const EtcdRefusal&) {
      client_.forget_token();
    } catch (const std::exception&) {
      // The thread that asks etcd gets the same error; there is nobody here to tell.
    }
    client_.pass_over();
    failures = from_ > before ? 0 : failures + 1;
    pollfd stop{stop_.number(), POLLIN, 0};
    Time again = net::steady_now() + wire::back_off(failures);
    if (::poll(&stop, 1, net::milliseconds_until(again)) > 0) return;
  }
}

/// Follows one watch until it ends.
void Watch::follow() {
  HttpConnection& line = client_.watch(names_.all(), from_);
  std::string text;
  while (line.await_line(text, net::steady_now() + silence_max_)) {
    std::variant<WatchUpdate, Complaint> read = read_news(text);
    const WatchUpdate* news = std::get_if<WatchUpdate>(&read);
    if (news) take(*news);
    if (news && !news->canceled) continue;
    client_.forget_token();  // The token may be the cause; getting another one costs little.
    return;
  }
}

void Watch::take(const WatchUpdate& news) {
  if (news.header.cluster != cluster_) throw RegisterError("this is another cluster");
  for (const WatchEvent& event : news.events) take(event);
  if (news.compacted <= from_) return;
  from_ = news.compacted;
  ledger_.heard_of_view(std::max(news.header.revision, news.compacted));
}

/// Keeps `from_` at this revision, because the next line may have the rest of its events; a new
/// watch would begin there again.
void Watch::take(const WatchEvent& event) {
  const Item& item = event.item;
  from_ = std::max(from_, item.changed);
  if (auto life = names_.lease_in(item.key)) {
    EtcdLease::State state = event.removed ? EtcdLease::State::missing : state_in(item.value);
    ledger_.heard(*life, state, item.changed, lock_delay_in(item.value));
  } else if (!event.removed && names_.view_in(item.key)) {
    ledger_.heard_of_view(item.changed);
  }
}

}  // namespace conch::etcd
