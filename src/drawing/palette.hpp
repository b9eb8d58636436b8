// Colours of pictures and of the clusters in them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "drawing/canvas.hpp"

namespace shoal {

inline constexpr Color ink{34, 38, 43};
inline constexpr Color soft_ink{92, 99, 108};
inline constexpr Color paper{255, 255, 255};
inline constexpr Color frame{150, 156, 164};

// Okabe and Ito's set (2008, for colour-blind readers) without black, and two dark ones of the same kind.
inline constexpr std::array<Color, 9> cluster_colors{{{0, 114, 178},
                                                      {230, 159, 0},
                                                      {0, 158, 115},
                                                      {204, 121, 167},
                                                      {213, 94, 0},
                                                      {86, 180, 233},
                                                      {240, 228, 66},
                                                      {136, 34, 85},
                                                      {80, 60, 160}}};

// How far apart two colours look: the least of the distances in CIELAB for full, red-blind and green-blind sight.
double apart(Color a, Color b);

// neighbors[i]: indices of the clusters that lie next to cluster i + 1. Gives each an index into cluster_colors such
// that neighbours look as different as can be and all colours are used alike.
std::vector<std::uint8_t> colored(const std::vector<std::vector<std::uint32_t>>& neighbors);

inline constexpr Color ground{250, 250, 248};

// Index 0: nothing. 1..15: unclustered. 16 + 16 c + s: colour c at step s. On a map that is mostly empty even the
// faintest grey must be seen; where noise is everywhere it should recede.
std::vector<Color> image_palette(bool mostly_empty);
bool is_mostly_empty(const std::vector<double>& density);

// Lines that fall to the right, the same all over the picture, as far as they lie in the box.
void hatch(const Box& box, std::vector<Segment>& lines);

}  // namespace shoal
