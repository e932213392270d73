// Fuzzes the hello of a stranger, and the answer of a peer that we have dialed.
#include "wire/handshake.hpp"

#include "fuzz.hpp"
#include "wire/address.hpp"

using namespace conch;
using namespace conch::wire;

namespace {

const PeerInstance us{NodeId{1}, Incarnation{10}};
const PeerInstance them{NodeId{2}, Incarnation{20}};
const Hello good{.group = "kitchen",
                 .algorithm = "naimi-trehel",
                 .role = Role::peer,
                 .self = them,
                 .address = "unix:b:/run/2.sock tcp:127.0.0.1:4711",
                 .means = us,
                 .first = 3};

/// A value that was read can be written again, and is then read as the same value.
template <class T, class Put, class Read>
void say_again(const T& value, Put&& put, Read&& read) {
  std::string bytes;
  put(bytes, value);
  FrameReader reader;
  reader.feed(bytes);
  std::optional<Frame> frame = reader.next();
  fuzz::require(frame.has_value(), "a handshake that was read fits into a frame");
  auto again = read(*frame);
  fuzz::require(std::get_if<T>(&again) && std::get<T>(again) == value, "it is read the same again");
}

void check(const Frame& frame) {
  auto hello = read_hello(frame);
  if (const auto* value = std::get_if<Hello>(&hello)) {
    say_again(
        *value, [](auto& out, auto& v) { put_hello(out, v); },
        [](const Frame& again) { return read_hello(again); });
    if (!value->address.empty())
      fuzz::require(print(*parse_address(value->address)).size() <= 3 * address_bytes_max,
                    "an address can be printed");
    for (Route route : {Route::local, Route::remote})
      objection(*value, route, {us, "kitchen", "naimi-trehel"});
  }
  auto answer = read_answer(frame);
  if (const auto* value = std::get_if<HelloAccepted>(&answer)) {
    say_again(*value, put_answer, read_answer);
    objection(*value, good);
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::string hello;
  put_hello(hello, good);
  std::string stranger;
  put_hello(stranger, {.group = "kitchen", .role = Role::stranger});
  std::string stream;
  put_hello(stream, {.group = "kitchen", .role = Role::stream, .self = them, .means = us});
  std::string accepted;
  put_answer(accepted, {us, "naimi-trehel", "tcp:[::1]:1", true, 7});
  std::string refused;
  put_refusal(refused, "no");
  return {hello, stranger, stream, accepted, refused};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = fuzz::view_of(data, size);
  FrameReader reader;
  reader.feed(bytes);
  while (std::optional<Frame> frame = reader.next()) check(*frame);
  parse_address(bytes);
  return 0;
}
