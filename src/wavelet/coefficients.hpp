// The table of filters that Wavelet::named looks up.
#pragma once

#include <string>
#include <vector>

namespace shoal {

struct NamedFilter {
  std::string name;
  std::vector<double> low_pass;
};

// Returns the filters in the order in which names() lists them: haar, db, sym, coif, bior, rbio.
const std::vector<NamedFilter>& filters();

}  // namespace shoal
