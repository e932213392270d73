// Mutual TLS 1.3: each side shows a certificate, and the same authority must have signed both. The
// authority belongs to the group: every certificate that it has signed may take part, under any
// name.
//
// Also TLS with a foreign server, as in HTTPS: its certificate must match the host that was dialed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace conch::net {

struct Tls {
  std::string certificate;
  std::string key;
  std::string authority;
  bool enabled() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
};

enum class Flow : std::uint8_t { moved, later, ended, failed };

/// The result of reading or writing.
struct IoResult {
  Flow flow{};
  std::size_t bytes = 0;
  /// Set if it failed.
  std::string why = {};
};

class TlsSession {
 public:
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  IoResult shake_hands();
  bool wants_to_write() const;
  IoResult receive(char* into, std::size_t bytes);
  IoResult send(std::string_view bytes);

 private:
  friend class TlsContext;
  explicit TlsSession(ssl_st* ssl) : ssl_(ssl) {}
  IoResult outcome(int result);

  ssl_st* ssl_;
};

/// How to check a foreign server. If `authority` is empty, the system's authorities are trusted.
/// The certificate is optional.
struct ServerTrust {
  Tls files;
};

class TlsContext {
 public:
  /// These throw conch::Error if a file is missing or unfit.
  explicit TlsContext(const Tls& files);
  explicit TlsContext(const ServerTrust& trust);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// Starts a session on a connected socket, which must outlive it.
  std::unique_ptr<TlsSession> dial(int socket) const { return session(socket, true); }
  std::unique_ptr<TlsSession> accept(int socket) const { return session(socket, false); }
  /// Starts a session with a server of this name or IP address.
  std::unique_ptr<TlsSession> dial(int socket, const std::string& host) const;

 private:
  TlsContext();
  void show(const Tls& files);
  void trust(const std::string& authority);
  std::unique_ptr<TlsSession> session(int socket, bool dials) const;
  ssl_ctx_st* context_ = nullptr;
};

}  // namespace conch::net
