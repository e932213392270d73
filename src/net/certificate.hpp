// Reads and checks certificate files before they are used.
#pragma once

#include <chrono>
#include <string>

namespace conch::net {

struct Certificate {
  /// E.g. `CN = alpha`.
  std::string subject;
  bool has_common_name = false;
  std::chrono::sys_seconds from;
  std::chrono::sys_seconds until;
};

/// Reads the first certificate of a PEM file. Throws conch::Error.
Certificate read_certificate(const std::string& file);

/// Why a peer that trusts this authority would reject the certificate now; empty if it is valid.
/// Throws conch::Error if a file cannot be read.
std::string doubt(const std::string& certificate, const std::string& authority);

}  // namespace conch::net
