#include "net/openssl.hpp"

#include <dlfcn.h>

#include <conch/error.hpp>
#include <string>

namespace conch::net {

// NOLINTNEXTLINE(bugprone-macro-parentheses): it declares a name
#define CONCH_DEFINE(name) decltype(&::name) name = nullptr;
CONCH_OPENSSL(CONCH_DEFINE)
#undef CONCH_DEFINE

namespace {

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function)
    throw Error(ErrorCode::misconfigured,
                std::string("TLS: OpenSSL has no ") + name + ": install OpenSSL 3.0 or later");
}

bool load() {
  const std::string file = "libssl.so." + std::to_string(OPENSSL_SHLIB_VERSION);
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    throw Error(ErrorCode::misconfigured,
                std::string("TLS needs OpenSSL, which cannot be loaded (") + ::dlerror() +
                    "): install libssl3");
#define CONCH_FIND(name) resolve(library, #name, name);
  CONCH_OPENSSL(CONCH_FIND)
#undef CONCH_FIND
  return true;
}

}  // namespace

void load_openssl() { [[maybe_unused]] static const bool loaded = load(); }

}  // namespace conch::net
