// `conch playground`: the page in which algorithms are run by clicking.
#include <memory>

#include "lab_cli/commands.hpp"
#include "lab_cli/show.hpp"
#include "pages/pages.hpp"

namespace conch::lab_cli {
namespace {

void show_playground(const ShowTexts& texts) {
  std::string_view html = pages::playground();
  if (texts.out) return write_page(html, *texts.out);
  http::Page page = page_of(html);
  page.runs_wasm = true;
  serve_pages({{"/", page}}, "the playground", texts);
}

}  // namespace

void add_playground_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand(
      "playground", "Run an algorithm by clicking, in the browser, until Ctrl-C");
  auto texts = std::make_shared<ShowTexts>();
  command->add_option("--http", texts->at, "Where it serves, as in 127.0.0.1:8080")
      ->capture_default_str();
  command->add_flag("--insecure", texts->insecure, "Serve on other addresses than loopback");
  command->add_option("--out", texts->out, "Write the page to a file instead");
  command->callback([texts] { show_playground(*texts); });
}

}  // namespace conch::lab_cli
