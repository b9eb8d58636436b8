#include "shoal/release.hpp"

namespace shoal {

ClusterMap Release::map() const {
  return {parts_.grid, parts_.options.level, parts_.options.transform, parts_.clusters};
}

}  // namespace shoal
