#include "sim/trace.hpp"

#include <array>
#include <cstdio>
#include <ostream>

#include "sim/distribution.hpp"

namespace conch::sim {

std::string_view word(Happening happening) {
  switch (happening) {
    case Happening::request: return "request";
    case Happening::enter: return "enter";
    case Happening::exit: return "exit";
    case Happening::cancel: return "cancel";
    case Happening::withdrawn: return "withdrawn";
    case Happening::send: return "send";
    case Happening::receive: return "receive";
    case Happening::lose: return "lose";
    case Happening::duplicate: return "duplicate";
    case Happening::tell: return "tell";
    case Happening::told: return "told";
    case Happening::join: return "join";
    case Happening::joined: return "joined";
    case Happening::leave: return "leave";
    case Happening::left: return "left";
    case Happening::crash: return "crash";
    case Happening::restart: return "restart";
    case Happening::pause: return "pause";
    case Happening::resume: return "resume";
    case Happening::suspect: return "suspect";
    case Happening::partition: return "partition";
    case Happening::heal: return "heal";
    case Happening::elect: return "elect";
    case Happening::elected: return "elected";
    case Happening::retire: return "retire";
  }
  return "?";
}

namespace {

class NdjsonSink final : public TraceSink {
 public:
  explicit NdjsonSink(std::ostream& out) : out_(out) {}

  // Details hold no character that JSON would have us escape.
  void write(const TraceEvent& event, const Causality*) override {
    out_ << R"({"at":)" << event.at.time_since_epoch().count() << R"(,"event":")"
         << word(event.happening) << R"(","node":)" << event.node;
    if (event.peer) out_ << R"(,"peer":)" << *event.peer;
    if (!event.detail.empty()) out_ << R"(,"detail":")" << event.detail << '"';
    out_ << "}\n";
  }

 private:
  std::ostream& out_;
};

class ShivizSink final : public TraceSink {
 public:
  explicit ShivizSink(std::ostream& out) : out_(out) {
    out_ << "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";
  }

  bool wants_clocks() const override { return true; }
  void write(const TraceEvent& event, const Causality* clocks) override {
    out_ << event.node << " {";
    const Causality::Clock& clock = clocks->at(event.node);
    for (Node node = 0, written = 0; node < clock.size(); ++node) {
      if (clock[node] == 0) continue;
      out_ << (written++ > 0 ? "," : "") << '"' << node << "\":" << clock[node];
    }
    out_ << "}\n" << word(event.happening);
    if (event.peer) out_ << (sends(event.happening) ? " -> " : " <- ") << *event.peer;
    if (!event.detail.empty()) out_ << ' ' << event.detail;
    out_ << " at " << print_duration(event.at.time_since_epoch()) << '\n';
  }

 private:
  static bool sends(Happening happening) {
    return happening == Happening::send || happening == Happening::tell;
  }

  std::ostream& out_;
};

}  // namespace

std::unique_ptr<TraceSink> ndjson_sink(std::ostream& out) {
  return std::make_unique<NdjsonSink>(out);
}

std::unique_ptr<TraceSink> shiviz_sink(std::ostream& out) {
  return std::make_unique<ShivizSink>(out);
}

std::unique_ptr<TraceSink> sink_for(std::string_view file, std::ostream& out) {
  for (std::string_view ending : {".shiviz", ".log"})
    if (file.ends_with(ending)) return shiviz_sink(out);
  for (std::string_view ending : {".json", ".ndjson", ".jsonl"})
    if (file.ends_with(ending)) return ndjson_sink(out);
  throw BadText("\"" + std::string(file) +
                "\" is not a trace file: end it in .ndjson or .json for one JSON object a line, "
                "or in .shiviz or .log for ShiViz");
}

std::string TraceHash::hex() const {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash_.value()));
  return digits.data();
}

}  // namespace conch::sim
