#include "net/certificate.hpp"

#include <conch/error.hpp>
#include <cstdio>
#include <ctime>
#include <memory>

#include "net/openssl.hpp"

namespace conch::net {

namespace {

struct OpensslDeleter {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* check) const { X509_STORE_CTX_free(check); }
};
using X509Pointer = std::unique_ptr<X509, OpensslDeleter>;

X509Pointer read(const std::string& file) {
  load_openssl();
  std::unique_ptr<BIO, OpensslDeleter> in(BIO_new_file(file.c_str(), "r"));
  X509Pointer parsed(in ? PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr) : nullptr);
  ERR_clear_error();
  if (!in) throw Error(ErrorCode::misconfigured, "cannot read " + file);
  if (!parsed)
    throw Error(ErrorCode::misconfigured, "no certificate in " + file + ": expected a PEM file");
  return parsed;
}

std::chrono::sys_seconds moment(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

std::string text_of(X509_NAME* name) {
  std::unique_ptr<BIO, OpensslDeleter> out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_ONELINE);
  char* bytes = nullptr;
  long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Certificate read_certificate(const std::string& file) {
  X509Pointer parsed = read(file);
  X509_NAME* subject = X509_get_subject_name(parsed.get());
  return {text_of(subject), X509_NAME_get_index_by_NID(subject, NID_commonName, -1) >= 0,
          moment(X509_get0_notBefore(parsed.get())), moment(X509_get0_notAfter(parsed.get()))};
}

std::string doubt(const std::string& certificate, const std::string& authority) {
  X509Pointer parsed = read(certificate);
  X509Pointer issuer = read(authority);
  std::unique_ptr<X509_STORE, OpensslDeleter> trusted(X509_STORE_new());
  X509_STORE_add_cert(trusted.get(), issuer.get());
  std::unique_ptr<X509_STORE_CTX, OpensslDeleter> check(X509_STORE_CTX_new());
  X509_STORE_CTX_init(check.get(), trusted.get(), parsed.get(), nullptr);
  if (X509_verify_cert(check.get()) == 1) return "";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()));
}

}  // namespace conch::net
