// Fuzzes the requests to the pages of a peer.
#include "fuzz.hpp"
#include "http/server.hpp"

using namespace conch;
using namespace conch::http;

namespace {

HttpOptions options() {
  HttpOptions options;
  options.listen = "127.0.0.1:80";
  options.token = "0123456789abcdef";
  options.pages["/"] = {"text/html", [](const HttpRequest&) { return std::string("page"); }};
  options.pages["/locks"] = {"application/json", [](const HttpRequest& asked) {
                               return std::string(asked.parameter("find"));
                             }};
  options.actions["/unlock"] = {"application/json", [](const HttpRequest& asked) {
                                  std::string_view given = asked.header("authorization");
                                  fuzz::require(given == "Bearer 0123456789abcdef", "who acts may");
                                  fuzz::require(asked.headers.contains("x-conch"), "it is marked");
                                  fuzz::require(is_same_origin(asked), "its page is ours");
                                  return asked.body;
                                }};
  return options;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"GET /locks?find=a%20b&order=age HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
          "POST /unlock HTTP/1.1\r\nHost: [::1]:80\r\nOrigin: http://[::1]:80\r\n"
          "X-Conch: 1\r\nAuthorization: Bearer 0123456789abcdef\r\nContent-Length: 14\r\n\r\n"
          "{\"lock\":\"abcd\"}",
          "HEAD / HTTP/1.0\n\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const HttpOptions site = options();
  std::string_view bytes = fuzz::view_of(data, size);
  auto read = read_request(bytes);
  if (std::holds_alternative<Incomplete>(read))
    fuzz::require(size <= head_bytes_max + body_bytes_max, "who says no end is refused");
  const auto* request = std::get_if<HttpRequest>(&read);
  if (!request) return 0;
  fuzz::require(request->body.size() <= body_bytes_max, "a body is bounded");
  std::string refused = objection(*request, site, "127.0.0.1:80");
  std::string said = refused.empty() ? answer(*request, site) : refused;
  fuzz::require(said.starts_with("HTTP/1.1 "), "everybody is answered");
  return 0;
}
