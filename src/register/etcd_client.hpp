// A client of an etcd cluster, which talks to whichever member answers. It prefers a member on this
// machine, because no network is in between. It passes over a member that cannot be reached
// or has no leader. A request whose answer was lost may be repeated: whether it was carried out the
// first time must make no difference.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "register/etcd_talk.hpp"
#include "register/http_connection.hpp"

namespace conch::etcd {

/// The cluster has understood the request, and refuses it.
class EtcdRefusal : public RegisterError {
 public:
  EtcdRefusal(int code, const std::string& what) : RegisterError(what), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

/// The cluster is at an older revision than before: a backup was restored.
class WentBack : public RegisterError {
 public:
  using RegisterError::RegisterError;
};

struct ClientOptions {
  std::vector<Endpoint> endpoints;
  /// For secure endpoints: the authority to trust, and the certificate to show.
  net::Tls tls = {};
  /// Credentials; empty for none.
  std::string user = {};
  std::string password = {};
};

/// Used by one thread at a time.
class Client {
 public:
  /// Does not connect yet. Throws std::invalid_argument, and RegisterError for a bad TLS file.
  explicit Client(ClientOptions options, int interrupt = -1);

  /// How long one member may take. A whole call, over all members, may take twice as long.
  void set_patience(Duration patience) { patience_ = patience; }

  /// Both throw RegisterError.
  TransactionResult transact(const Transaction& transaction);
  /// Grants an etcd lease; keys that are attached to it expire with it.
  std::int64_t grant(std::chrono::seconds ttl);

  /// Opens a watch: it sends a line for each change from this revision on.
  HttpConnection& watch(const Keys& keys, std::int64_t from);
  /// The member that is asked, or will be asked next.
  const Endpoint& endpoint() const { return options_.endpoints[member()]; }
  /// Gives up on the current member and moves on to the next.
  void pass_over();
  /// Accepts an older revision from now on.
  void forget_revision() { known_.revision = 0; }
  /// Drops a rejected token; the next request gets a new one.
  void forget_token() { token_.clear(); }

 private:
  void go_home();
  std::string post(const std::string& path, const std::string& body);
  std::string ask_one(const std::string& path, const std::string& body, Time until);
  std::string answer_of(const HttpConnection::Request& request, Time until);
  int begin(const HttpConnection::Request& request, Time until);
  [[noreturn]] void fail_for_all() const;
  void authenticate(Time until);
  std::size_t member() const { return turn_ % options_.endpoints.size(); }
  [[noreturn]] void refuse(int status, const Complaint& complaint) const;
  bool is_about_token(const EtcdRefusal& refusal) const;
  void check(const Header& header);

  ClientOptions options_;
  int interrupt_;
  std::unique_ptr<net::TlsContext> tls_;
  Duration patience_ = std::chrono::seconds(1);
  std::size_t turn_ = 0;
  /// The member on this machine, if any, and until when it is skipped after it was passed over.
  std::optional<std::size_t> home_;
  Time home_rests_until_{};
  std::optional<HttpConnection> connection_;
  /// The last error of each member since one of them has answered.
  std::map<std::size_t, std::string> troubles_;
  std::string token_;
  Header known_;
};

}  // namespace conch::etcd
