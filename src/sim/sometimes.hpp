// Counts what runs must have shown to mean something.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "sim/simulation.hpp"

namespace conch::sim {

/// How often each thing happened, by name; zero if it should have happened and did not.
using Sometimes = std::map<std::string, std::uint64_t>;

/// The names of an algorithm's messages, as traces have them.
std::vector<std::string> message_kinds(const CatalogEntry& entry);

/// Every message of an algorithm should be sent in some run.
void count_messages(const CatalogEntry& entry, const std::map<std::string, std::uint64_t>& by_type,
                    Sometimes& sometimes);

/// Counts what the options ask for, and the algorithm's messages.
Sometimes sometimes_of(const Options& options, const Result& result);

void add(Sometimes& sum, const Sometimes& more);

}  // namespace conch::sim
