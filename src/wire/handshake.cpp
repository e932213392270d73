#include "wire/handshake.hpp"

#include <array>
#include <charconv>

#include "core/encode.hpp"
#include "wire/address.hpp"

namespace conch::wire {

namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

template <class T>
void put_fields(std::string& out, FrameKind kind, const T& value) {
  std::string body;
  encode(body, value);
  put_frame(out, kind, body);
}

/// These roles have to say who they are, what they run, and whom they want to reach.
bool is_member(Role role) { return role == Role::peer || role == Role::stream; }

bool is_address_or_none(const std::string& address) {
  return address.empty() || parse_address(address).has_value();
}

template <class T, class Result>
Result read_whole(Decoder& decoder, std::string_view what) {
  T value;
  if (decoder.decode(value) && decoder.finish()) return value;
  return HelloRefused{std::string(what) + " cannot be read: " + decoder.error()};
}

}  // namespace

bool Hello::valid() const {
  bool short_enough = group.size() <= group_bytes_max && algorithm.size() <= algorithm_bytes_max;
  bool complete = (!is_member(role) || means) && (role != Role::peer || !address.empty());
  return short_enough && role <= Role::stream && complete && is_address_or_none(address);
}

bool HelloAccepted::valid() const {
  return algorithm.size() <= algorithm_bytes_max && is_address_or_none(address) &&
         software.size() <= software_bytes_max;
}

void put_hello(std::string& out, const Hello& hello) {
  std::string body;
  encode(body, hello.speaks);
  encode(body, hello);
  put_frame(out, FrameKind::hello, body);
}

void put_answer(std::string& out, const HelloAccepted& accepted) {
  put_fields(out, FrameKind::accepted, accepted);
}

void put_refusal(std::string& out, std::string_view why) {
  put_fields(out, FrameKind::refused, HelloRefused{std::string(why.substr(0, sentence_bytes_max))});
}

std::variant<Hello, HelloRefused> read_hello(const Frame& frame, const Versions& ours) {
  if (frame.kind != FrameKind::hello)
    return HelloRefused{std::string(word(frame.kind)) + " instead of a hello"};
  Decoder decoder(frame.body);
  Versions speaks;
  if (!decoder.decode(speaks)) return HelloRefused{"the hello has no versions"};
  if (!common(speaks, ours))
    return HelloRefused{"you speak " + describe(speaks) + " of the protocol, this peer " +
                        describe(ours) + "; first install a release between the two"};
  auto hello = read_whole<Hello, std::variant<Hello, HelloRefused>>(decoder, "the hello");
  if (auto* read = std::get_if<Hello>(&hello)) read->speaks = speaks;
  return hello;
}

std::variant<HelloAccepted, HelloRefused> read_answer(const Frame& frame) {
  using Answer = std::variant<HelloAccepted, HelloRefused>;
  Decoder decoder(frame.body);
  if (frame.kind == FrameKind::accepted)
    return read_whole<HelloAccepted, Answer>(decoder, "the acceptance");
  if (frame.kind == FrameKind::refused)
    return read_whole<HelloRefused, Answer>(decoder, "the refusal");
  return HelloRefused{std::string(word(frame.kind)) + " instead of the answer to a hello"};
}

std::string objection(const Hello& hello, Route route, const Identity& identity) {
  if (hello.group != identity.group)
    return "this peer belongs to the group " + quoted(identity.group) + ", not of " +
           quoted(hello.group);
  bool asks = !is_member(hello.role) && hello.algorithm.empty();
  if (!asks && hello.algorithm != identity.algorithm)
    return "the group " + quoted(identity.group) + " runs " + quoted(identity.algorithm) +
           ", not " + quoted(hello.algorithm);
  if (hello.role == Role::client && route == Route::remote)
    return "clients are served only through the Unix socket of their own machine";
  if (is_member(hello.role) && hello.means != identity.self)
    return "this is " + describe(identity.self) + ", not " + describe(*hello.means);
  if (is_member(hello.role) && hello.self == identity.self)
    return describe(identity.self) + " is this peer itself";
  return "";
}

std::string objection(const HelloAccepted& accepted, const Hello& hello) {
  if (hello.means && accepted.self != *hello.means)
    return "it is " + describe(accepted.self) + ", not " + describe(*hello.means);
  if (!hello.algorithm.empty() && accepted.algorithm != hello.algorithm)
    return "it runs " + quoted(accepted.algorithm) + ", not " + quoted(hello.algorithm);
  if (!hello.speaks.contains(accepted.version))
    return "it answers in version " + std::to_string(accepted.version) +
           " of the protocol, not in " + describe(hello.speaks);
  return "";
}

std::string describe(const PeerInstance& life) {
  std::array<char, 17> id{};  // hexadecimal, as everywhere in texts for people
  std::to_chars(id.data(), id.data() + id.size(), life.id.value, 16);
  return "peer " + std::string(id.data()) + " (life " +
         std::to_string(static_cast<std::uint64_t>(life.incarnation)) + ")";
}

}  // namespace conch::wire
