#include "lab_cli/show.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>

#include "core/text.hpp"
#include "http/server.hpp"
#include "pages/pages.hpp"

namespace conch::lab_cli {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= count ? digits[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

/// Opens the desktop's browser. Without one, users can open the printed address themselves.
void open_browser(const std::string& url) {
  std::string program = "xdg-open", argument = url;
  char* words[] = {program.data(), argument.data(), nullptr};
  pid_t process = 0;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  int error = ::posix_spawnp(&process, words[0], nullptr, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) fmt::print(stderr, "xdg-open is not installed: open it yourself\n");
}

std::map<std::string, http::Page> pages_of(const film::Builder& film) {
  return {{"/", page_of(pages::viewer())},
          {"/film",
           {.type = "application/octet-stream",
            .text = {},
            .bytes = std::make_shared<const std::string>(film.bytes())}}};
}

}  // namespace

http::Page page_of(std::string_view html) {
  return {.type = "text/html; charset=utf-8",
          .text = {},
          .bytes = std::make_shared<const std::string>(html)};
}

void write_page(std::string_view html, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << html;
  file.close();
  if (!file) throw BadText("cannot write to " + path);
  fmt::print(stderr, "wrote {}\n", path);
}

void serve_pages(std::map<std::string, http::Page> pages, std::string_view what,
                 const ShowTexts& texts) {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  http::HttpOptions options;
  options.listen = texts.at;
  options.insecure = texts.insecure;
  options.patience = std::chrono::minutes(1);
  options.pages = std::move(pages);
  http::HttpServer server(std::move(options));
  std::string url = "http://" + server.address() + "/";
  fmt::print(stderr, "showing {} on {} until Ctrl-C\n", what, url);
  if (texts.open) open_browser(url);
  int which = 0;
  ::sigwait(&signals, &which);
}

void add_show_options(CLI::App& command, ShowTexts& texts) {
  const std::string group = "Viewer (docs/view.md)";
  command.add_flag("--view", texts.view, "Show the run in the browser, until Ctrl-C")->group(group);
  command.add_option("--view-out", texts.out, "Write the viewer with the run to an HTML file")
      ->group(group);
  command
      .add_option("--view-at", texts.at, "Address for --view to serve on, such as 127.0.0.1:8080")
      ->group(group)
      ->capture_default_str();
  command.add_flag("--view-open", texts.open, "Open the browser, by xdg-open")->group(group);
  command.add_flag("--view-insecure", texts.insecure, "Allow addresses other than loopback")
      ->group(group);
}

void show(const film::Builder& film, const ShowTexts& texts) {
  std::string_view page = pages::viewer();
  if (texts.out) write_page(pages::with_data(page, "text/plain", base64(film.bytes())), *texts.out);
  if (texts.view) serve_pages(pages_of(film), "the run", texts);
}

}  // namespace conch::lab_cli
