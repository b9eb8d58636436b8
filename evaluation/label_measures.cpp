#include "evaluation/label_measures.hpp"

#include "clusters/metrics.hpp"

namespace shoal::evaluation {

double dsg_c_of_labels(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found) {
  return dsg_c(cross_tabulate(truth, found, Label0::no_group));
}

double f_measure_of_labels(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found) {
  return f_measure(cross_tabulate(truth, found, Label0::no_group));
}

double ocm_of_labels(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found) {
  return ocm(cross_tabulate(truth, found, Label0::group));
}

double two_ce_of_labels(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found) {
  return two_ce(cross_tabulate(truth, found, Label0::group));
}

double adjusted_rand_of_labels(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found) {
  return adjusted_rand(cross_tabulate(truth, found, Label0::group));
}

double adjusted_mutual_information_of_labels(std::span<const std::uint32_t> truth,
                                             std::span<const std::uint32_t> found) {
  return adjusted_mutual_information(cross_tabulate(truth, found, Label0::group));
}

}  // namespace shoal::evaluation
