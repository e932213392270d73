// Scenarios as films.
#include <algorithm>
#include <utility>

#include "sim/line_diff.hpp"
#include "sim/scenario.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim {

namespace {

/// The text of a comment without its sign.
std::string_view said_by(std::string_view comment) {
  comment.remove_prefix(std::min(comment.find_first_not_of("# "), comment.size()));
  comment.remove_suffix(comment.size() - (comment.find_last_not_of(" \t\r") + 1));
  return comment;
}

/// Runs the commands of a script and leaves out what they should print.
class Projection {
 public:
  explicit Projection(const film::RecordingInfo& about) : scenario_(about), skips_title_(true) {}

  void add(std::string_view line) {
    line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r") + 1));
    if (line.starts_with('#')) return comment(said_by(line));
    conclude_comment();
    if (line.empty()) return void(in_output_ = false);
    if (line == "----") return void(in_output_ = true);
    if (!in_output_) scenario_.run(line);
  }
  std::vector<film::Builder> finish() {
    conclude_comment();
    return scenario_.take_films();
  }

 private:
  /// Lines that follow one another are one comment; the title is in the film already.
  void comment(std::string_view text) {
    in_output_ = false;
    if (std::exchange(skips_title_, false) || text.empty()) return;
    comment_ += (comment_.empty() ? "" : " ") + std::string(text);
  }
  void conclude_comment() {
    if (!comment_.empty()) scenario_.caption(std::exchange(comment_, {}));
  }

  Scenario scenario_;
  bool skips_title_;
  bool in_output_ = false;
  std::string comment_;
};

}  // namespace

Scenario::Scenario() = default;
Scenario::Scenario(film::RecordingInfo about) : about_(std::move(about)) {}
Scenario::~Scenario() = default;

void Scenario::caption(std::string_view text) { captions_.emplace_back(text); }

FilmSink* Scenario::begin_film(std::string_view algorithm, FilmSink::Cast cast) {
  if (!about_) return nullptr;
  film::RecordingInfo about = *about_;
  about.algorithm = algorithm;
  about.family = film::family_of(algorithm);
  about.unit = "step";
  films_.push_back(std::make_unique<FilmSink>(std::move(about), 0, std::move(cast)));
  put_captions();
  return films_.back().get();
}

void Scenario::put_captions() {
  if (films_.empty()) return;
  for (const std::string& text : std::exchange(captions_, {})) films_.back()->film().caption(text);
}

std::vector<film::Builder> Scenario::take_films() {
  world_.reset();
  put_captions();
  std::vector<film::Builder> films;
  for (auto& sink : std::exchange(films_, {})) films.push_back(std::move(sink->film()));
  return films;
}

std::string_view title_of(std::string_view script) {
  for (std::string_view line : lines_of(script))
    if (line.starts_with('#')) return said_by(line);
  return {};
}

std::vector<film::Builder> film_of(std::string_view script, const film::RecordingInfo& about) {
  Projection projection(about);
  for (std::string_view line : lines_of(script)) projection.add(line);
  return projection.finish();
}

}  // namespace conch::sim
