// Fuzzes the payloads of a member other than those of recovery; the first byte is the kind. A
// payload that was read can be written again, and is then read as the same payload.
#include "core/encode.hpp"
#include "fuzz.hpp"
#include "node/talk.hpp"
#include "recovery/lease.hpp"

using namespace conch;
using namespace conch::node;

namespace {

template <class T>
void read_again(std::string_view body) {
  std::string why;
  std::optional<T> read = unpacked<T>(body, why);
  fuzz::require(read || !why.empty(), "what is refused is refused for a reason");
  if (!read) return;
  std::string bytes;
  encode(bytes, *read);
  std::optional<T> again = unpacked<T>(bytes, why);
  fuzz::require(again.has_value(), "what was understood is understood again");
  std::string same;
  encode(same, *again);
  fuzz::require(same == bytes, "and in the same way");
}

void read(PayloadKind kind, std::string_view body) {
  switch (kind) {
    case PayloadKind::recovery:
    case PayloadKind::overlay: return;  // fuzzed by member.cpp
    case PayloadKind::register_ask: return read_again<recovery::RegisterRequest>(body);
    case PayloadKind::register_answer: return read_again<recovery::RegisterAnswer>(body);
    case PayloadKind::terms_ask: return read_again<TermsAsk>(body);
    case PayloadKind::terms: return read_again<recovery::LeaseTerms>(body);
    case PayloadKind::status_ask: return read_again<StatusAsk>(body);
    case PayloadKind::status_part: return read_again<StatusPart>(body);
    case PayloadKind::outdated: return read_again<Outdated>(body);
    case PayloadKind::ping: return read_again<Ping>(body);
    case PayloadKind::pong: return read_again<Pong>(body);
    case PayloadKind::distances: return read_again<Distances>(body);
    case PayloadKind::enclosure: return read_again<Enclosure>(body);
    case PayloadKind::claims_ask: return read_again<ClaimsAsk>(body);
    case PayloadKind::claims_part: return read_again<ClaimsPart>(body);
    case PayloadKind::vacate: return read_again<Vacate>(body);
    case PayloadKind::vacates: return read_again<Vacates>(body);
    case PayloadKind::vacated: return read_again<Vacated>(body);
    case PayloadKind::hurry: return read_again<Hurry>(body);
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  StatusPart part;
  part.locks.emplace_back();
  ClaimsPart claims;
  claims.processes.emplace_back().claims.emplace_back();
  return {packed(PayloadKind::register_ask, recovery::RegisterRequest{}),
          packed(PayloadKind::register_answer, recovery::RegisterAnswer{}),
          packed(PayloadKind::terms_ask, TermsAsk{}),
          packed(PayloadKind::terms, recovery::LeaseTerms{}),
          packed(PayloadKind::status_ask, StatusAsk{7}),
          packed(PayloadKind::status_part, part),
          packed(PayloadKind::outdated, Outdated{"a", 7}),
          packed(PayloadKind::ping, Ping{7}),
          packed(PayloadKind::pong, Pong{7}),
          packed(PayloadKind::distances, Distances{{Distance{NodeId{7}, Duration(9)}}}),
          packed(PayloadKind::enclosure, Enclosure{"a", 7, "bytes"}),
          packed(PayloadKind::claims_ask, ClaimsAsk{7, "a"}),
          packed(PayloadKind::claims_part, claims),
          packed(PayloadKind::vacate, Vacate{7, "a"}),
          packed(PayloadKind::vacates, Vacates{7, std::chrono::seconds(5)}),
          packed(PayloadKind::vacated, Vacated{7}),
          packed(PayloadKind::hurry, Hurry{})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view payload = fuzz::view_of(data, size);
  if (!payload.empty()) read(static_cast<PayloadKind>(payload.front()), payload.substr(1));
  return 0;
}
