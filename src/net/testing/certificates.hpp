// Certificate authorities made up for a test, and a TLS client without a certificate.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "net/descriptor.hpp"
#include "net/dial.hpp"
#include "net/freed.hpp"
#include "net/tls.hpp"

namespace conch::net::testing {

using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;

class Authority {
 public:
  /// Writes its certificate to this file.
  explicit Authority(std::string file)
      : file_(std::move(file)), key_(new_key()), certificate_(issue(key_.get(), nullptr)) {
    write(file_, [&](FILE* out) { PEM_write_X509(out, certificate_.get()); });
  }

  /// Makes a key and a certificate in files with this prefix. `name`: its subject alternative name,
  /// e.g. IP:127.0.0.1 or DNS:localhost. `entry`: the type of its subject's entry.
  Tls certify(const std::string& files, const std::string& name = "",
              const char* entry = "CN") const {
    Key key = new_key();
    Certificate certificate = issue(key.get(), this, name, entry);
    Tls tls{files + ".pem", files + ".key", file_};
    write(tls.certificate, [&](FILE* out) { PEM_write_X509(out, certificate.get()); });
    write(tls.key, [&](FILE* out) {
      PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    return tls;
  }

 private:
  static Key new_key() { return Key(EVP_EC_gen("P-256")); }

  static void extend(X509* made, int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(made, extension, -1);
    X509_EXTENSION_free(extension);
  }

  static Certificate issue(EVP_PKEY* subject, const Authority* issuer,
                           const std::string& called = "", const char* entry = "CN") {
    static long serial = 0;
    Certificate made(X509_new());
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), subject);
    std::string name = issuer ? "peer" : "authority " + std::to_string(serial);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), entry, MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509* parent = issuer ? issuer->certificate_.get() : made.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(parent));
    if (!issuer) extend(made.get(), NID_basic_constraints, "critical,CA:TRUE");
    if (!called.empty()) extend(made.get(), NID_subject_alt_name, called);
    X509_sign(made.get(), issuer ? issuer->key_.get() : subject, EVP_sha256());
    return made;
  }

  template <class Print>
  static void write(const std::string& path, Print&& print) {
    FILE* out = std::fopen(path.c_str(), "w");
    if (!out) throw std::runtime_error("cannot write " + path);
    print(out);
    std::fclose(out);
    ::chmod(path.c_str(), S_IRUSR | S_IWUSR);  // The openssl command leaves a key with this mode.
  }

  std::string file_;
  Key key_;
  Certificate certificate_;
};

/// Speaks TLS, accepts any certificate, and has none of its own.
class UncertifiedClient {
 public:
  explicit UncertifiedClient(const std::string& address)
      : socket_(dial(parse_ways(address).front(), 0).socket),
        context_(SSL_CTX_new(TLS_client_method())),
        ssl_(SSL_new(context_.get())) {
    SSL_set_fd(ssl_.get(), socket_.number());
    SSL_set_connect_state(ssl_.get());
  }

  bool is_turned_away() {
    std::array<char, 1000> bytes;
    int got = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (got > 0) heard_.append(bytes.data(), static_cast<std::size_t>(got));
    int error = SSL_get_error(ssl_.get(), got);
    return got <= 0 && error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE;
  }
  const std::string& heard() const { return heard_; }

 private:
  Descriptor socket_;
  std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, FreeWith<SSL_free>> ssl_;
  std::string heard_;
};

}  // namespace conch::net::testing
