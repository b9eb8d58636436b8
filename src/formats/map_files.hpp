// Files for geographic information systems: GeoPackage and GeoTIFF. Both hold what the release holds, and nothing else.
#pragma once

#include <span>
#include <string>

#include "shoal/release_set.hpp"

namespace shoal {

// Writes the layers `clusters` and `cells` with styles for QGIS (OGC 12-128r18). Parts with a name have it in the
// column `part`. Throws unless there are two axes. doubtful: whether doubtful clusters are left out.
std::string geopackage(std::span<const NamedRelease> parts, Doubtful doubtful);

// Writes one raster per part: its noisy values and its cluster numbers. Throws as require_geotiff does.
std::string geotiff(std::span<const NamedRelease> parts);
// Throws unless there are two axes whose cells have equal widths.
void require_geotiff(const Grid& grid);

}  // namespace shoal
