// Shows a page, such as the viewer with a film: serves it over HTTP until an interrupt, or writes
// it to a file.
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
  /// The file to write as one self-contained page; without `view`, nothing is served.
  std::optional<std::string> out;

  bool wanted() const { return view || out; }
};

/// Adds --view and the options that go with it, for a command that makes a run.
void add_show_options(CLI::App& command, ShowTexts& texts);

/// Serves the film until SIGINT or SIGTERM, or writes the file. Throws if it cannot.
void show(const film::Builder& film, const ShowTexts& texts);

// The same for other pages.
http::Page page_of(std::string_view html);
void write_page(std::string_view html, const std::string& path);
/// Serves the pages until SIGINT or SIGTERM, and prints `what` and the address on stderr.
void serve_pages(std::map<std::string, http::Page> pages, std::string_view what,
                 const ShowTexts& texts);

}  // namespace conch::lab_cli
