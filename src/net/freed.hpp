// What OpenSSL gives away is freed by a function of its own type.
#pragma once

namespace conch::net {

/// `std::unique_ptr<X509, Freed<X509_free>>`.
template <auto free>
struct Freed {
  template <class T>
  void operator()(T* value) const {
    free(value);
  }
};

}  // namespace conch::net
