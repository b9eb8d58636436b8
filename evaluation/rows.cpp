#include "evaluation/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

constexpr std::string_view header =
    "dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds,"
    "adjusted_rand,adjusted_rand_truth";
constexpr std::size_t fields = 15;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string optional_text(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

// The fields of a record, and where the next one starts.
std::pair<std::vector<std::string>, std::size_t> record_at(std::string_view csv, std::size_t at) {
  std::vector<std::string> record(1);
  bool in_quotes = false;
  for (; at < csv.size(); ++at) {
    const char c = csv[at];
    if (in_quotes) {
      if (c != '"') {
        record.back() += c;
      } else if (at + 1 < csv.size() && csv[at + 1] == '"') {
        record.back() += csv[++at];
      } else {
        in_quotes = false;
      }
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == ',') {
      record.emplace_back();
    } else if (c == '\n') {
      return {record, at + 1};
    } else if (c != '\r') {
      record.back() += c;
    }
  }
  return {record, at};
}

template <class T>
T number_of(const std::string& text, std::size_t line) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InputError(fmt::format("line {} of the evaluation: '{}' is not a number", line, text));
  }
  return value;
}

std::optional<double> optional_of(const std::string& text, std::size_t line) {
  return text.empty() ? std::optional<double>() : number_of<double>(text, line);
}

// Values of some rows, gathered to be averaged.
struct Gathered {
  Summary summary;
  std::vector<double> k_true, k, clusters_true, clusters, k_error, seconds, dsgc;
  std::vector<std::vector<double>> measured;
  std::vector<std::uint64_t> runs;
};

void gather(Gathered& group, const Row& row) {
  group.k_true.push_back(static_cast<double>(row.k_true));
  group.clusters_true.push_back(static_cast<double>(row.clusters_true));
  group.k.push_back(static_cast<double>(row.k));
  group.clusters.push_back(static_cast<double>(row.clusters));
  group.k_error.push_back(std::fabs(static_cast<double>(row.k) - static_cast<double>(row.k_true)) /
                          static_cast<double>(row.k_true));
  group.seconds.push_back(row.seconds);
  group.dsgc.push_back(row.dsgc);
  group.runs.push_back(row.run);
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (const auto value = measures()[i].read(row)) group.measured[i].push_back(*value);
  }
}

Summary averaged(Gathered& group) {
  Summary& summary = group.summary;
  summary.runs = group.runs.size();
  summary.k_true = static_cast<std::uint64_t>(std::llround(mean_interval(group.k_true).mean));
  summary.clusters_true = static_cast<std::uint64_t>(std::llround(mean_interval(group.clusters_true).mean));
  summary.k = mean_interval(group.k);
  summary.clusters = mean_interval(group.clusters);
  summary.k_error = mean_interval(group.k_error).mean;
  summary.seconds = mean_interval(group.seconds).mean;
  for (const auto& values : group.measured) {
    summary.measured.push_back(values.empty() ? std::optional<Interval>() : mean_interval(values));
  }
  summary.typical_run = group.runs[median_index(group.dsgc)];
  return summary;
}

}  // namespace

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all{
      {"dsgc", "DSG_C", true, [](const Row& row) -> std::optional<double> { return row.dsgc; }},
      {"f_measure", "F-measure", false, [](const Row& row) -> std::optional<double> { return row.f_measure; }},
      {"ocm", "OCM", true, [](const Row& row) { return row.ocm; }},
      {"two_ce", "2CE", true, [](const Row& row) { return row.two_ce; }},
      {"adjusted_rand", "Adjusted Rand", false, [](const Row& row) { return row.adjusted_rand; }},
      {"adjusted_rand_truth", "Adjusted Rand (labels)", false, [](const Row& row) { return row.adjusted_rand_truth; }},
  };
  return all;
}

std::string rows_csv(const std::vector<Row>& rows) {
  std::string text = std::string(header) + '\n';
  for (const Row& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(row.dataset), quoted(row.technique),
                        row.epsilon.text(), row.run, row.k_true, row.k, row.clusters_true, row.clusters, row.dsgc,
                        row.f_measure, optional_text(row.ocm), optional_text(row.two_ce), row.seconds,
                        optional_text(row.adjusted_rand), optional_text(row.adjusted_rand_truth));
  }
  return text;
}

std::vector<Row> read_rows(std::string_view csv) {
  std::vector<Row> rows;
  std::size_t line = 0;
  for (std::size_t at = 0; at < csv.size();) {
    std::vector<std::string> record;
    std::size_t next = 0;
    std::tie(record, next) = record_at(csv, at);
    ++line;
    if (line == 1) {
      if (csv.substr(at, header.size()) != header) {
        throw InputError(fmt::format("this is not an evaluation; the first line should be {}", header));
      }
    } else {
      if (record.size() != fields) {
        throw InputError(fmt::format("line {} of the evaluation has {} fields, not {}", line, record.size(), fields));
      }
      const auto whole = [&](std::size_t field) { return number_of<std::uint64_t>(record[field], line); };
      const auto real = [&](std::size_t field) { return number_of<double>(record[field], line); };
      rows.push_back({record[0], record[1], Epsilon::parse(record[2]), whole(3), whole(4), whole(5), whole(6), whole(7),
                      real(8), real(9), optional_of(record[10], line), optional_of(record[11], line), real(12),
                      optional_of(record[13], line), optional_of(record[14], line)});
    }
    at = next;
  }
  return rows;
}

bool is_measured(const std::vector<Summary>& summaries, std::size_t measure) {
  return std::any_of(summaries.begin(), summaries.end(),
                     [measure](const Summary& summary) { return summary.measured[measure].has_value(); });
}

std::vector<Summary> summarize(const std::vector<Row>& rows) {
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> places;
  std::vector<Gathered> groups;
  for (const Row& row : rows) {
    const auto [place, is_new] = places.try_emplace({row.dataset, row.technique, row.epsilon.units()}, groups.size());
    if (is_new) {
      Gathered group;
      group.measured.resize(measures().size());
      group.summary.dataset = row.dataset;
      group.summary.technique = row.technique;
      group.summary.epsilon = row.epsilon;
      groups.push_back(std::move(group));
    }
    gather(groups[place->second], row);
  }
  std::vector<Summary> summaries;
  for (Gathered& group : groups) summaries.push_back(averaged(group));
  return summaries;
}

}  // namespace shoal::evaluation
