// Loads OpenSSL at run time, when TLS is first needed.
//
// Linking with it costs every process a millisecond for 19 000 relocations at start-up: a third of
// a `conch lock` that only talks to the peer of its machine. So nothing links with it. In this
// namespace each function is a pointer of the same name; our calls, and the macros of OpenSSL's
// headers, find the pointer before the function. If a function is missing in the list below, the
// linker reports it.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

// clang-format off
#define CONCH_OPENSSL(F) \
  F(ASN1_TIME_to_tm) F(BIO_clear_flags) F(BIO_ctrl) F(BIO_free_all) F(BIO_get_new_index) \
  F(BIO_int_ctrl) F(BIO_meth_get_create) F(BIO_meth_get_ctrl) F(BIO_meth_get_destroy) \
  F(BIO_meth_get_read) F(BIO_meth_new) F(BIO_meth_set_create) F(BIO_meth_set_ctrl) \
  F(BIO_meth_set_destroy) F(BIO_meth_set_read) F(BIO_meth_set_write) F(BIO_new) \
  F(BIO_new_file) F(BIO_s_mem) F(BIO_s_socket) F(BIO_set_flags) F(ERR_clear_error) \
  F(ERR_get_error) F(ERR_peek_error) F(ERR_reason_error_string) F(PEM_read_bio_X509) \
  F(SSL_CTX_check_private_key) F(SSL_CTX_ctrl) F(SSL_CTX_free) F(SSL_CTX_load_verify_file) \
  F(SSL_CTX_new) F(SSL_CTX_set_default_verify_paths) F(SSL_CTX_set_num_tickets) \
  F(SSL_CTX_set_options) F(SSL_CTX_set_verify) F(SSL_CTX_use_PrivateKey_file) \
  F(SSL_CTX_use_certificate_chain_file) F(SSL_ctrl) F(SSL_do_handshake) F(SSL_free) \
  F(SSL_get0_param) F(SSL_get_error) F(SSL_get_verify_result) F(SSL_new) F(SSL_read) \
  F(SSL_set1_host) F(SSL_set_accept_state) F(SSL_set_bio) F(SSL_set_connect_state) \
  F(SSL_want) F(SSL_write) F(TLS_method) F(X509_NAME_get_index_by_NID) F(X509_NAME_print_ex) \
  F(X509_STORE_CTX_free) F(X509_STORE_CTX_get_error) F(X509_STORE_CTX_init) \
  F(X509_STORE_CTX_new) F(X509_STORE_add_cert) F(X509_STORE_free) F(X509_STORE_new) \
  F(X509_VERIFY_PARAM_set1_ip_asc) F(X509_free) F(X509_get0_notAfter) F(X509_get0_notBefore) \
  F(X509_get_subject_name) F(X509_verify_cert) F(X509_verify_cert_error_string)
// clang-format on

namespace conch::net {

// NOLINTNEXTLINE(bugprone-macro-parentheses): it declares a name
#define CONCH_DECLARE(name) extern decltype(&::name) name;
CONCH_OPENSSL(CONCH_DECLARE)
#undef CONCH_DECLARE

/// Call it before any of these functions. Throws conch::Error if OpenSSL is not installed.
void load_openssl();

}  // namespace conch::net
