// Self-contained HTML reports: one file, no scripts, nothing fetched from elsewhere; light and dark, fit to print.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "drawing/picture.hpp"
#include "shoal/options.hpp"
#include "shoal/release.hpp"

namespace shoal {

// Density from the noisy values, clusters as released. Without noisy values the clusters alone are drawn.
// first_number: as in PictureOptions.
Picture release_picture(const Release& release, std::uint32_t first_number = 1);

// For the analyst: picture, what the privacy guarantee means, what was spent on what, parameters, clusters, next steps.
std::string release_report(const Release& release);

}  // namespace shoal
