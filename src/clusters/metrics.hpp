// How far a private result is from the true one. Rows of a table are the truth, columns what was found.
#pragma once

#include "clusters/contingency.hpp"

namespace shoal {

// Section 6.1: least M_cost over |T|, the number of truly significant cells. 0 for identical results, 1 when nothing
// was found; can exceed 1. Infinite when nothing is true and something was found. Table: shared_cells.
double dsg_c(const Contingency& cells);

// Sum over true clusters of |C_i| / n * max over found ones of F(C_i, C'_j), over the n points that are in a true
// cluster; other points count nowhere, also not in the sizes of the found clusters. 1 is perfect. 1 when
// n is 0 (nothing to find). Table: points; label 0 means unclustered.
double f_measure(const Contingency& points);

// Section 6.2, on the classes that two classifiers predict for the same samples (each sample has both).
// OCM = 1 - CT / TT. 2CE: share of the pairs of samples that one puts together and the other apart. Both are 0 if
// samples (OCM) or pairs of samples (2CE) are missing.
double ocm(const Contingency& predictions);
double two_ce(const Contingency& predictions);

// As scikit-learn's adjusted_rand_score and adjusted_mutual_info_score (arithmetic mean), each item in both groupings.
double adjusted_rand(const Contingency& items);
double adjusted_mutual_information(const Contingency& items);

}  // namespace shoal
