// A statement about a release for a reader who decides whether it may be published, such as a lawyer. It says in plain
// words who is protected, what can be learnt at most, what was public, what was spent and what is not promised.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal {

// The entry of a ledger that was charged for a release, and the account that it belongs to.
struct RecordedCharge {
  std::string ledger;  // The name of the file.
  std::string dataset;
  std::uint64_t entry = 0;
  std::string time;  // UTC, in ISO 8601.
  Epsilon cap, spent;
  std::uint64_t entries = 0;  // The number of entries of the whole ledger.
  std::string head;           // Hash of the last entry of the ledger.
};

struct StatementTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

// A heading with paragraphs, then a table, then a list of points. Any of them may be missing.
struct StatementSection {
  std::string heading;
  std::vector<std::string> paragraphs;
  StatementTable table = {};
  std::vector<std::string> points = {};
};

// All texts are plain, without markup.
struct PrivacyStatement {
  std::string file;    // The name of the release file.
  std::string digest;  // SHA-256 of the file, in hexadecimal.
  Epsilon epsilon;
  std::string most_sure;  // In percent, rounded up, for someone who guessed at 50 % before.
  bool is_weak = false;
  std::vector<std::pair<std::string, std::string>> facts;  // Name and value, for the head of the page.
  std::vector<StatementSection> sections;
};

// Throws if the release is not private: then there is nothing to promise.
PrivacyStatement statement_of(const ReleaseSet& release, const std::string& file, const std::string& digest,
                              const std::optional<RecordedCharge>& charge);

// Returns the statement as plain text in lines of at most 80 characters, except where a word is longer.
std::string statement_text(const PrivacyStatement& statement);
// Returns one self-contained page without scripts, for the screen and for paper.
std::string statement_html(const PrivacyStatement& statement);

}  // namespace shoal
