// The list of algorithms by name: what the command line, the lab, the checker and the peers offer.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/contract.hpp"

namespace conch {

/// What an algorithm can do: the concepts of its class, for worlds that ask at run time.
struct Capabilities {
  bool token = false;
  bool causal = false;
  bool dynamic = false;
  bool suspecting = false;
  bool structured = false;
  bool timed = false;
  bool shared = false;
  /// It elects a coordinator; if false, it lets processes in.
  bool elects = false;
  bool restarts = false;
  /// It lets processes in, over an overlay.
  bool routed = false;
};

/// The parameters that a name fixes, whatever else is asked for.
struct Preset {
  std::optional<VotingSetShape> voting = {};
  std::optional<Balance> balance = {};
  std::optional<bool> queues = {};
  std::optional<Manners> manners = {};
  const Policy* policy = nullptr;
};

/// A name, and its algorithm: a class of that name, or another class with a preset.
struct CatalogEntry {
  About about;
  Capabilities can;
  /// The name of the class.
  std::string_view algorithm;
  Preset preset;

  bool is_preset() const { return about.name != algorithm; }
  Tuning tuned(Tuning tuning) const;
  Assignment tuned(Assignment start) const;
};

std::span<const CatalogEntry> catalog();
/// The elections, a family of their own.
std::span<const CatalogEntry> elections();

/// The protocols over an overlay, a family of their own.
std::span<const CatalogEntry> protocols();

/// No algorithm has this name; the message suggests the nearest one.
class UnknownName : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// For worlds of locks among members. Refuses elections and overlay protocols with a sentence.
const CatalogEntry& find_algorithm(std::string_view name);
/// For worlds that also know elections, or protocols over an overlay.
const CatalogEntry& find_any(std::string_view name);

/// The candidate that `name` begins, or that needs the fewest edits, if those are few for its
/// length; none otherwise.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace conch
