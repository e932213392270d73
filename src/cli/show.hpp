// Shows a film in the viewer's page: from a small server until somebody interrupts it, or in a
// file.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "film/film.hpp"

namespace conch::cli {

struct ShowTexts {
  bool view = false;
  std::string at = "127.0.0.1:0";
  bool insecure = false;
  bool open = false;
  /// One page with everything in it, instead of a server.
  std::optional<std::string> out;

  bool wanted() const { return view || out; }
};

/// --view and those that go with it, for a command that makes a run.
void add_show_options(CLI::App& command, ShowTexts& texts);

/// Serves until SIGINT or SIGTERM, or writes the file. Throws if the one or the other cannot be.
void show(const film::Builder& film, const ShowTexts& texts);

}  // namespace conch::cli
