// The playground as functions that a page calls (web/src/playground/module.ts). The page writes a
// text to the buffer of `conch_argument`; the answer of a call stays at `conch_answer` until the
// next call.
#include <cstdint>
#include <string>

#include "playground/playground.hpp"
#include "sim/scenario.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

conch::playground::Playground& playground() {
  static conch::playground::Playground one;
  return one;
}
std::string argument;
std::string answer;

}  // namespace

EXPORT(conch_argument) char* conch_argument(std::uint32_t bytes) {
  argument.resize(bytes);
  return argument.data();
}
EXPORT(conch_answer) const char* conch_answer() { return answer.data(); }
EXPORT(conch_answer_size) std::uint32_t conch_answer_size() {
  return static_cast<std::uint32_t>(answer.size());
}

EXPORT(conch_begin) void conch_begin() { playground().begin(); }
EXPORT(conch_run) void conch_run() { answer = playground().run(argument); }
EXPORT(conch_draw) void conch_draw(std::uint32_t seed, std::uint32_t lively) {
  answer = playground().draw({.seed = seed, .lively = lively != 0});
}
EXPORT(conch_sight) void conch_sight() { answer = playground().sight(); }
EXPORT(conch_film) void conch_film() { answer = playground().film(); }
EXPORT(conch_events) std::uint32_t conch_events() {
  return static_cast<std::uint32_t>(playground().events());
}
EXPORT(conch_catalog) void conch_catalog() { answer = conch::playground::catalog(); }
EXPORT(conch_replay) void conch_replay() { answer = conch::sim::replay(argument); }
