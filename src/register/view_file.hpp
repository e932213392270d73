// The format of the files in the state directory: a first line with the kind, the format number and
// a checksum, and then the value, encoded by its field list.
//
//   conch view 1 5b3c0f9e12a477d0
//   ...
#pragma once

#include <string>
#include <string_view>

#include "recovery/view.hpp"

namespace conch::file {

inline constexpr std::uint64_t format = 1;
/// Enough for a view of about ten thousand members; anything larger is not one of ours.
inline constexpr std::size_t view_bytes_max = std::size_t{1} << 20;

struct ViewFile {
  recovery::View view;
  /// In the last view of a segment, the folder of the next segment; otherwise empty.
  std::string next_segment;
  CONCH_FIELDS(ViewFile, view, next_segment)
};

/// What all users of a state directory must agree on. It is written once and never changed.
struct ChainFile {
  std::string first_segment;
  std::uint64_t segment_views = 0;
  Duration lease{};
  CONCH_FIELDS(ChainFile, first_segment, segment_views, lease)

  bool valid() const { return segment_views > 0 && lease > Duration::zero(); }
};

/// The checksum of all bytes after the first line, in hexadecimal.
std::string checksum(std::string_view bytes);

std::string to_bytes(const ViewFile& file);
std::string to_bytes(const ChainFile& file);

/// What to do about a damaged file.
inline const std::string remedy_for_files =
    "restore it, or stop all peers and remove the state directory";

/// Both throw RegisterError, with the path, if the bytes are anything else.
ViewFile view_file(std::string_view bytes, const std::string& path,
                   const std::string& remedy = remedy_for_files);
ChainFile chain_file(std::string_view bytes, const std::string& path,
                     const std::string& remedy = remedy_for_files);

}  // namespace conch::file
