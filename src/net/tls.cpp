#include "net/tls.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <conch/error.hpp>
#include <cstring>

#include "net/openssl.hpp"
#include "net/secret_file.hpp"

namespace conch::net {

namespace {

/// OpenSSL's oldest error, in its own words; later errors follow from it.
std::string complaint() {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* reason = ERR_reason_error_string(code);
  return reason ? reason : "unknown reason";
}

/// Whether the other side reported, before it hung up, that it rejects our certificate.
bool is_about_our_certificate(unsigned long code) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return false;
  switch (ERR_GET_REASON(code)) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return true;
    default: return false;
  }
}

// OpenSSL's own socket BIO would raise SIGPIPE, which a library must not ignore for its process.

int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  int socket = static_cast<int>(BIO_get_fd(bio, nullptr));
  ssize_t taken = ::send(socket, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (taken < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(taken);
}

BIO_METHOD* make_socket_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "conch socket");
  const BIO_METHOD* original = BIO_s_socket();
  BIO_meth_set_write(method, write_socket);
  BIO_meth_set_read(method, BIO_meth_get_read(original));
  BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(original));
  BIO_meth_set_create(method, BIO_meth_get_create(original));
  BIO_meth_set_destroy(method, BIO_meth_get_destroy(original));
  return method;
}

void demand(bool done, const std::string& what) {
  if (!done) throw Error(ErrorCode::misconfigured, "TLS: cannot use " + what + ": " + complaint());
}

BIO* open_bio(int socket) {
  static BIO_METHOD* const method = make_socket_method();
  BIO* bio = BIO_new(method);
  if (bio) BIO_set_fd(bio, socket, BIO_NOCLOSE);
  return bio;
}

}  // namespace

TlsSession::~TlsSession() { SSL_free(ssl_); }

IoResult TlsSession::outcome(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return {Flow::later};
    case SSL_ERROR_ZERO_RETURN: return {Flow::ended};
    case SSL_ERROR_SYSCALL:
      if (errno == 0 || ERR_peek_error() != 0) break;
      return {Flow::failed, 0, std::strerror(errno)};
    default: break;
  }
  if (long verdict = SSL_get_verify_result(ssl_); verdict != X509_V_OK) {
    ERR_clear_error();
    return {
        Flow::failed, 0,
        std::string("its certificate is not accepted: ") + X509_verify_cert_error_string(verdict)};
  }
  if (ERR_peek_error() == 0) return {Flow::ended};
  if (is_about_our_certificate(ERR_peek_error()))
    return {Flow::failed, 0, "it does not accept our certificate: " + complaint()};
  return {Flow::failed, 0, "TLS: " + complaint()};
}

IoResult TlsSession::shake_hands() {
  ERR_clear_error();
  errno = 0;
  int result = SSL_do_handshake(ssl_);
  return result == 1 ? IoResult{Flow::moved} : outcome(result);
}

bool TlsSession::wants_to_write() const { return SSL_want_write(ssl_); }

IoResult TlsSession::receive(char* into, std::size_t bytes) {
  ERR_clear_error();
  errno = 0;
  // Reads at most one record, of at most 16 KiB. Callers that wait with epoll pass a buffer at
  // least that large: otherwise decrypted bytes would stay in the session, where epoll does not see
  // them. Others read until they get `later`, and wait only then.
  int got = SSL_read(ssl_, into, static_cast<int>(std::min<std::size_t>(bytes, INT_MAX)));
  return got > 0 ? IoResult{Flow::moved, static_cast<std::size_t>(got)} : outcome(got);
}

IoResult TlsSession::send(std::string_view bytes) {
  ERR_clear_error();
  errno = 0;
  auto size = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
  int taken = SSL_write(ssl_, bytes.data(), size);
  if (taken > 0) return {Flow::moved, static_cast<std::size_t>(taken)};
  IoResult failure = outcome(taken);
  if (failure.flow != Flow::failed) return failure;
  // The other side may have said why it hung up: in TLS 1.3 that comes after the handshake.
  ERR_clear_error();
  char ignored = 0;
  int heard = SSL_read(ssl_, &ignored, 1);
  bool has_reason = heard <= 0 && is_about_our_certificate(ERR_peek_error());
  return has_reason ? outcome(heard) : failure;
}

TlsContext::TlsContext() {
  load_openssl();
  context_ = SSL_CTX_new(TLS_method());
  demand(context_ != nullptr, "OpenSSL");
  SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context_, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context_, 0);
}

TlsContext::TlsContext(const Tls& files) : TlsContext() {
  for (const std::string* file : {&files.certificate, &files.key, &files.authority})
    if (file->empty())
      throw Error(ErrorCode::misconfigured,
                  "TLS needs all three: a certificate, its key, and the CA's certificate");
  demand(SSL_CTX_set_min_proto_version(context_, TLS1_3_VERSION) == 1, "TLS 1.3");
  show(files);
  trust(files.authority);
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

TlsContext::TlsContext(const ServerTrust& server) : TlsContext() {
  const Tls& files = server.files;
  if (files.certificate.empty() != files.key.empty())
    throw Error(ErrorCode::misconfigured, "TLS needs both or neither: a certificate and its key");
  demand(SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION) == 1, "TLS 1.2");
  if (!files.certificate.empty()) show(files);
  if (files.authority.empty()) {
    demand(SSL_CTX_set_default_verify_paths(context_) == 1, "the system's authorities");
  } else {
    trust(files.authority);
  }
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
}

void TlsContext::show(const Tls& files) {
  demand(SSL_CTX_use_certificate_chain_file(context_, files.certificate.c_str()) == 1,
         "the certificate " + files.certificate);
  expect_secret(files.key);
  demand(SSL_CTX_use_PrivateKey_file(context_, files.key.c_str(), SSL_FILETYPE_PEM) == 1,
         "the key " + files.key);
  demand(SSL_CTX_check_private_key(context_) == 1, "the key " + files.key);
}

void TlsContext::trust(const std::string& authority) {
  demand(SSL_CTX_load_verify_file(context_, authority.c_str()) == 1, "the authority " + authority);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

std::unique_ptr<TlsSession> TlsContext::session(int socket, bool dials) const {
  SSL* ssl = SSL_new(context_);
  BIO* bio = ssl ? open_bio(socket) : nullptr;
  if (!bio) {
    SSL_free(ssl);
    throw std::bad_alloc();
  }
  SSL_set_bio(ssl, bio, bio);
  dials ? SSL_set_connect_state(ssl) : SSL_set_accept_state(ssl);
  return std::unique_ptr<TlsSession>(new TlsSession(ssl));
}

std::unique_ptr<TlsSession> TlsContext::dial(int socket, const std::string& host) const {
  std::unique_ptr<TlsSession> made = session(socket, true);
  X509_VERIFY_PARAM* expected = SSL_get0_param(made->ssl_);
  bool is_number = X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1;
  ERR_clear_error();
  if (is_number) return made;
  demand(SSL_set1_host(made->ssl_, host.c_str()) == 1 &&
             SSL_set_tlsext_host_name(made->ssl_, host.c_str()) == 1,
         "the name " + host);
  return made;
}

}  // namespace conch::net
