// `conch playground`: serves or writes the page in which users run algorithms by clicking.
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
  CLI::App* command =
      app.add_subcommand("playground", "Step through an algorithm in the browser, until Ctrl-C");
  auto texts = std::make_shared<ShowTexts>();
  command->add_option("--http", texts->at, "Address to serve it on, such as 127.0.0.1:8080")
      ->capture_default_str();
  command->add_flag("--insecure", texts->insecure, "Allow addresses other than loopback");
  command->add_option("--out", texts->out, "Write the page to this file instead");
  command->callback([texts] { show_playground(*texts); });
}

}  // namespace conch::lab_cli
