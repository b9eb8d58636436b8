// A record decides about itself alone, for any bytes as JSON lines (tests/support/reading_property.hpp).
#include <cstdlib>

#include "reading_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto made = shoal::json_reading_case({reinterpret_cast<const char*>(data), size});
  const auto verdict = shoal::check_reading(made, shoal::open_json_case);
  if (verdict.fault.empty()) return 0;
  fmt::print(stderr, "{}\n", verdict.fault);
  std::abort();
}
