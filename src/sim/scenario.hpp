// Scripts in which nothing happens unless they say so, with what they print written below each
// step. docs/simulator.md describes the verbs; tests/scenarios/ is full of examples.
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
  /// Makes a film of every group; its title and command are these.
  explicit Scenario(film::About about);
  ~Scenario();
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// What happens, a line each. A command that cannot be run does nothing but print a line that
  /// begins with "error: ".
  std::string run(std::string_view command);
  /// For the next command, in the film.
  void caption(std::string_view text);
  std::vector<film::Builder> take_films();
  /// Of the group that there is; nothing if there is to be none.
  const film::Builder* film() const { return films_.empty() ? nullptr : &films_.back()->film(); }

  /// Nothing before there are nodes.
  const ScriptedWorld* world() const { return world_.get(); }

 private:
  void perform(std::string_view command);
  /// Of another group; nothing if there is to be none.
  FilmSink* begin_film(std::string_view algorithm, FilmSink::Cast cast);
  void put_captions();

  std::string out_;
  std::optional<film::About> about_;
  std::vector<std::string> captions_;
  /// Where they are while worlds write to them.
  std::vector<std::unique_ptr<FilmSink>> films_;
  /// Writes to the last film until its end.
  std::unique_ptr<ScriptedWorld> world_;
};

/// The script with the outputs that its commands have: equal to the script if everything happens as
/// it says. Any text can be replayed, and replaying the result changes nothing more.
std::string replay(std::string_view script);

/// What stands in the first comment of a script, up to the end of its line.
std::string_view title_of(std::string_view script);

/// A film for each time that the script says `nodes`, with the comments as captions.
std::vector<film::Builder> film_of(std::string_view script, const film::About& about);

/// Whether the first violation that only the actual outputs show is of a safety property.
bool breaks_safety(std::string_view expected, std::string_view actual);

}  // namespace conch::sim
