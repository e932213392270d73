// Tests `conch sim` with the protocols that run over an overlay.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli_run.hpp"

namespace cli_overlay_test {

using namespace shell;
using nlohmann::json;

TEST(CliOverlay, SimulatesProtocolsOverAnOverlay) {
  std::string command = "sim end-to-end --dht chord --weather stormy --replicas 5 --seed 3 --json";
  Outcome outcome = conch_out(command);
  json run = json::parse(outcome.out);
  EXPECT_EQ(run["dht"], "chord");
  EXPECT_GT(run["entries"], 0);
  EXPECT_EQ(conch_out(command).out, outcome.out);
  EXPECT_NE(
      conch("sim sigma --weather shaky --seeds 1..4").out.find("4 runs (seeds 1..4): 0 failed"),
      std::string::npos);
}

TEST(CliOverlay, ALongPartitionOfAnOverlayHasTwoHolders) {
  Outcome outcome = conch("sim end-to-end --weather parted --seed 2");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("CANNOT REACH THE OTHERS"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("ME1 broken"), std::string::npos);
  EXPECT_NE(outcome.out.find("repeat: conch sim end-to-end --weather parted --seed 2\n"),
            std::string::npos);
  EXPECT_EQ(conch("sim end-to-end --weather parted --apart 2s --seed 2").status, 0);
}

TEST(CliOverlay, RunsOfAnOverlayAreTallied) {
  Outcome outcome = conch_out(
      "sim end-to-end --weather stormy --mishaps crashes=0,pauses=0,joins=1 --requests 4 "
      "--seeds 1..20 --threads 1 --json");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  json runs = json::parse(outcome.out);
  EXPECT_EQ(runs["runs"], 20);
  EXPECT_EQ(runs["asked"], 80);
  EXPECT_EQ(runs["crashed"], 0);
  EXPECT_EQ(runs["failed_seeds"], json::array());
  EXPECT_GT(runs["messages"]["total"], 0);
  EXPECT_GT(runs["sometimes"]["REQUEST is sent"], 0);
  EXPECT_FALSE(runs["sometimes"].contains("a holder or a waiter crashes"));
}

TEST(CliOverlay, WhatAnOverlayCannotDoIsRefused) {
  expect_refused("sim sigma --weather foul", "--weather: the weather is calm, crowded");
  expect_refused("sim sigma --dht can", "--dht: \"can\" is none of pastry, chord");
  expect_refused("sim sigma --weather stormy --mishaps floods=1", "is not a number of resets");
  expect_refused("sim sigma --mishaps crashes=1", "has no leases, so no node may fail");
  expect_refused("sim sigma --lose 1%", "--weather says what goes wrong");
  expect_refused("sim sigma --apart 1s", "--apart needs --weather parted");
  expect_refused("sim sigma --without nothing", "--without: \"nothing\" is none of");
  expect_refused("sim sigma --trace out.json", "end the file name in .ndjson, or in .txt");
  expect_refused("sim central --weather calm", "--weather: central does not run over an overlay");
}

}  // namespace cli_overlay_test
