// The letters of pictures: Inter, which is part of the library, so that every machine draws the same picture. A
// character that the font lacks is drawn as its sign for that; an SVG picture leaves such characters to the reader's
// fonts.
#pragma once

#include <string_view>
#include <vector>

#include "drawing/canvas.hpp"

namespace shoal {

enum class Weight { regular, semibold };

// Returns the outlines of a line of text as rings, in pixels. The baseline starts at (0, 0); y grows downwards.
std::vector<Loop> text_outlines(std::string_view text, double size, Weight weight);

// Returns how far the baseline reaches, in pixels.
double text_length(std::string_view text, double size, Weight weight);

}  // namespace shoal
