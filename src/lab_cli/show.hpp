// Shows a page, of the viewer with a film or another: from a small server until somebody interrupts
// it, or in a file.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "film/film.hpp"
#include "http/server.hpp"

namespace conch::lab_cli {

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

// The same for another page.
http::Page page_of(std::string_view html);
void write_page(std::string_view html, const std::string& path);
/// Says that it shows `what`, and where.
void serve_pages(std::map<std::string, http::Page> pages, std::string_view what,
                 const ShowTexts& texts);

}  // namespace conch::lab_cli
