#include "watch/metrics.hpp"

#include <gtest/gtest.h>

namespace conch::watch::metrics_test {

using std::chrono::milliseconds;

node::Status status() {
  node::Status here;
  here.group = R"(a "group")";
  here.view.algorithm = "naimi-trehel";
  here.view.epoch = Epoch{3};
  here.self.id = NodeId{0xab};
  node::StatusPart part;
  part.lease = milliseconds(1500);
  part.counts.epochs = 2;
  part.counts.bytes_sent = 77;
  node::LockPart held;
  held.holds = true;
  held.in_line = 2;
  part.locks = {held, {}};
  here.parts = {part};
  return here;
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << line << "\n" << text;
}

TEST(Metrics, OfAPeerThatHasDoneNothing) {
  std::string text = PeerMetrics().text(status());
  expect_lines(
      text,
      {"# TYPE conch_locks_held gauge", "conch_locks_held 1", "conch_locks_waiting 2",
       "conch_members 0", "conch_epoch 3", "conch_epochs_total 2", "conch_lease_seconds 1.5",
       R"(conch_bytes_total{direction="sent"} 77)", R"(conch_handovers_total{token="came"} 0)",
       R"(conch_wait_seconds_bucket{le="+Inf"} 0)", "conch_wait_seconds_count 0"});
  EXPECT_NE(text.find(R"(group="a \"group\"",algorithm="naimi-trehel",peer="ab"} 1)"),
            std::string::npos);
}

TEST(Metrics, EntriesAreInTheirBuckets) {
  PeerMetrics metrics;
  metrics.entered("a", {Mode::write, Fence(Epoch{1}, 1), milliseconds(1), true});
  metrics.entered("a", {Mode::write, Fence(Epoch{1}, 2), milliseconds(2), false});
  metrics.left("a", Mode::write, std::chrono::minutes(2));
  expect_lines(
      metrics.text(status()),
      {R"(conch_wait_seconds_bucket{le="0.0005"} 0)", R"(conch_wait_seconds_bucket{le="0.001"} 1)",
       R"(conch_wait_seconds_bucket{le="0.005"} 2)", R"(conch_wait_seconds_bucket{le="+Inf"} 2)",
       "conch_wait_seconds_sum 0.003", "conch_wait_seconds_count 2",
       R"(conch_hold_seconds_bucket{le="60"} 0)", R"(conch_hold_seconds_bucket{le="+Inf"} 1)",
       R"(conch_handovers_total{token="came"} 1)", R"(conch_handovers_total{token="here"} 1)"});
}

TEST(Metrics, MessagesByTypeAndWay) {
  PeerMetrics metrics;
  metrics.sent({}, {"REQUEST", "a", 10});
  metrics.sent({}, {"REQUEST", "b", 10});
  metrics.received({}, {"TOKEN", "a", 10});
  metrics.received({}, {"", "", 10});
  metrics.suspected({});
  metrics.data_received(1000);
  expect_lines(metrics.text(status()),
               {R"(conch_messages_total{direction="sent",type="REQUEST"} 2)",
                R"(conch_messages_total{direction="received",type="TOKEN"} 1)",
                R"(conch_messages_total{direction="received",type="unread"} 1)",
                "conch_suspicions_total 1", R"(conch_data_bytes_total{direction="received"} 1000)",
                R"(conch_data_bytes_total{direction="sent"} 0)"});
}

}  // namespace conch::watch::metrics_test
