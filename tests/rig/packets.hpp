// Builds packets for tests.
#pragma once

#include <netinet/in.h>

#include <string>

#include "rig/packet.hpp"

namespace conch::rig {

/// An IPv4 packet to a site with this content.
inline std::string packet_to(std::size_t site, const std::string& content,
                             int protocol = IPPROTO_UDP) {
  std::string bytes(20, '\0');
  bytes[0] = 0x45;
  std::size_t size = bytes.size() + content.size();
  bytes[2] = static_cast<char>(size >> 8);
  bytes[3] = static_cast<char>(size);
  bytes[9] = static_cast<char>(protocol);
  for (std::size_t i = 0; i < 4; ++i)
    bytes[16 + i] = static_cast<char>(address_of(site) >> (24 - 8 * i));
  return bytes + content;
}

inline std::string tcp_to(std::size_t site, const std::string& payload) {
  std::string header(20, '\0');
  header[12] = 0x50;
  return packet_to(site, header + payload, IPPROTO_TCP);
}

inline std::string content_of(const std::string& packet) { return packet.substr(20); }

}  // namespace conch::rig
