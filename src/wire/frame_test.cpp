#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace conch::wire::frame_test {

std::string framed(FrameKind kind, std::string_view body) {
  std::string bytes;
  put_frame(bytes, kind, body);
  return bytes;
}

/// What a reader makes of a stream that comes in parts of this size.
std::vector<std::string> read_in_parts(FrameReader& reader, std::string_view stream,
                                       std::size_t part) {
  std::vector<std::string> bodies;
  while (!stream.empty()) {
    std::string bytes(stream.substr(0, part));
    stream.remove_prefix(bytes.size());
    reader.feed(bytes);
    while (auto frame = reader.next()) bodies.emplace_back(frame->body);
  }
  return bodies;
}

TEST(Frame, IsALengthAKindAndABody) {
  EXPECT_EQ(framed(FrameKind::payload, "ab"), std::string("\0\0\0\3\4ab", 7));
  EXPECT_EQ(framed(FrameKind::hello, ""), std::string("\0\0\0\1\1", 5));
}

TEST(FrameReader, GivesTheSameFramesHoweverTheStreamIsCut) {
  const std::vector<std::string> bodies{"one", "", std::string(300, 'x'), "four"};
  std::string stream;
  for (const std::string& body : bodies) put_frame(stream, FrameKind::note, body);
  for (std::size_t part = 1; part <= stream.size(); ++part) {
    FrameReader reader;
    EXPECT_EQ(read_in_parts(reader, stream, part), bodies) << "in parts of " << part;
    EXPECT_FALSE(reader.is_inside());
  }
}

TEST(FrameReader, ReadsInPlaceWhatCameWhole) {
  std::string bytes = framed(FrameKind::note, "here") + framed(FrameKind::note, "there");
  FrameReader reader;
  reader.feed(bytes);
  for (int i = 0; i < 2; ++i) {
    auto frame = reader.next();
    ASSERT_TRUE(frame);
    EXPECT_TRUE(frame->body.data() > bytes.data() &&
                frame->body.data() < bytes.data() + bytes.size());
  }
}

TEST(FrameReader, KnowsHowMuchIsMissingSoThatNothingBehindAFrameIsRead) {
  std::string bytes = framed(FrameKind::note, "whole");
  std::string_view left = bytes;
  FrameReader reader;
  std::optional<Frame> frame;
  for (std::size_t size : {4u, 1u, 5u}) {
    EXPECT_EQ(frame, std::nullopt);
    EXPECT_LE(size, reader.missing());
    reader.feed(left.substr(0, size));
    left.remove_prefix(size);
    frame = reader.next();
  }
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->body, "whole");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.missing(), length_bytes) << "of the next one";
}

TEST(FrameReader, KnowsThatAFrameHasNotEnded) {
  FrameReader reader;
  EXPECT_TRUE(read_in_parts(reader, std::string("\0\0\0\3\4a", 6), 6).empty());
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.is_inside());
}

TEST(FrameReader, BeforeAHandshakeFramesAreShort) {
  std::string longest = framed(FrameKind::hello, std::string(handshake_bytes_max - 1, 'x'));
  std::string longer = framed(FrameKind::hello, std::string(handshake_bytes_max, 'x'));
  FrameReader reader;
  EXPECT_EQ(read_in_parts(reader, longest, 100).size(), 1u);
  EXPECT_EQ(read_in_parts(reader, longer.substr(0, 4), 3).size(), 0u);
  EXPECT_EQ(reader.error(), "a frame of 4097 bytes, more than the 4096 it may have here");
  EXPECT_EQ(read_in_parts(reader, longest, 100).size(), 0u) << "after a mistake nothing is read";
}

TEST(FrameReader, ALimitThatIsRaisedHoldsForTheNextFrameOfTheSameBytes) {
  std::string bytes =
      framed(FrameKind::hello, "me") + framed(FrameKind::payload, std::string(10'000, 'x'));
  FrameReader reader;
  reader.feed(bytes);
  ASSERT_TRUE(reader.next());
  reader.allow(frame_bytes_max);
  auto frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->body.size(), 10'000u);
}

TEST(FrameReader, AFrameHasAKind) {
  FrameReader reader;
  EXPECT_TRUE(read_in_parts(reader, std::string(8, '\0'), 8).empty());
  EXPECT_EQ(reader.error(), "an empty frame");
}

}  // namespace conch::wire::frame_test
