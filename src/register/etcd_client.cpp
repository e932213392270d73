#include "register/etcd_client.hpp"

#include <poll.h>

#include <algorithm>
#include <conch/error.hpp>
#include <stdexcept>

#include "net/dial.hpp"
#include "net/patience.hpp"
#include "wire/back_off.hpp"

namespace conch::etcd {

namespace {

constexpr int code_deadline = 4;
constexpr int code_exhausted = 8;
constexpr int code_unavailable = 14;
/// How long the member of this machine is skipped after it was passed over, in multiples of the
/// patience.
constexpr int rest_factor = 8;

bool has_part(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Whether another member, or this one a moment later, may succeed.
bool is_passing(int status, const Complaint& complaint) {
  return complaint.code == code_deadline || complaint.code == code_unavailable ||
         (complaint.code == 0 && status >= 500);
}

/// What to do about an error of etcd.
std::string advice(int status, const Complaint& complaint) {
  const std::string& text = complaint.text;
  if (has_part(text, "HTTPS server")) return "it requires TLS: write https:// instead of http://";
  if (has_part(text, "user name is empty")) return "it requires authentication: give a user";
  if (has_part(text, "authentication failed")) return "check the user and its password";
  if (has_part(text, "authentication is not enabled")) return "leave the user out, or enable it";
  if (complaint.code == code_forbidden)
    return "grant a role of the user readwrite on the prefix /conch/";
  if (complaint.code == code_exhausted)
    return "if it is full, see `etcdctl alarm list`: compact, defragment, disarm";
  if (has_part(text, "CommonName of client"))
    return "where authentication is enabled its gateway takes no client certificate with a "
           "CommonName: make one without (openssl req -subj /O=conch), and give a user";
  if (has_part(text, "too large")) return "the view is too large for etcd's --max-request-bytes";
  if (status == 404) return "etcd 3.4 or newer is required, with its HTTP gateway";
  return "";
}

}  // namespace

Client::Client(ClientOptions options, int interrupt)
    : options_(std::move(options)), interrupt_(interrupt) {
  if (options_.endpoints.empty())
    throw std::invalid_argument("an etcd cluster has at least one member: name it");
  auto here = std::find_if(options_.endpoints.begin(), options_.endpoints.end(),
                           [](const Endpoint& each) { return net::leads_here(each.way); });
  if (here != options_.endpoints.end()) {
    home_ = static_cast<std::size_t>(here - options_.endpoints.begin());
    turn_ = *home_;
  }
  bool secure = std::any_of(options_.endpoints.begin(), options_.endpoints.end(),
                            [](const Endpoint& each) { return each.secure; });
  if (!secure) return;
  try {
    tls_ = std::make_unique<net::TlsContext>(net::ServerTrust{options_.tls});
  } catch (const Error& error) {
    throw RegisterError(error.what());
  }
}

TransactionResult Client::transact(const Transaction& transaction) {
  std::string answer = post("/v3/kv/txn", to_json(transaction));
  try {
    TransactionResult outcome = read_outcome(answer);
    std::size_t wanted = 0;
    for (const RequestOp& step : outcome.succeeded ? transaction.then : transaction.otherwise)
      wanted += std::holds_alternative<Get>(step) ? 1 : 0;
    if (outcome.found.size() != wanted) throw std::invalid_argument("it does not fit the question");
    check(outcome.header);
    return outcome;
  } catch (const std::invalid_argument& error) {
    connection_.reset();
    throw RegisterError("etcd at " + endpoint().print() +
                        " sent a malformed answer: " + error.what());
  }
}

std::int64_t Client::grant(std::chrono::seconds ttl) {
  std::string answer = post("/v3/lease/grant", grant_request(ttl.count()));
  try {
    return read_grant(answer);
  } catch (const std::invalid_argument& error) {
    throw RegisterError("etcd at " + endpoint().print() +
                        " sent a malformed answer: " + error.what());
  }
}

/// All answers must be from one cluster, and none older than the one before. Otherwise an old state
/// was restored, and views would begin again from there.
void Client::check(const Header& header) {
  if (known_.cluster.empty()) known_.cluster = header.cluster;
  if (header.cluster != known_.cluster)
    throw RegisterError("etcd at " + endpoint().print() + " belongs to another cluster (" +
                        header.cluster + ") than before (" + known_.cluster +
                        "): name members of one cluster only");
  if (header.revision < known_.revision)
    throw WentBack("etcd at " + endpoint().print() + " is at revision " +
                   std::to_string(header.revision) + ", and was at " +
                   std::to_string(known_.revision) + ": it was restored from a backup");
  known_.revision = header.revision;
}

/// Returns to the member of this machine once its rest is over.
void Client::go_home() {
  if (!home_ || member() == *home_ || net::steady_now() < home_rests_until_) return;
  connection_.reset();
  turn_ = *home_;
}

/// Tries every member, again and again, until one answers or the time is over.
std::string Client::post(const std::string& path, const std::string& body) {
  go_home();
  Time end = net::steady_now() + 2 * patience_;
  std::size_t failures = 0;
  while (true) {
    bool fresh = !connection_;
    try {
      std::string answer = ask_one(path, body, std::min(end, net::steady_now() + patience_));
      troubles_.clear();
      return answer;
    } catch (const Unreachable& error) {
      // The member may have closed an old connection meanwhile: that says nothing about the member.
      if (!fresh && !error.is_silent() && net::steady_now() < end) {
        connection_.reset();
        continue;
      }
      // An earlier error says more than a timeout does, which may be short.
      std::string& trouble = troubles_[member()];
      if (trouble.empty() || !error.is_silent()) trouble = error.what();
      pass_over();
      bool was_last = ++failures % options_.endpoints.size() == 0;
      auto round = static_cast<unsigned>(failures / options_.endpoints.size());
      Time again = net::steady_now() + (was_last ? wire::back_off(round) : Duration{});
      if (again >= end) fail_for_all();
      ::poll(nullptr, 0, net::milliseconds_until(again));
    }
  }
}

/// The text stays the same until something changes, so that a caller that logs changes logs it
/// once.
void Client::fail_for_all() const {
  std::string all;
  for (const auto& [member, trouble] : troubles_) all += trouble + "; ";
  throw RegisterError(all +
                      "no member of the cluster answers: is it running, with a majority, and can "
                      "this machine reach it?");
}

std::string Client::ask_one(const std::string& path, const std::string& body, Time until) {
  for (bool again = false;; again = true) {
    if (token_.empty() && !options_.user.empty()) authenticate(until);
    try {
      return answer_of({path, body, token_}, until);
    } catch (const EtcdRefusal& refusal) {
      if (again || !is_about_token(refusal)) throw;
      token_.clear();
    }
  }
}

std::string Client::answer_of(const HttpConnection::Request& request, Time until) {
  int status = begin(request, until);
  std::string body = connection_->await_body(until);
  if (!connection_->stays_open()) connection_.reset();
  if (status == 200) return body;
  refuse(status, read_complaint(body));
}

/// Sends the request and returns the status of the answer.
int Client::begin(const HttpConnection::Request& request, Time until) {
  if (!connection_) connection_.emplace(endpoint(), tls_.get(), interrupt_, until);
  connection_->send(request, until);
  return connection_->await_status(until);
}

void Client::refuse(int status, const Complaint& complaint) const {
  std::string text = "etcd at " + endpoint().print() + " says: " + complaint.text;
  if (is_passing(status, complaint)) throw Unreachable(text);
  std::string what_to_do = advice(status, complaint);
  throw EtcdRefusal(complaint.code, what_to_do.empty() ? text : text + "; " + what_to_do);
}

bool Client::is_about_token(const EtcdRefusal& refusal) const {
  if (options_.user.empty()) return false;
  std::string text = refusal.what();
  return refusal.code() == code_unauthenticated || has_part(text, "invalid auth token") ||
         has_part(text, "auth store is old") || has_part(text, "user name is empty");
}

void Client::authenticate(Time until) {
  HttpConnection::Request request{"/v3/auth/authenticate",
                                  authenticate_request(options_.user, options_.password)};
  std::string answer = answer_of(request, until);
  try {
    token_ = read_token(answer);
  } catch (const std::invalid_argument& error) {
    throw RegisterError("etcd at " + endpoint().print() +
                        " sent a malformed answer: " + error.what());
  }
}

HttpConnection& Client::watch(const Keys& keys, std::int64_t from) {
  Time until = net::steady_now() + patience_;
  connection_.reset();
  go_home();
  if (token_.empty() && !options_.user.empty()) authenticate(until);
  int status = begin({"/v3/watch", watch_request(keys, from), token_}, until);
  if (status != 200) {
    Complaint complaint = read_complaint(connection_->await_body(until));
    connection_.reset();
    refuse(status, complaint);
  }
  return *connection_;
}

void Client::pass_over() {
  connection_.reset();
  if (home_ == member()) home_rests_until_ = net::steady_now() + rest_factor * patience_;
  ++turn_;
}

}  // namespace conch::etcd
