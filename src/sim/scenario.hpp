// Scripts in which nothing happens unless a command says so, with what is printed written below
// each step. docs/simulator.md describes the verbs; tests/scenarios/ is full of examples.
//
// A script is blocks between blank lines. A block is one or more commands, a line of four dashes,
// and what the commands print. Lines that begin with # are comments.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/film_sink.hpp"

namespace conch::sim {

class ScriptedWorld;

struct Verb {
  std::string_view name;
  std::string_view usage;
};
std::span<const Verb> verbs();

/// Runs commands one after the other.
class Scenario {
 public:
  Scenario();
  /// Also makes a film of every group, with this title and command.
  explicit Scenario(film::RecordingInfo about);
  ~Scenario();
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// Returns what happens, a line each. A command that cannot be run does nothing but print a line
  /// that begins with "error: ".
  std::string run(std::string_view command);
  /// Sets the caption of the next command in the film.
  void caption(std::string_view text);
  std::vector<film::Builder> take_films();
  /// The film of the present group; null if no films are wanted.
  const film::Builder* film() const { return films_.empty() ? nullptr : &films_.back()->film(); }

  /// Null before there are nodes.
  const ScriptedWorld* world() const { return world_.get(); }

 private:
  void perform(std::string_view command);
  /// Begins the film of another group; null if no films are wanted.
  FilmSink* begin_film(std::string_view algorithm, FilmSink::Cast cast);
  void put_captions();

  std::string out_;
  std::optional<film::RecordingInfo> about_;
  std::vector<std::string> captions_;
  /// On the heap, because worlds keep pointers to them.
  std::vector<std::unique_ptr<FilmSink>> films_;
  /// Writes to the last film until its end.
  std::unique_ptr<ScriptedWorld> world_;
};

/// The script with the outputs that its commands have: equal to the script if everything happens as
/// it says. Any text can be replayed, and replaying the result changes nothing more.
std::string replay(std::string_view script);

/// The first comment line of a script, without its sign.
std::string_view title_of(std::string_view script);

/// A film for each time that the script says `nodes`, with the comments as captions.
std::vector<film::Builder> film_of(std::string_view script, const film::RecordingInfo& about);

/// Whether the first violation that only the actual outputs show is of a safety property.
bool breaks_safety(std::string_view expected, std::string_view actual);

}  // namespace conch::sim
