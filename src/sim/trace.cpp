#include "sim/trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <utility>

#include "sim/distribution.hpp"
#include "trace/line.hpp"

namespace conch::sim {

namespace {

class NdjsonSink final : public TraceSink {
 public:
  NdjsonSink(std::ostream& out, std::string_view algorithm)
      : out_(out), states_(!algorithm.empty()), algorithm_(algorithm) {}

  bool wants_states() const override { return states_; }
  // Details hold no character that JSON must escape.
  void write(const TraceEvent& event, const Causality*) override {
    std::string node = std::to_string(event.node);
    std::string peer = event.peer ? std::to_string(*event.peer) : "";
    trace::Line line{event.at.time_since_epoch().count(), event.happening, false, node, peer};
    line.detail = event.detail;
    std::string algorithm = std::exchange(algorithm_, {});
    line.algorithm = algorithm;
    std::string room;
    if (states_ && is_news(event)) line.state = trace::escaped(event.state, room);
    text_.clear();
    trace::append(text_, line);
    out_ << text_;
  }

 private:
  bool is_news(const TraceEvent& event) {
    if (last_.size() <= event.node) last_.resize(event.node + 1);
    bool changed = last_[event.node] != event.state;
    if (changed) last_[event.node] = event.state;
    return changed;
  }

  std::ostream& out_;
  bool states_;
  std::string algorithm_;
  /// By node: its state as it was last written.
  std::vector<std::string> last_;
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

std::unique_ptr<TraceSink> ndjson_sink(std::ostream& out, std::string_view algorithm) {
  return std::make_unique<NdjsonSink>(out, algorithm);
}

std::unique_ptr<TraceSink> shiviz_sink(std::ostream& out) {
  return std::make_unique<ShivizSink>(out);
}

std::unique_ptr<TraceSink> sink_for(std::string_view file, std::ostream& out,
                                    std::string_view algorithm) {
  for (std::string_view ending : {".shiviz", ".log"})
    if (file.ends_with(ending)) return shiviz_sink(out);
  for (std::string_view ending : {".json", ".ndjson", ".jsonl"})
    if (file.ends_with(ending)) return ndjson_sink(out, algorithm);
  throw BadText("\"" + std::string(file) +
                "\" is not a trace file: end it in .ndjson or .json for one JSON object a line, "
                "or in .shiviz or .log for ShiViz");
}

void TwoSinks::write(const TraceEvent& event, const Causality* clocks) {
  for (TraceSink* sink : sinks_)
    if (sink != nullptr) sink->write(event, clocks);
}

bool TwoSinks::wants_clocks() const {
  auto wants = [](TraceSink* sink) { return sink != nullptr && sink->wants_clocks(); };
  return std::any_of(sinks_.begin(), sinks_.end(), wants);
}

bool TwoSinks::wants_states() const {
  auto wants = [](TraceSink* sink) { return sink != nullptr && sink->wants_states(); };
  return std::any_of(sinks_.begin(), sinks_.end(), wants);
}

void TwoSinks::begin(Node node, const std::string& state) {
  for (TraceSink* sink : sinks_)
    if (sink != nullptr) sink->begin(node, state);
}

void TwoSinks::violate(const Violation& violation) {
  for (TraceSink* sink : sinks_)
    if (sink != nullptr) sink->violate(violation);
}

std::string TraceHash::hex() const {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash_.value()));
  return digits.data();
}

}  // namespace conch::sim
