#include "wire/handshake.hpp"

#include <gtest/gtest.h>

#include "core/encode.hpp"

namespace conch::wire::handshake_test {

const PeerInstance us{NodeId{1}, Incarnation{10}};
const PeerInstance them{NodeId{2}, Incarnation{20}};
const Identity identity{us, "kitchen", "naimi-trehel"};

Hello peer_hello() {
  return {.group = "kitchen",
          .algorithm = "naimi-trehel",
          .role = Role::peer,
          .self = them,
          .address = "tcp:127.0.0.1:4711",
          .means = us,
          .first = 7};
}

Frame only_frame(FrameReader& reader, const std::string& bytes) {
  reader.feed(bytes);
  auto frame = reader.next();
  EXPECT_TRUE(frame) << reader.error();
  return frame.value_or(Frame{});
}

std::variant<Hello, HelloRefused> sent_and_read(const Hello& hello, const Versions& ours = spoken) {
  std::string bytes;
  put_hello(bytes, hello);
  FrameReader reader;
  return read_hello(only_frame(reader, bytes), ours);
}

TEST(Handshake, AHelloComesAsItWasSaid) {
  EXPECT_EQ(sent_and_read(peer_hello()), (std::variant<Hello, HelloRefused>(peer_hello())));
}

TEST(Handshake, AnAnswerComesAsItWasSaid) {
  HelloAccepted accepted{us, "naimi-trehel", "tcp:[::1]:1", true, 12, 1, "0.1.0"};
  std::string bytes;
  put_answer(bytes, accepted);
  FrameReader reader;
  EXPECT_EQ(read_answer(only_frame(reader, bytes)),
            (std::variant<HelloAccepted, HelloRefused>(accepted)));

  bytes.clear();
  put_refusal(bytes, "no");
  EXPECT_EQ(read_answer(only_frame(reader, bytes)),
            (std::variant<HelloAccepted, HelloRefused>(HelloRefused{"no"})));
}

TEST(Handshake, ARefusalIsNoLongerThanItMayBe) {
  std::string bytes;
  put_refusal(bytes, std::string(10'000, '\xff'));
  FrameReader reader;
  auto answer = read_answer(only_frame(reader, bytes));
  EXPECT_EQ(std::get<HelloRefused>(answer).why.size(), sentence_bytes_max);
}

TEST(Handshake, WhoSpeaksNoVersionOfOursIsToldSoWhateverItSaysElse) {
  std::string body;
  encode(body, Versions{8, 9});
  body += "something of the future";
  EXPECT_EQ(std::get<HelloRefused>(read_hello({FrameKind::hello, body}, {1, 1})).why,
            "you speak versions 8 to 9 of the protocol, this peer version 1; first install a "
            "release between the two");
}

TEST(Handshake, OneVersionInCommonIsEnough) {
  Hello hello = peer_hello();
  hello.speaks = {2, 4};
  for (Versions ours : {Versions{1, 2}, {3, 3}, {4, 9}, {1, 9}})
    EXPECT_TRUE(std::holds_alternative<Hello>(sent_and_read(hello, ours))) << describe(ours);
  for (Versions ours : {Versions{1, 1}, {5, 9}})
    EXPECT_TRUE(std::holds_alternative<HelloRefused>(sent_and_read(hello, ours))) << describe(ours);
}

TEST(Handshake, AnAnswerInAVersionThatWeDoNotSpeakIsNone) {
  HelloAccepted accepted{us, "naimi-trehel", "tcp:[::1]:1", true, 12, 7, "9.0"};
  Hello hello = peer_hello();
  EXPECT_EQ(objection(accepted, hello),
            "it answers in version 7 of the protocol, not in versions 1 to 2");
  hello.speaks = {6, 8};
  EXPECT_EQ(objection(accepted, hello), "");
}

TEST(Handshake, WhatIsNoHelloIsRefused) {
  EXPECT_EQ(std::get<HelloRefused>(read_hello({FrameKind::payload, "abc"})).why,
            "a payload instead of a hello");
  EXPECT_EQ(std::get<HelloRefused>(read_hello({static_cast<FrameKind>(77), ""})).why,
            "something unknown instead of a hello");
  EXPECT_EQ(std::get<HelloRefused>(read_hello({FrameKind::hello, ""})).why,
            "the hello has no versions");
  std::string body;
  encode(body, spoken);
  EXPECT_EQ(std::get<HelloRefused>(read_hello({FrameKind::hello, body})).why,
            "the hello cannot be read: the input ends inside a number at byte " +
                std::to_string(body.size()));
}

TEST(Handshake, AHelloWithoutSenseIsRefused) {
  Hello without_address = peer_hello();
  without_address.address = "";
  Hello for_nobody = peer_hello();
  for_nobody.means.reset();
  Hello nowhere = peer_hello();
  nowhere.address = "over the hills";
  Hello of_no_role = peer_hello();
  of_no_role.role = static_cast<Role>(4);
  Hello of_a_long_name = peer_hello();
  of_a_long_name.group.assign(group_bytes_max + 1, 'x');
  for (const Hello& hello : {without_address, for_nobody, nowhere, of_no_role, of_a_long_name})
    EXPECT_TRUE(
        std::get<HelloRefused>(sent_and_read(hello)).why.starts_with("the hello cannot be read"))
        << std::get<HelloRefused>(sent_and_read(hello)).why;
}

TEST(Handshake, TheLongestHelloFits) {
  Hello hello = peer_hello();
  hello.group.assign(group_bytes_max, '\xff');
  hello.algorithm.assign(algorithm_bytes_max, '\xff');
  hello.address = "tcp:" + std::string(address_bytes_max - 6, 'x') + ":1";
  hello.first = ~std::uint64_t{0};
  EXPECT_TRUE(std::holds_alternative<Hello>(sent_and_read(hello)));
}

TEST(Handshake, WhoIsRefusedIsToldWhy) {
  EXPECT_EQ(objection(peer_hello(), Route::remote, identity), "");

  Hello of_elsewhere = peer_hello();
  of_elsewhere.group = "cellar";
  EXPECT_EQ(objection(of_elsewhere, Route::remote, identity),
            "this peer belongs to the group \"kitchen\", not of \"cellar\"");

  Hello of_another_mind = peer_hello();
  of_another_mind.algorithm = "ring";
  EXPECT_EQ(objection(of_another_mind, Route::remote, identity),
            "the group \"kitchen\" runs \"naimi-trehel\", not \"ring\"");
  of_another_mind.algorithm = "";
  EXPECT_NE(objection(of_another_mind, Route::remote, identity), "") << "a peer has to know";

  Hello for_the_dead = peer_hello();
  for_the_dead.means = PeerInstance{NodeId{1}, Incarnation{9}};
  EXPECT_EQ(objection(for_the_dead, Route::remote, identity),
            "this is peer 1 (life 10), not peer 1 (life 9)");

  Hello from_us = peer_hello();
  from_us.self = us;
  EXPECT_EQ(objection(from_us, Route::remote, identity), "peer 1 (life 10) is this peer itself");
}

TEST(Handshake, AStreamIsOpenedByAPeerForALife) {
  Hello hello{.group = "kitchen",
              .algorithm = "naimi-trehel",
              .role = Role::stream,
              .self = them,
              .means = us};
  EXPECT_EQ(sent_and_read(hello), (std::variant<Hello, HelloRefused>(hello)))
      << "without an address";
  EXPECT_EQ(objection(hello, Route::remote, identity), "");
  EXPECT_EQ(objection(hello, Route::local, identity), "");
  auto objection_if = [&](auto change) {
    Hello changed = hello;
    change(changed);
    return objection(changed, Route::remote, identity);
  };
  EXPECT_EQ(objection_if([](Hello& h) { h.group = "cellar"; }),
            "this peer belongs to the group \"kitchen\", not of \"cellar\"");
  EXPECT_EQ(objection_if([](Hello& h) { h.algorithm = ""; }),
            "the group \"kitchen\" runs \"naimi-trehel\", not \"\"");
  EXPECT_EQ(objection_if([](Hello& h) {
              h.means = PeerInstance{NodeId{1}, Incarnation{9}};
            }),
            "this is peer 1 (life 10), not peer 1 (life 9)");
  EXPECT_EQ(objection_if([](Hello& h) { h.self = us; }), "peer 1 (life 10) is this peer itself");
  hello.means.reset();
  EXPECT_TRUE(std::holds_alternative<HelloRefused>(sent_and_read(hello)))
      << "it has to mean somebody";
}

TEST(Handshake, AStrangerMayAskWhatTheGroupRuns) {
  Hello hello{.group = "kitchen", .role = Role::stranger};
  EXPECT_EQ(objection(hello, Route::remote, identity), "");
  hello.algorithm = "ring";
  EXPECT_NE(objection(hello, Route::remote, identity), "");
}

TEST(Handshake, ClientsComeThroughTheUnixSocket) {
  Hello hello{.group = "kitchen", .role = Role::client};
  EXPECT_EQ(objection(hello, Route::local, identity), "");
  EXPECT_EQ(objection(hello, Route::remote, identity),
            "clients are served only through the Unix socket of their own machine");
}

TEST(Handshake, WhoAcceptsHasToBeWhomTheHelloMeant) {
  HelloAccepted accepted{us, "naimi-trehel", "", false, 0, 1};
  EXPECT_EQ(objection(accepted, peer_hello()), "");
  accepted.self.incarnation = Incarnation{11};
  EXPECT_EQ(objection(accepted, peer_hello()), "it is peer 1 (life 11), not peer 1 (life 10)");
  accepted = {us, "ring", "", false, 0, 1};
  EXPECT_EQ(objection(accepted, peer_hello()), "it runs \"ring\", not \"naimi-trehel\"");
}

}  // namespace conch::wire::handshake_test
