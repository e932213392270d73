// A deleter for OpenSSL's objects, each of which has a function to free it.
#pragma once

namespace conch::net {

/// Use it as in `std::unique_ptr<X509, FreeWith<X509_free>>`.
template <auto free>
struct FreeWith {
  template <class T>
  void operator()(T* value) const {
    free(value);
  }
};

}  // namespace conch::net
