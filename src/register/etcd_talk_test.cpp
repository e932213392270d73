#include "register/etcd_talk.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace conch::etcd::etcd_talk_test {

using nlohmann::json;

TEST(EtcdTalk, Base64IsThatOfRfc4648) {
  for (auto [bytes, text] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(from_base64(to_base64(all)), all);
  for (const char* nonsense : {"Z", "Zg=", "Zg", "Z===", "====", "Zm9 ", "Zh==", "Zg==Zg=="})
    EXPECT_EQ(from_base64(nonsense), std::nullopt) << nonsense;
}

TEST(EtcdTalk, ATransactionSaysWhatMustBeSo) {
  Transaction transaction{{{Condition::Of::creation, beginning_with("a/"), 7},
                           {Condition::Of::change, {"b"}, 8},
                           {Condition::Of::value, {"c"}, 0, "x"}},
                          {Put{"d", "y", 9}, Remove{"e"}},
                          {Get{beginning_with("a/"), true}, Get{{"b"}}}};
  json said = json::parse(to_json(transaction));
  json a{{"key", to_base64("a/")}, {"range_end", to_base64("a0")}};
  json first = a;
  first.update({{"target", "CREATE"}, {"result", "EQUAL"}, {"create_revision", "7"}});
  EXPECT_EQ(said["compare"][0], first);
  EXPECT_EQ(said["compare"][1]["mod_revision"], "8");
  EXPECT_EQ(said["compare"][2]["value"], to_base64("x"));
  EXPECT_EQ(said["success"][0]["request_put"]["lease"], "9");
  EXPECT_EQ(said["success"][1]["request_delete_range"]["key"], to_base64("e"));
  json last = a;
  last.update({{"sort_order", "DESCEND"}, {"sort_target", "KEY"}, {"limit", "1"}});
  EXPECT_EQ(said["failure"][0]["request_range"], last);
  EXPECT_EQ(said["failure"][1]["request_range"], (json{{"key", to_base64("b")}}));
}

/// An answer of etcd 3.4.23.
TEST(EtcdTalk, AnOutcomeIsWhatWasFound) {
  TransactionResult outcome = read_outcome(
      R"({"header":{"cluster_id":"324952591200643719","member_id":"3","revision":"2"},)"
      R"("succeeded":true,"responses":[{"response_put":{"header":{"revision":"2"}}},)"
      R"({"response_range":{"header":{"revision":"2"},"kvs":[{"key":"dmlldy8x",)"
      R"("create_revision":"2","mod_revision":"3","version":"1","value":"eA=="}],"count":"1"}},)"
      R"({"response_range":{"header":{"revision":"2"}}}]})");
  TransactionResult expected{{"324952591200643719", 2}, true, {{{"view/1", "x", 2, 3}}, {}}};
  EXPECT_EQ(outcome, expected);
}

TEST(EtcdTalk, NewsAreEventsOrAnEnd) {
  EXPECT_EQ(std::get<WatchUpdate>(read_news(
                R"({"result":{"header":{"cluster_id":"3","revision":"5"},"events":[)"
                R"({"kv":{"key":"eA==","create_revision":"2","mod_revision":"4","value":"eQ=="}},)"
                R"({"type":"DELETE","kv":{"key":"eA==","mod_revision":"5"}}]}})")),
            (WatchUpdate{{"3", 5}, {{{"x", "y", 2, 4}, false}, {{"x", "", 0, 5}, true}}}));
  WatchUpdate end = std::get<WatchUpdate>(read_news(
      R"({"result":{"header":{"revision":"9"},"canceled":true,"compact_revision":"7"}})"));
  EXPECT_TRUE(end.canceled);
  EXPECT_EQ(end.compacted, 7);
  EXPECT_EQ(std::get<Complaint>(read_news(
                R"({"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}})")),
            (Complaint{14, "etcdserver: no leader"}));
}

TEST(EtcdTalk, AComplaintIsWhatEtcdSaysOrWhoeverAnswers) {
  EXPECT_EQ(read_complaint(R"({"error":"etcdserver: permission denied","code":7})"),
            (Complaint{7, "etcdserver: permission denied"}));
  EXPECT_EQ(read_complaint("404 page\r\nnot found"), (Complaint{0, "404 page  not found"}));
  EXPECT_LE(read_complaint(std::string(5000, 'x')).text.size(), 200u);
}

TEST(EtcdTalk, NonsenseIsRefused) {
  for (const char* nonsense :
       {"", "[]", "{", "7", R"({"header":7})", R"({"header":{}})",
        R"({"header":{"cluster_id":"1","revision":"x"}})",
        R"({"header":{"cluster_id":"1","revision":"-1"}})",
        R"({"header":{"cluster_id":"1"},"responses":7})",
        R"({"header":{"cluster_id":"1"},"responses":[7]})",
        R"({"header":{"cluster_id":"1"},"responses":[{"response_range":7}]})",
        R"({"header":{"cluster_id":"1"},"responses":[{"response_range":{"kvs":[{"key":"!"}]}}]})",
        R"({"header":{"cluster_id":"1"},"succeeded":"yes"})"})
    EXPECT_THROW(read_outcome(nonsense), std::invalid_argument) << nonsense;
  for (const char* nonsense : {"", R"({"result":7})", R"({"result":{"events":{}}})",
                               R"({"result":{"events":[{"kv":[]}]}})"})
    EXPECT_THROW(read_news(nonsense), std::invalid_argument) << nonsense;
  EXPECT_THROW(read_grant(R"({"TTL":"5"})"), std::invalid_argument);
  EXPECT_THROW(read_token(R"({})"), std::invalid_argument);
  EXPECT_THROW(read_token("{\"token\":\"a\\r\\nHost: b\"}"), std::invalid_argument);
}

}  // namespace conch::etcd::etcd_talk_test
