// CodeLanes: each lane counts its own code, up to the last sample that fits.

#include "palmette/data/code_lanes.hpp"

#include "check.hpp"

using palmette::CodeLanes;

TEST_CASE("lanes count each code apart") {
    CodeLanes lanes;
    for (std::size_t i = 0; i < CodeLanes::most_samples; ++i) lanes.add(2);
    lanes.add(0);
    lanes.add(1, 0);
    lanes.add(3, 7);
    CHECK_EQ(lanes[0], 1U);
    CHECK_EQ(lanes[1], 0U);
    CHECK_EQ(lanes[2], CodeLanes::most_samples);
    CHECK_EQ(lanes[3], 7U);
}
