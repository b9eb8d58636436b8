// A number that noised values tell, and how far it may be off.
#pragma once

namespace shoal {

struct Estimate {
  double mean = 0;
  double deviation = 0;  // standard deviation
};

}  // namespace shoal
