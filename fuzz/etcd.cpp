// Fuzzes the answers of a server in the place of etcd: HTTP with JSON in it.
#include <stdexcept>

#include "fuzz.hpp"
#include "register/etcd_talk.hpp"
#include "register/http_answer.hpp"

using namespace conch;

namespace {

template <class Read>
auto try_to(Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// The body must not depend on the pieces in which the answer arrives.
std::optional<std::string> body_of(std::string_view bytes, std::size_t piece) {
  http::AnswerReader reader;
  try {
    for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  } catch (const http::Nonsense&) {
    return std::nullopt;
  }
  fuzz::require(!reader.is_complete() || reader.has_head(), "what is complete has a head");
  return reader.take_body();
}

void check(std::string_view json) {
  try_to([&] { return etcd::read_outcome(json); });
  try_to([&] { return etcd::read_news(json); });
  try_to([&] { return etcd::read_grant(json); });
  if (auto token = try_to([&] { return etcd::read_token(json); }))
    fuzz::require(token->find_first_of("\r\n") == std::string::npos, "a token fits into a head");
  etcd::Complaint complaint = etcd::read_complaint(json);
  fuzz::require(complaint.text.size() <= json.size(), "a complaint is what was said");
  if (auto bytes = etcd::from_base64(json))
    fuzz::require(etcd::to_base64(*bytes) == json, "base64 has one form");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::string outcome =
      R"({"header":{"cluster_id":"3","revision":"2"},"succeeded":true,"responses":)"
      R"([{"response_put":{}},{"response_range":{"kvs":[{"key":"eA==","create_revision":"2",)"
      R"("mod_revision":"2","value":"eQ=="}],"count":"1"}}]})";
  std::string news =
      R"({"result":{"header":{"revision":"5"},"canceled":true,"compact_revision":"4","events":)"
      R"([{"type":"DELETE","kv":{"key":"eA==","mod_revision":"5"}}]}})";
  std::string head = "HTTP/1.1 200 OK\r\n";
  std::string counted = "Content-Length: " + std::to_string(outcome.size()) + "\r\n\r\n" + outcome;
  return {outcome,
          news,
          R"({"token":"a.b"})",
          R"({"ID":"7","TTL":"5"})",
          R"({"error":"etcdserver: permission denied","code":7})",
          R"({"error":{"grpc_code":14,"message":"no leader"}})",
          head + counted,
          head + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc\n\r\n\r\n0\r\n\r\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = fuzz::view_of(data, size);
  check(bytes);
  std::optional<std::string> whole = body_of(bytes, bytes.size() + 1);
  fuzz::require(whole == body_of(bytes, 1), "an answer is the same in pieces");
  if (whole) check(*whole);
  return 0;
}
