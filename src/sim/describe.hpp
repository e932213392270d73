// Readable texts of a group's messages, questions and values.
#pragma once

#include <map>
#include <string>

#include "catalog/catalog.hpp"
#include "recovery/messages.hpp"
#include "recovery/register_talk.hpp"

namespace conch::sim {

/// Prints a view as its number, and a lock's message with its fields.
std::string describe(const CatalogEntry& algorithm, const recovery::Message& message);
std::string describe(const recovery::Question& question);

/// The fields of a value, by name.
std::map<std::string, std::string> fields_of(const CatalogEntry& algorithm,
                                             const recovery::Value& value);

}  // namespace conch::sim
