#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <limits>
#include <mutex>
#include <thread>

#include "base/parallel.hpp"
#include "engines/engine_layout.hpp"
#include "points/arrow_coordinates.hpp"
#include "shoal/engines.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::int64_t block_rows = 8192;

struct OwnedBatch {
  ArrowArray value{};
  OwnedBatch() = default;
  OwnedBatch(const OwnedBatch&) = delete;
  OwnedBatch& operator=(const OwnedBatch&) = delete;
  ~OwnedBatch() { clear(); }
  void clear() {
    if (value.release != nullptr) value.release(&value);
    value = {};
  }
};

EngineSession::Options session_options(const EngineInput& input) {
  if (input.kind == EngineInput::Kind::postgresql) return {{"uri", input.place}};
  if (input.kind == EngineInput::Kind::duckdb) {
    return {{"path", input.place}, {"access_mode", "READ_ONLY"}, {"temp_directory", ""}};
  }
  return {{"path", ":memory:"}, {"temp_directory", ""}};
}

// What an engine must not do on its own: write, spill, fetch extensions.
std::vector<std::string> first_statements(const EngineInput& input) {
  if (input.engine() == Engine::postgresql) return {"set default_transaction_read_only = on"};
  return {"set autoinstall_known_extensions = false", "set autoload_known_extensions = false",
          "set allow_community_extensions = false", "set temp_directory = ''"};
}

// Extensions of DuckDB that the input needs; they are never fetched.
std::vector<std::string> extensions(const EngineInput& input) {
  std::vector<std::string> names;
  if (input.remote && input.engine() == Engine::duckdb) names.emplace_back("httpfs");
  if (input.kind == EngineInput::Kind::iceberg) names.insert(names.end(), {"avro", "iceberg"});
  return names;
}

// Cancels a query once *stop is true.
class Watcher {
 public:
  Watcher(EngineResult& result, const std::atomic<bool>* stop) : result_(result), stop_(stop) {
    if (stop_ != nullptr) thread_ = std::thread([this] { watch(); });
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_ && !stop_->load()) wake_.wait_for(lock, std::chrono::milliseconds(20));
    if (!done_) result_.cancel();
  }

  EngineResult& result_;
  const std::atomic<bool>* stop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

class EnginePoints final : public Points {
 public:
  EnginePoints(const EngineInput& input, const EngineOptions& options)
      : engine_(input.engine()),
        session_(engine_, engine_input_name(input), session_options(input), options.on_message),
        kinds_(options.kinds),
        has_unit_(options.unit_column.has_value()),
        skip_without_unit_(options.skip_without_unit) {
    for (const std::string& statement : first_statements(input)) session_.run(statement);
    for (const std::string& extension : extensions(input)) load(extension);
    const std::string rows = row_query(input, options);
    EngineResult declared(session_, fmt::format("select * from ({}\n) q limit 0", rows));
    declared.execute();
    const EngineLayout layout(declared.schema(), input, options);
    names_ = layout.names();
    kinds_.resize(names_.size());
    std::vector<std::string> selected;
    for (const std::string& expression : layout.selected()) {
      selected.push_back(fmt::format("{} as c{}", expression, selected.size()));
    }
    sql_ = fmt::format("select {} from ({}\n) q", fmt::join(selected, ", "), rows);
  }

  [[nodiscard]] std::size_t dimensions() const override { return names_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return names_; }
  [[nodiscard]] Taken taken() const override { return {rows_, rows_ * names_.size() * sizeof(double)}; }
  [[nodiscard]] std::uint64_t skipped() const override { return skipped_; }
  void stop_when(const std::atomic<bool>* stop) noexcept override {
    stop_ = stop;
    Points::stop_when(stop);
  }

  void scan(unsigned threads, const Visit& visit) override {
    const unsigned workers = std::max(1U, threads);
    rows_ = skipped_ = 0;
    if (engine_ == Engine::duckdb) session_.run(fmt::format("set threads = {}", workers));
    EngineResult result(session_, sql_);
    const Watcher watcher(result, stop_);
    // A query that was cancelled ends with an error of its own.
    const auto unless_stopped = [&](const auto& work) {
      check_stop();
      try {
        return work();
      } catch (const Error&) {
        check_stop();
        throw;
      }
    };
    unless_stopped([&] { result.execute(); });
    std::mutex mutex;
    bool ended = false;
    parallel_for(workers, workers, [&](std::uint64_t worker) {
      OwnedBatch batch;
      const auto take = [&] {
        const std::lock_guard lock(mutex);
        batch.clear();
        if (ended) return false;
        ended = true;  // unless a batch comes: what is thrown ends the others too
        ended = !unless_stopped([&] { return result.next(batch.value); });
        return !ended;
      };
      Worker reader(*this, static_cast<unsigned>(worker), visit);
      try {
        while (take()) reader.read(result.schema(), batch.value);
      } catch (...) {
        const std::lock_guard lock(mutex);
        ended = true;
        throw;
      }
    });
  }

 private:
  void load(const std::string& extension) {
    try {
      session_.run(fmt::format("load {}", extension));
    } catch (const InputError&) {
      throw InputError(fmt::format(
          "this input needs DuckDB's extension {}, which is not installed; docs/engines.md says how", extension));
    }
  }

  // What one thread makes blocks of batches with.
  class Worker {
   public:
    Worker(EnginePoints& points, unsigned worker, const Visit& visit)
        : points_(points), worker_(worker), visit_(visit), copies_(points.names_.size()) {}

    void read(const ArrowSchema& schema, const ArrowArray& batch) {
      for (std::int64_t first = 0; first < batch.length; first += block_rows) {
        points_.check_stop();
        const std::int64_t rows = std::min(block_rows, batch.length - first);
        const auto column = [&](std::size_t i) -> ArrowColumn {
          const ArrowArray& array = *batch.children[i];
          return {*schema.children[i], array, array.offset + batch.offset + first, rows};
        };
        block_.columns.clear();
        for (std::size_t i = 0; i < copies_.size(); ++i) {
          block_.columns.push_back(arrow_coordinates(column(i), points_.kinds_[i], copies_[i]));
        }
        if (points_.has_unit_) read_units(column(copies_.size()));
        points_.rows_ += static_cast<std::uint64_t>(rows);
        visit_(worker_, block_);
      }
    }

   private:
    void read_units(const ArrowColumn& column) {
      const auto rows = static_cast<std::size_t>(column.length);
      digits_.resize(rows);
      units_.resize(rows);
      for (std::size_t row = 0; row < rows; ++row) {
        units_[row] = unit_key(arrow_unit(column, static_cast<std::int64_t>(row), digits_[row]));
        if (units_[row].empty() && points_.skip_without_unit_) skip(row);
      }
      block_.units = units_;
    }

    // It keeps its place, and lies in no cell.
    void skip(std::size_t row) {
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        if (block_.columns[i].data() != copies_[i].data()) {
          copies_[i].assign(block_.columns[i].begin(), block_.columns[i].end());
          block_.columns[i] = copies_[i];
        }
        copies_[i][row] = std::numeric_limits<double>::quiet_NaN();
      }
      ++points_.skipped_;
    }

    EnginePoints& points_;
    unsigned worker_;
    const Visit& visit_;
    std::vector<std::vector<double>> copies_;
    std::vector<std::array<char, 24>> digits_;
    std::vector<std::string_view> units_;
    PointBlock block_;
  };

  Engine engine_;
  EngineSession session_;
  std::string sql_;
  std::vector<std::string> names_;
  std::vector<AxisKind> kinds_;
  bool has_unit_, skip_without_unit_;
  const std::atomic<bool>* stop_ = nullptr;
  std::atomic<std::uint64_t> rows_ = 0, skipped_ = 0;
};

}  // namespace

std::unique_ptr<Points> open_engine(const std::string& input, const EngineOptions& options) {
  const EngineInput found = engine_input(input);
  if (found.remote) check_address(found.place);
  for (const std::string& file : engine_files(input)) {
    if (!std::filesystem::exists(file)) throw InputError(fmt::format("cannot read '{}': there is no such file", file));
  }
  if (found.kind == EngineInput::Kind::json_lines && options.columns.empty()) {
    throw InputError("JSON lines declare no columns; name them with --columns");
  }
  return std::make_unique<EnginePoints>(found, options);
}

}  // namespace shoal
