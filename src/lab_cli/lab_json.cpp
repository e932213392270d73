#include "lab_cli/lab_json.hpp"

#include <charconv>
#include <cmath>

namespace conch::lab_cli {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(std::string_view cell) {
  if (cell.empty() || cell == "-") return nullptr;
  std::string_view digits = cell.starts_with('+') ? cell.substr(1) : cell;
  const char* end = digits.data() + digits.size();
  auto is_all = [&](std::from_chars_result result) {
    return result.ec == std::errc{} && result.ptr == end;
  };
  std::int64_t whole = 0;
  if (is_all(std::from_chars(digits.data(), end, whole))) return whole;
  double number = 0;
  if (is_all(std::from_chars(digits.data(), end, number)) && std::isfinite(number)) return number;
  return cell;
}

Json rows_json(const Table& table) {
  Json rows = Json::array();
  for (const auto& cells : table.rows()) {
    Json& row = rows.emplace_back(Json::array());
    for (const std::string& cell : cells) row.push_back(cell_json(cell));
  }
  return rows;
}

Json settings_json(const lab::Experiment& experiment, const lab::Setup& setup) {
  Json settings = Json::object();
  for (const lab::ExperimentOption& setting : experiment.settings) {
    const std::vector<double>& values = setup.settings.at(setting.name);
    Json& json = settings[std::string(setting.name)];
    if (setting.takes_several())
      json = values;
    else
      json = values.front();
  }
  return settings;
}

Json axis_json(const lab::Axis& axis) {
  return {{"label", axis.label},
          {"unit", axis.unit},
          {"log", axis.spacing == lab::Spacing::log},
          {"names", axis.names}};
}

std::string_view word(lab::Whose whose) {
  switch (whose) {
    case lab::Whose::ours: return "ours";
    case lab::Whose::paper: return "paper";
    case lab::Whose::reference: return "reference";
  }
  return "?";
}

std::string_view word(lab::Shape shape) {
  switch (shape) {
    case lab::Shape::lines: return "lines";
    case lab::Shape::bars: return "bars";
    case lab::Shape::steps: return "steps";
  }
  return "?";
}

Json figure_json(const lab::Figure& figure) {
  Json series = Json::array();
  for (const lab::Series& each : figure.series) {
    Json points = Json::array();
    for (const lab::Datum& datum : each.points) points.push_back({datum.x, datum.y, datum.error});
    series.push_back({{"name", each.name}, {"whose", word(each.whose)}, {"points", points}});
  }
  return {{"title", figure.title},    {"of", figure.of},          {"shape", word(figure.shape)},
          {"x", axis_json(figure.x)}, {"y", axis_json(figure.y)}, {"series", series}};
}

Json claim_json(const lab::PaperClaim& claim) {
  return {{"of", claim.of},
          {"says", claim.says},
          {"paper", claim.paper},
          {"ours", claim.ours},
          {"verdict", lab::print(claim.verdict)}};
}

}  // namespace

Json layout_json(const Table& table) {
  Json left = Json::array();
  for (std::size_t i = 0; i < table.columns().size(); ++i) left.push_back(table.left(i));
  Json groups = Json::array();
  for (const auto& [title, columns] : table.groups())
    groups.push_back({{"title", title}, {"columns", columns}});
  return {{"groups", groups}, {"names", table.columns()}, {"left", left}, {"cells", table.rows()}};
}

Json findings_json(const lab::Experiment& experiment, const lab::Setup& setup,
                   const lab::ExperimentResult& findings) {
  Json json;
  json["experiment"] = experiment.name;
  json["about"] = experiment.about;
  json["setting"] = findings.setting;
  json["seeds"] = {setup.seeds.first, setup.seeds.last};
  json["settings"] = settings_json(experiment, setup);
  json["columns"] = findings.table.names();
  json["rows"] = rows_json(findings.table);
  json["claims"] = Json::array();
  for (const lab::PaperClaim& claim : findings.claims) json["claims"].push_back(claim_json(claim));
  json["remarks"] = findings.remarks;
  json["figures"] = Json::array();
  for (const lab::Figure& figure : findings.figures) json["figures"].push_back(figure_json(figure));
  return json;
}

}  // namespace conch::lab_cli
