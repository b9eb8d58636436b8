// A connection to an engine, by its ADBC driver.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines/adbc.hpp"

namespace shoal {

enum class Engine { duckdb, postgresql };

class EngineSession;

// The answer to a query, batch by batch.
class EngineResult {
 public:
  EngineResult(EngineSession& session, std::string sql);
  ~EngineResult();
  EngineResult(const EngineResult&) = delete;
  EngineResult& operator=(const EngineResult&) = delete;

  // Sends the query and reads which columns its answer has; once, before all that follows.
  void execute();
  [[nodiscard]] const ArrowSchema& schema() const noexcept { return schema_; }
  // Fetches the next batch, which the caller must release; false after the last. One thread at a time.
  bool next(ArrowArray& batch);
  // From any thread, at any time: what waits for the engine ends soon, with an error.
  void cancel() noexcept;

 private:
  friend class EngineSession;
  void send(ArrowArrayStream* answer);
  template <class Call>
  void read(const Call& call);

  EngineSession& session_;
  std::string sql_;
  AdbcHandle statement_{};
  ArrowArrayStream stream_{};
  ArrowSchema schema_{};
};

class EngineSession {
 public:
  using Options = std::vector<std::pair<const char*, std::string>>;
  using Message = std::function<void(const std::string&)>;

  // Loads the driver and connects. what: the input as it may be named in messages.
  EngineSession(Engine engine, std::string what, const Options& options, Message on_message);
  ~EngineSession();
  EngineSession(const EngineSession&) = delete;
  EngineSession& operator=(const EngineSession&) = delete;

  // A statement without an answer.
  void run(const std::string& sql);

 private:
  friend class EngineResult;
  void close() noexcept;
  // Calls the driver; throws InputError unless it succeeds, also where the driver throws.
  using Call = std::function<AdbcStatus(AdbcError*)>;
  void ask(const Call& call, const std::string& sql = {}) const;
  [[noreturn]] void fail(const AdbcError& error, const std::string& sql) const;
  [[noreturn]] void fail(const std::string& message, const std::string& sql) const;

  Engine engine_;
  std::string what_;
  Message on_message_;
  AdbcDriver driver_{};
  AdbcHandle database_{}, connection_{};
};

// What stands in front of the owner's own SQL in a statement; errors count lines and characters from there.
inline constexpr std::string_view own_sql_mark = "/*own*/\n";

}  // namespace shoal
