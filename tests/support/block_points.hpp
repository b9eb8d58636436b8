// Points in memory, handed out in blocks of a chosen size by threads of a chosen number: shows that neither matters.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shoal/points.hpp"

namespace shoal::testing {

using Columns = std::vector<std::vector<double>>;

// Returns the first two columns of a file with a header; no rows if the file is not here.
inline Columns read_xy(const std::string& path) {
  std::ifstream file(path);
  Columns columns(2);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t comma = line.find(',');
    columns[0].push_back(std::stod(line.substr(0, comma)));
    columns[1].push_back(std::stod(line.substr(comma + 1)));
  }
  return columns;
}

class BlockPoints : public Points {
 public:
  explicit BlockPoints(Columns columns, std::size_t rows_a_block = 1000)
      : columns_(std::move(columns)), rows_a_block_(rows_a_block) {}

  [[nodiscard]] std::size_t dimensions() const override { return columns_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return std::vector<std::string>(columns_.size()); }

  void scan(unsigned threads, const Visit& visit) override {
    std::vector<std::thread> workers;
    for (unsigned worker = 0; worker < threads; ++worker) {
      workers.emplace_back([this, threads, worker, &visit] {
        const std::size_t rows = columns_.front().size();
        for (std::size_t block = worker; block * rows_a_block_ < rows; block += threads) {
          const std::size_t first = block * rows_a_block_;
          PointBlock points;
          for (const auto& column : columns_) {
            points.columns.push_back(std::span(column).subspan(first, std::min(rows_a_block_, rows - first)));
          }
          visit(worker, points);
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
  }

 private:
  Columns columns_;
  std::size_t rows_a_block_;
};

}  // namespace shoal::testing
