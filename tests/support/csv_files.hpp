// Files of delimited text for tests, and what reading them gives.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "packed_texts.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"
#include "temporary_folder.hpp"

namespace shoal {

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::vector<std::string> units;
  std::uint64_t skipped = 0;
};

inline Table read(Points& points, unsigned threads = 1) {
  Table table;
  table.names = points.names();
  std::mutex mutex;
  points.scan(threads, [&](unsigned, const PointBlock& block) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(block.columns.size(), points.dimensions());
    for (std::size_t row = 0; row < block.rows(); ++row) {
      table.rows.emplace_back();
      for (const auto& column : block.columns) table.rows.back().push_back(column[row]);
    }
    table.units.insert(table.units.end(), block.units.begin(), block.units.end());
  });
  table.skipped = points.skipped();
  return table;
}

class Csv : public testing::Test {
 protected:
  std::string file(const std::string& contents, const std::string& name = "data.csv") const {
    std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }
  Table read_text(const std::string& contents, const CsvOptions& options = {}, unsigned threads = 1) const {
    return read(*open_csv(file(contents), options), threads);
  }
  // The message of the error that reading gives, without the folder.
  std::string error_of(const std::string& contents, const CsvOptions& options = {}, unsigned threads = 1) const {
    return error_at(file(contents), options, threads);
  }
  std::string error_at(const std::string& path, const CsvOptions& options = {}, unsigned threads = 1) const {
    try {
      read(*open_csv(path, options), threads);
    } catch (const InputError& error) {
      std::string message = error.what();
      if (const auto at = message.find(folder_ + "/"); at != std::string::npos) message.erase(at, folder_.size() + 1);
      return message;
    }
    return "no error";
  }

  const TemporaryFolder own_;
  const std::string folder_ = own_.path();
};

using Rows = std::vector<std::vector<double>>;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace shoal
