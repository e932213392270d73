// The parts of an IPv4 packet that a wire needs to know.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace conch::rig {

/// The direction from one site to another.
struct Direction {
  std::size_t from = 0;
  std::size_t to = 0;
  friend auto operator<=>(const Direction&, const Direction&) = default;
};

/// The address of a site: 10.77.1.1 for site 0, 10.77.2.1 for site 1. All are in one network of 16
/// bits.
constexpr std::uint32_t address_of(std::size_t site) {
  return 0x0a4d'0001 + ((static_cast<std::uint32_t>(site) + 1) << 8);
}
constexpr std::uint32_t network_mask = 0xffff'0000;

class Packet {
 public:
  /// Does not own the bytes. Empty if they are not an IPv4 packet.
  static std::optional<Packet> read(std::string_view bytes) {
    constexpr std::size_t shortest_header = 20;
    if (bytes.size() < shortest_header || (octet(bytes, 0) >> 4) != 4) return std::nullopt;
    return Packet(bytes);
  }

  std::uint32_t destination() const { return number(16) << 16 | number(18); }
  /// The length of a TCP segment without headers; 0 for a mere acknowledgement.
  std::size_t tcp_payload() const {
    constexpr std::size_t shortest_header = 20;
    std::size_t ip_header = (octet(bytes_, 0) & 15u) * 4;
    bool is_first_part = (number(6) & 0x1fff) == 0;
    if (octet(bytes_, 9) != IPPROTO_TCP || !is_first_part) return 0;
    if (bytes_.size() < ip_header + shortest_header) return 0;
    std::size_t headers = ip_header + (octet(bytes_, ip_header + 12) >> 4) * 4u;
    std::size_t size = number(2);
    return size > headers ? size - headers : 0;
  }

 private:
  explicit Packet(std::string_view bytes) : bytes_(bytes) {}

  static std::uint8_t octet(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
  }
  /// A number of 16 bits in network byte order.
  std::uint32_t number(std::size_t at) const {
    return static_cast<std::uint32_t>(octet(bytes_, at) << 8 | octet(bytes_, at + 1));
  }

  std::string_view bytes_;
};

}  // namespace conch::rig
