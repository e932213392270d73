// What a certificate says of itself, for who looks before it is used.
#pragma once

#include <chrono>
#include <string>

namespace conch::net {

struct Certificate {
  /// As `CN = alpha`.
  std::string subject;
  bool has_common_name = false;
  std::chrono::sys_seconds from;
  std::chrono::sys_seconds until;
};

/// The first one in a PEM file. Throws conch::Error.
Certificate read_certificate(const std::string& file);

/// Why those who trust this authority would not accept the certificate now; empty if they would.
/// Throws conch::Error if a file cannot be read.
std::string doubt(const std::string& certificate, const std::string& authority);

}  // namespace conch::net
