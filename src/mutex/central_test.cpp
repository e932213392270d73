#include "mutex/central.hpp"

#include <gtest/gtest.h>

#include "mutex/testing/random_run.hpp"

namespace conch::testing::central_test {

constexpr NodeId server{0}, a{1}, b{2};

TEST(Central, AnEntryAndExitOfAClientCostsThreeMessages) {
  Group<Central> group(3);
  group.request(a);
  group.settle();
  group.release(a);
  group.settle();
  EXPECT_EQ(group.sent(), 3u);
}

TEST(Central, TheServersOwnEntryCostsNothing) {
  Group<Central> group(3);
  group.request(server);
  group.release(server);
  EXPECT_EQ(group.entered(), std::vector{server});
  EXPECT_EQ(group.sent(), 0u);
}

TEST(Central, TheQueueIsFirstComeFirstServed) {
  Group<Central> group(3);
  group.request(server);
  group.request(b);
  group.settle();
  group.request(a);
  group.settle();
  group.release(server);
  group.settle();
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{server, b, a}));
}

TEST(Central, ACancelThatOvertakesItsRequestIsRemembered) {
  Group<Central> group(2);
  group.request(server);
  group.request(a);
  group.cancel(a);
  group.deliver(1);
  group.settle();
  EXPECT_EQ(group.doing(a), Doing::nothing);
  group.release(server);
  EXPECT_TRUE(group.in_flight().empty());
  group.check_quiescent();
  EXPECT_EQ(group.failure(), "");
}

TEST(Central, AGrantThatCrossesACancelIsGivenBack) {
  Group<Central> group(2);
  group.request(a);
  group.deliver(a, server);
  group.cancel(a);
  group.settle();
  EXPECT_EQ(group.doing(a), Doing::nothing);
  group.request(server);
  EXPECT_EQ(group.entered(), std::vector{server});
}

// Exercise 15.5: "If the client has been granted the token then the server acts as if the client
// had returned the token. In case it subsequently receives the token from the client, it ignores
// it."
TEST(Central, ALateReleaseOfASuspectedHolderIsIgnored) {
  Assignment start = Assignment::fresh(Members::first(3), server);
  Central at_server(server, start);
  Central::Out out;
  at_server.receive(a, Central::Request{1}, out);
  at_server.receive(b, Central::Request{1}, out);
  ASSERT_EQ(out.sends().size(), 1u);
  Baton first = std::get<Central::Grant>(out.sends()[0].message).baton;
  out.clear();
  at_server.suspect(a, out);
  ASSERT_EQ(out.sends().size(), 1u);
  EXPECT_EQ(out.sends()[0].to, b);
  EXPECT_GT(std::get<Central::Grant>(out.sends()[0].message).baton.fence, first.fence);
  out.clear();
  Central before = at_server;
  at_server.receive(a, Central::Release{first}, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(at_server, before);
}

TEST(Central, ASuspectedWaiterIsForgotten) {
  Central at_server(server, Assignment::fresh(Members::first(3), server));
  Central::Out out;
  at_server.request(out);
  at_server.receive(a, Central::Request{1}, out);
  at_server.suspect(a, out);
  out.clear();
  at_server.release({}, out);
  EXPECT_TRUE(out.sends().empty());
}

TEST(Central, ALateRequestOfACrashedClientIsNobodys) {
  Central at_server(server, Assignment::fresh(Members::first(3), server));
  Central::Out out;
  at_server.suspect(a, out);
  at_server.receive(a, Central::Request{1}, out);
  at_server.receive(b, Central::Request{1}, out);
  ASSERT_EQ(out.sends().size(), 1u);
  EXPECT_EQ(out.sends()[0].to, b);
}

constexpr Wish read_all{Mode::read, {}};

Wish read(std::uint64_t begin, std::uint64_t end) { return {Mode::read, {begin, end}}; }
Wish write(std::uint64_t begin, std::uint64_t end) { return {Mode::write, {begin, end}}; }

TEST(Central, ReadersAreInsideTogetherAndAWriterWaitsForAll) {
  Group<Central> group(4);
  group.request(a, read_all);
  group.request(b, read_all);
  group.settle();
  group.request(server);
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b}));
  group.release(b);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{a, b, server}));
  EXPECT_EQ(group.failure(), "");
}

TEST(Central, AReaderDoesNotOvertakeAWaitingWriter) {
  Group<Central> group(3);
  group.request(server, read_all);
  group.request(a);
  group.settle();
  group.request(b, read_all);
  group.settle();
  group.release(server);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{server, a}));
}

TEST(Central, TheReadersBehindAWriterThatCancelsEnterAtOnce) {
  Group<Central> group(3);
  group.request(server, read_all);
  group.request(a);
  group.settle();
  group.request(b, read_all);
  group.settle();
  group.cancel(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{server, b}));
  EXPECT_EQ(group.failure(), "");
}

TEST(Central, RangesThatAreApartAreWrittenTogether) {
  Group<Central> group(3);
  group.request(server, write(0, 10));
  group.request(a, write(10, 20));
  group.settle();
  group.request(b, write(5, 15));
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{server, a}));
  group.release(server);
  group.release(a);
  group.settle();
  EXPECT_EQ(group.entered(), (std::vector{server, a, b}));
  EXPECT_EQ(group.failure(), "");
}

TEST(Central, AReadersFenceIsThatOfTheLastWriterOfWhatItReads) {
  Group<Central> group(3);
  for (const Wish& wish : {write(0, 10), write(10, 20), read(0, 10), read(5, 15), read(20, 30)}) {
    group.request(server, wish);
    group.release(server);
  }
  std::vector<std::uint64_t> counts;
  for (const auto& entry : group.entries()) counts.push_back(entry.baton.fence.count());
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 2, 1, 2, 0}));
  EXPECT_EQ(group.failure(), "");
}

TEST(Central, ACrashedWritersFenceIsNotHandedOutAgain) {
  Central at_server(server, Assignment::fresh(Members::first(3), server));
  Central::Out out;
  at_server.receive(a, Central::RequestShare{1, write(0, 10)}, out);
  Fence used = std::get<Central::GrantShare>(out.sends()[0].message).baton.fence;
  out.clear();
  at_server.suspect(a, out);
  at_server.receive(b, Central::RequestShare{1, read(0, 20)}, out);
  EXPECT_EQ(std::get<Central::GrantShare>(out.sends()[0].message).baton.fence, used);
}

TEST(Central, EveryPromiseHoldsInRandomRuns) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    EXPECT_EQ(random_runs<Central>(400, nodes, Channels::unordered), "");
}

TEST(Central, EveryPromiseHoldsInRandomRunsWithReadersAndRanges) {
  for (std::size_t nodes = 1; nodes <= 9; ++nodes)
    for (Sharing sharing : {Sharing{60, 1}, Sharing{0, 4}, Sharing{50, 6}})
      EXPECT_EQ(random_runs<Central>(400, nodes, Channels::unordered, {}, sharing), "");
}

}  // namespace conch::testing::central_test
