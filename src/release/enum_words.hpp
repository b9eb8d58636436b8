// The words that files and reports use for enumerations.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "shoal/release.hpp"

namespace shoal {

template <class Value, std::size_t count>
using Words = std::array<std::pair<Value, std::string_view>, count>;

inline constexpr Words<Adjacency, 2> adjacency_words{{{Adjacency::full, "full"}, {Adjacency::face, "face"}}};
inline constexpr Words<Transform, 2> transform_words{
    {{Transform::decimated, "decimated"}, {Transform::stationary, "stationary"}}};
inline constexpr Words<Neighbors, 2> neighbors_words{
    {{Neighbors::add_remove, "add-remove"}, {Neighbors::replace, "replace"}}};
inline constexpr Words<Question, 2> question_words{
    {{Question::nonpositive, "nonpositive"}, {Question::threshold, "threshold"}}};
inline constexpr Words<KSource, 6> k_source_words{{{KSource::rule, "rule"},
                                                   {KSource::nonpositive, "nonpositive"},
                                                   {KSource::profile, "profile"},
                                                   {KSource::threshold, "threshold"},
                                                   {KSource::scaled, "scaled"},
                                                   {KSource::negatives, "negatives"}}};

// The fields of a publication, by their names in files.
inline constexpr std::array<std::pair<const char*, std::string Publication::*>, 4> publication_fields{
    {{"title", &Publication::title},
     {"source", &Publication::source},
     {"date", &Publication::date},
     {"contact", &Publication::contact}}};

inline constexpr Words<Border, 2> border_words{{{Border::circle, "circle"}, {Border::apart, "apart"}}};
inline constexpr Words<Instants::Least, 3> least_words{
    {{Instants::Least::second, "second"}, {Instants::Least::day, "day"}, {Instants::Least::month, "month"}}};

template <class Value, std::size_t count>
constexpr std::string_view word(const Words<Value, count>& words, Value value) {
  for (const auto& [candidate, text] : words) {
    if (candidate == value) return text;
  }
  return {};
}

template <class Value, std::size_t count>
constexpr std::optional<Value> meaning(const Words<Value, count>& words, std::string_view text) {
  for (const auto& [value, candidate] : words) {
    if (candidate == text) return value;
  }
  return std::nullopt;
}

}  // namespace shoal
