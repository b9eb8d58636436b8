#include <fmt/format.h>

#include "points/csv_layout.hpp"
#include "points/csv_rows.hpp"
#include "points/text_points.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {

namespace {
class CsvPoints final : public TextPoints {
 public:
  CsvPoints(const std::string& path, const CsvOptions& options)
      : TextPoints({.paths = {path},
                    .too_long = "check that the file is delimited text and that every quote is closed",
                    .on_bad_row = options.on_bad_row,
                    .on_bad_line = options.on_bad_line,
                    .block_bytes = options.block_bytes}) {
    const std::string& name = cutter().source().name();
    try {
      const std::string_view head = cutter().head([&](std::string_view text) { return holds_record(text, options); });
      layout_ = find_layout(head, cutter().at_end(), options, name);
    } catch (const TextFault& fault) {
      throw InputError(fmt::format("{}, line 1{}", name, fault.what));
    }
  }

  [[nodiscard]] std::size_t dimensions() const override { return layout_.columns; }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names(layout_.columns);
    if (!layout_.known_header) return names;
    for (std::size_t field = 0; field < layout_.field_names.size(); ++field) {
      const int column = layout_.roles[field].column;
      if (column >= 0) names[static_cast<std::size_t>(column)] = layout_.field_names[field];
    }
    return names;
  }

 private:
  TextStart start(BlockCutter& cutter) override {
    (void)cutter.head([&](std::string_view head) { return head.size() >= layout_.first_byte; });
    return {layout_.first_byte, layout_.first_line, layout_.multiline};
  }

  [[nodiscard]] std::unique_ptr<TextRows> parser(OnBadRow on_bad_row, unsigned worker,
                                                 const Visit& visit) const override {
    return std::make_unique<RowParser>(layout_, on_bad_row, worker, visit);
  }

  CsvLayout layout_;
};
}  // namespace

std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options) {
  return std::make_unique<CsvPoints>(path, options);
}

}  // namespace shoal
