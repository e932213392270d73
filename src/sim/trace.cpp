#include "sim/trace.hpp"

#include <array>
#include <cstdio>
#include <ostream>

#include "sim/distribution.hpp"
#include "trace/line.hpp"

namespace conch::sim {

namespace {

class NdjsonSink final : public TraceSink {
 public:
  explicit NdjsonSink(std::ostream& out) : out_(out) {}

  // Details hold no character that JSON would have us escape.
  void write(const TraceEvent& event, const Causality*) override {
    std::string node = std::to_string(event.node);
    std::string peer = event.peer ? std::to_string(*event.peer) : "";
    trace::Line line{event.at.time_since_epoch().count(), event.happening, false, node, peer};
    line.detail = event.detail;
    text_.clear();
    trace::append(text_, line);
    out_ << text_;
  }

 private:
  std::ostream& out_;
  std::string text_;
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
