// Asks an etcd cluster: whichever member answers. One on this machine is asked first, because
// nothing is lost on the way to it. One that cannot be talked to, or has no leader, is passed over
// for the next. Everything that is asked here may be asked again when the answer was
// lost: what came of it the first time makes no difference.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "register/etcd_line.hpp"
#include "register/etcd_talk.hpp"

namespace conch::etcd {

/// The cluster has understood, and says no.
class Refusal : public RegisterError {
 public:
  Refusal(int code, const std::string& what) : RegisterError(what), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

/// The cluster is at an older revision than before: somebody has restored a backup.
class WentBack : public RegisterError {
 public:
  using RegisterError::RegisterError;
};

struct ClientOptions {
  std::vector<Endpoint> endpoints;
  /// Of secure endpoints: whom to trust, and what to show.
  net::Tls tls = {};
  /// Empty: none.
  std::string user = {};
  std::string password = {};
};

/// Used by one thread at a time.
class Client {
 public:
  /// Connects to nobody yet. Throws std::invalid_argument, and RegisterError if a file is unfit.
  explicit Client(ClientOptions options, int interrupt = -1);

  /// How long one member may take; twice as long a call may, with all members that it asks.
  void set_patience(Duration patience) { patience_ = patience; }

  /// Throw RegisterError.
  Outcome transact(const Transaction& transaction);
  /// A lease of etcd's own, after which keys that have it go by themselves.
  std::int64_t grant(std::chrono::seconds ttl);

  /// A connection on which news come, one in each line, of what happens from this revision on.
  Line& watch(const Keys& keys, std::int64_t from);
  /// The member that is asked, or will be.
  const Endpoint& endpoint() const { return options_.endpoints[member()]; }
  /// It is no good.
  void pass_over();
  /// An older revision will do from now on.
  void forget_revision() { known_.revision = 0; }
  /// The token is no good.
  void forget_token() { token_.clear(); }

 private:
  void go_home();
  std::string post(const std::string& path, const std::string& body);
  std::string ask_one(const std::string& path, const std::string& body, Time until);
  std::string answer_of(const Line::Request& request, Time until);
  int begin(const Line::Request& request, Time until);
  [[noreturn]] void fail_for_all() const;
  void authenticate(Time until);
  std::size_t member() const { return turn_ % options_.endpoints.size(); }
  [[noreturn]] void refuse(int status, const Complaint& complaint) const;
  bool is_about_token(const Refusal& refusal) const;
  void check(const Header& header);

  ClientOptions options_;
  int interrupt_;
  std::unique_ptr<net::TlsContext> tls_;
  Duration patience_ = std::chrono::seconds(1);
  std::size_t turn_ = 0;
  /// Of this machine, if one is; and until when it is not asked, since it was passed over.
  std::optional<std::size_t> home_;
  Time home_rests_until_{};
  std::optional<Line> line_;
  /// Since one has answered: what the others said last.
  std::map<std::size_t, std::string> troubles_;
  std::string token_;
  Header known_;
};

}  // namespace conch::etcd
