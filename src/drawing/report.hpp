// Self-contained HTML reports: one file without scripts that loads nothing else; for light and dark screens and for
// print.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "drawing/picture.hpp"
#include "shoal/clusters.hpp"
#include "shoal/release.hpp"

namespace shoal {

// Draws the density from the noisy values, and the clusters as released. Without noisy values, only the clusters are
// drawn. first_number, sheet: as in PictureOptions. base: null means that of the program.
Picture release_picture(const Release& release, std::uint32_t first_number = 1, Sheet sheet = Sheet::paper,
                        std::shared_ptr<const BaseMap> base = {});

// Returns the report for the analyst: picture, meaning of the privacy guarantee, spending, parameters, clusters, next
// steps.
std::string release_report(const Release& release);

}  // namespace shoal
