#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <thread>

#include "engines/engine_layout.hpp"
#include "engines/one_schema.hpp"
#include "points/arrow_batches.hpp"
#include "shoal/engines.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

EngineSession::Options session_options(const EngineInput& input) {
  if (input.kind == EngineInput::Kind::postgresql) return {{"uri", input.place}};
  if (input.kind == EngineInput::Kind::duckdb) {
    return {{"path", input.place}, {"access_mode", "READ_ONLY"}, {"temp_directory", ""}};
  }
  return {{"path", ":memory:"}, {"temp_directory", ""}};
}

// What an engine must not do on its own: write, spill, fetch extensions. With a database file DuckDB opens no other
// file: a table is one of the database, never the name of a file.
std::vector<std::string> first_statements(const EngineInput& input) {
  if (input.engine() == Engine::postgresql) return {"set default_transaction_read_only = on"};
  std::vector<std::string> statements = {
      "set autoinstall_known_extensions = false", "set autoload_known_extensions = false",
      "set allow_community_extensions = false", "set temp_directory = ''", "set enable_external_file_cache = false"};
  if (input.kind == EngineInput::Kind::duckdb) statements.emplace_back("set enable_external_access = false");
  return statements;
}

// Extensions of DuckDB that the input needs; they are never fetched.
std::vector<std::string> extensions(const EngineInput& input) {
  std::vector<std::string> names;
  if (input.remote && input.engine() == Engine::duckdb) names.emplace_back("httpfs");
  if (input.kind == EngineInput::Kind::iceberg) names.insert(names.end(), {"avro", "iceberg"});
  return names;
}

// What every session begins with.
void begin(EngineSession& session, const EngineInput& input) {
  for (const std::string& statement : first_statements(input)) session.run(statement);
  for (const std::string& extension : extensions(input)) {
    try {
      session.run(fmt::format("load {}", extension));
    } catch (const InputError&) {
      throw InputError(fmt::format(
          "this input needs DuckDB's extension {}, which is not installed; docs/engines.md says how", extension));
    }
  }
}

// SCHEMA.NAME of the table in quotes, as the catalogue has it; empty if none is asked for.
std::string found_table(EngineSession& session, const EngineInput& input, const EngineOptions& options) {
  if (options.table.empty()) return {};
  EngineResult result(session, catalogue_query(options.table, input.engine()));
  result.execute();
  std::string found;
  for (ArrowArray batch{}; result.next(batch); batch.release(&batch)) {
    if (batch.length == 0 || !found.empty()) continue;
    const auto text = [&](int i) {
      const ArrowArray& column = *batch.children[i];
      return arrow_text({*result.schema().children[i], column, column.offset + batch.offset, 1}, 0);
    };
    found = fmt::format("{}.{}", quoted_name(text(0)), quoted_name(text(1)));
  }
  if (!found.empty()) return found;
  throw InputError(
      fmt::format("there is no such table in {}; check --table, also its upper and lower case",
                  input.kind == EngineInput::Kind::postgresql ? "the database" : engine_input_name(input)));
}

// A query whose answer has no row, but the columns.
std::string without_rows(const std::string& rows) { return fmt::format("select * from ({}\n) q limit 0", rows); }

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

class EnginePoints final : public Points, public OrderedScan {
 public:
  EnginePoints(const EngineInput& input, const EngineOptions& options)
      : engine_(input.engine()),
        has_order_(options.sql.empty()),
        session_(engine_, engine_input_name(input), session_options(input), options.on_message) {
    begin(session_, input);
    check_one_schema(session_, input);
    const std::string rows = row_query(input, options, found_table(session_, input, options));
    EngineResult declared(session_, without_rows(rows));
    declared.execute();
    const EngineLayout layout(declared.schema(), input, options);
    names_ = layout.names();
    ArrowPlaces places{.columns = std::vector<std::size_t>(names_.size()), .kinds = options.kinds};
    std::iota(places.columns.begin(), places.columns.end(), 0U);
    places.kinds.resize(names_.size());
    places.missing = options.missing;
    if (options.unit_column) places.unit = names_.size();
    places.skip_without_unit = options.skip_without_unit;
    places.condition = layout.condition();
    for (std::size_t i = names_.size() + (places.unit ? 1 : 0); i < layout.selected().size(); ++i) {
      places.condition_columns.push_back(i);
    }
    batches_.emplace(std::move(places));
    std::vector<std::string> selected;
    for (const std::string& expression : layout.selected()) {
      selected.push_back(fmt::format("{} as c{}", expression, selected.size()));
    }
    sql_ = fmt::format("select {} from ({}\n) q{}", fmt::join(selected, ", "), rows,
                       layout.filter().empty() ? "" : " where " + layout.filter());
  }

  [[nodiscard]] std::size_t dimensions() const override { return names_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return names_; }
  [[nodiscard]] Taken taken() const override {
    return {batches_->rows(), batches_->rows() * names_.size() * sizeof(double)};
  }
  [[nodiscard]] std::uint64_t skipped() const override { return batches_->skipped(); }
  void stop_when(const std::atomic<bool>* stop) noexcept override {
    stop_ = stop;
    Points::stop_when(stop);
  }

  void scan(unsigned threads, const Visit& visit) override { read(threads, threads, visit, nullptr); }

  // DuckDB keeps the order of a table or a file on several threads. A query may join or group: its rows come in the
  // same order every time only if one thread runs it.
  void scan_in_order(unsigned threads, const Visit& visit, const HandOver& hand_over) override {
    read(has_order_ ? threads : 1, threads, visit, &hand_over);
  }

 private:
  void read(unsigned engine_threads, unsigned threads, const Visit& visit, const HandOver* hand_over) {
    if (engine_ == Engine::duckdb) session_.run(fmt::format("set threads = {}", std::max(1U, engine_threads)));
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
    batches_->scan(
        threads, result.schema(), [&](ArrowArray& batch) { return unless_stopped([&] { return result.next(batch); }); },
        [this] { check_stop(); }, visit, hand_over);
  }

  Engine engine_;
  bool has_order_;  // the rows come from a table or files, not from --sql
  EngineSession session_;
  std::string sql_;
  std::vector<std::string> names_;
  std::optional<ArrowBatches> batches_;
  const std::atomic<bool>* stop_ = nullptr;
};

EngineInput readable(const std::string& input, const EngineOptions& options) {
  EngineInput found = engine_input(input);
  check_options(found, options);
  if (found.remote) check_address(found.place);
  for (const std::string& file : engine_files(input)) {
    if (!std::filesystem::exists(file)) throw InputError(fmt::format("cannot read '{}': there is no such file", file));
  }
  return found;
}

}  // namespace

std::vector<EngineColumn> engine_columns(const std::string& input, const EngineOptions& options) {
  const EngineInput found = readable(input, options);
  EngineSession session(found.engine(), engine_input_name(found), session_options(found), options.on_message);
  begin(session, found);
  check_one_schema(session, found);
  const std::string table = found_table(session, found, options);
  EngineResult declared(session, without_rows(row_query(found, options, table)));
  declared.execute();
  return declared_columns(declared.schema());
}

std::unique_ptr<Points> open_engine(const std::string& input, const EngineOptions& options) {
  return std::make_unique<EnginePoints>(readable(input, options), options);
}

}  // namespace shoal
