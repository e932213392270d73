// Mutual TLS 1.3: each side shows a certificate, and both must be signed by the same authority.
// That authority is the group's own: whom it has signed may take part, whatever its name.
//
// Or TLS with a server of others', as HTTPS has it: that must be who it is dialed as.
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

/// What came of reading or writing.
struct Transfer {
  Flow flow{};
  std::size_t bytes = 0;
  /// If it failed.
  std::string why = {};
};

class TlsSession {
 public:
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  Transfer shake_hands();
  bool wants_to_write() const;
  Transfer receive(char* into, std::size_t bytes);
  Transfer send(std::string_view bytes);

 private:
  friend class TlsContext;
  explicit TlsSession(ssl_st* ssl) : ssl_(ssl) {}
  Transfer outcome(int result);

  ssl_st* ssl_;
};

/// How a server of others' is met. Without an authority, the system's are trusted; a certificate is
/// shown if there is one.
struct ServerTrust {
  Tls files;
};

class TlsContext {
 public:
  /// Throw conch::Error if a file is missing or unfit.
  explicit TlsContext(const Tls& files);
  explicit TlsContext(const ServerTrust& trust);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// Of a connected socket, which must outlive it.
  std::unique_ptr<TlsSession> dial(int socket) const { return session(socket, true); }
  std::unique_ptr<TlsSession> accept(int socket) const { return session(socket, false); }
  /// To a server of this name, or of this number.
  std::unique_ptr<TlsSession> dial(int socket, const std::string& host) const;

 private:
  TlsContext();
  void show(const Tls& files);
  void trust(const std::string& authority);
  std::unique_ptr<TlsSession> session(int socket, bool dials) const;
  ssl_ctx_st* context_ = nullptr;
};

}  // namespace conch::net
