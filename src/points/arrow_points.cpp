#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "points/arrow_batches.hpp"
#include "points/arrow_condition.hpp"
#include "points/arrow_coordinates.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {

namespace {

class ArrowPoints final : public Points {
 public:
  ArrowPoints(ArrowArrayStream& stream, const ArrowOptions& options) : names_(options.columns) {
    if (stream.release == nullptr) throw InputError("this Arrow stream was already read");
    stream_ = std::exchange(stream, {});
    try {
      check(stream_.get_schema(&stream_, &schema_));
      if (std::string_view(schema_.format) != "+s") throw InputError("an Arrow stream of tables is needed");
      batches_.emplace(places(options));
    } catch (...) {
      close();
      throw;
    }
  }
  ~ArrowPoints() override { close(); }
  ArrowPoints(const ArrowPoints&) = delete;
  ArrowPoints& operator=(const ArrowPoints&) = delete;

  [[nodiscard]] std::size_t dimensions() const override { return names_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return names_; }
  [[nodiscard]] Taken taken() const override {
    return {batches_->rows(), batches_->rows() * names_.size() * sizeof(double)};
  }

  void scan(unsigned threads, const Visit& visit) override {
    if (std::exchange(used_, true)) throw InputError("an Arrow stream can be read only once; make a new one");
    batches_->scan(
        threads, schema_,
        [this](ArrowArray& batch) {
          check_stop();
          check(stream_.get_next(&stream_, &batch));
          return batch.release != nullptr;
        },
        [this] { check_stop(); }, visit);
  }

 private:
  // A producer's own message may hold values.
  static void check(int failed) {
    if (failed != 0) throw InputError(fmt::format("the Arrow stream cannot be read: {}", std::strerror(failed)));
  }

  [[nodiscard]] std::size_t place(const std::string& name) const {
    std::optional<std::size_t> found;
    for (std::int64_t i = 0; i < schema_.n_children; ++i) {
      const char* const other = schema_.children[i]->name;
      if (other == nullptr || name != other) continue;
      if (found) throw InputError(fmt::format("the Arrow stream has more than one column '{}'", name));
      found = static_cast<std::size_t>(i);
    }
    if (!found) throw InputError(fmt::format("the Arrow stream has no column '{}'", name));
    return *found;
  }

  [[nodiscard]] ArrowPlaces places(const ArrowOptions& options) const {
    if (names_.empty()) throw InputError("points need at least one column");
    ArrowPlaces result{.columns = {}, .kinds = options.kinds};
    result.kinds.resize(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      result.columns.push_back(place(names_[i]));
      if (const auto misfit = arrow_misfit(*schema_.children[result.columns[i]], result.kinds[i])) {
        throw InputError(fmt::format("column '{}' of the Arrow stream {}", names_[i], *misfit));
      }
    }
    if (!options.where.empty()) {
      const Condition condition(options.where);
      std::vector<ConditionKind> kinds;
      for (const std::string& name : condition.columns()) {
        result.condition_columns.push_back(place(name));
        kinds.push_back(
            arrow_condition_kind(*schema_.children[result.condition_columns.back()], name, "the Arrow stream"));
      }
      result.condition.emplace(condition, std::move(kinds));
    }
    if (!options.unit_column) return result;
    result.unit = place(*options.unit_column);
    const ArrowSchema& unit = *schema_.children[*result.unit];
    const std::string_view format = (unit.dictionary == nullptr ? unit : *unit.dictionary).format;
    if (!is_arrow_text(format) && !is_arrow_whole(format)) {
      throw InputError(
          fmt::format("column '{}' cannot tell units apart: give text or whole numbers", *options.unit_column));
    }
    return result;
  }

  void close() noexcept {
    if (schema_.release != nullptr) schema_.release(&schema_);
    if (stream_.release != nullptr) stream_.release(&stream_);
  }

  std::vector<std::string> names_;
  ArrowArrayStream stream_{};
  ArrowSchema schema_{};
  std::optional<ArrowBatches> batches_;
  bool used_ = false;
};

}  // namespace

std::unique_ptr<Points> arrow_points(void* stream, const ArrowOptions& options) {
  return std::make_unique<ArrowPoints>(*static_cast<ArrowArrayStream*>(stream), options);
}

}  // namespace shoal
