// Code arrays: the narrowest type that holds the codes.

#include "check.hpp"
#include "palmette/data/column.hpp"

using namespace palmette;

TEST_CASE("a code array takes the narrowest width") {
    CHECK_EQ(CodeArray(3, 0).width(), 1);
    CHECK_EQ(CodeArray(3, 255).width(), 1);
    CHECK_EQ(CodeArray(3, 256).width(), 2);
    CHECK_EQ(CodeArray(3, 65535).width(), 2);
    CHECK_EQ(CodeArray(3, 65536).width(), 4);
    CHECK_EQ(CodeArray(3, 0xffffffff).width(), 4);
    CHECK_EQ(CodeArray(3, 70000).nbytes(), std::size_t{12});
    CHECK_EQ(CodeArray().size(), std::size_t{0});
}

TEST_CASE("codes come back as they went in, at every width") {
    for (const std::uint32_t largest : {200U, 60000U, 4000000000U}) {
        CodeArray codes(3, largest);
        visit_codes(codes.data(), codes.width(), [&](auto* out) {
            using Code = std::remove_pointer_t<decltype(out)>;
            out[0] = 0;
            out[1] = 7;
            out[2] = static_cast<Code>(largest);
        });
        const CodeArray& read = codes;
        CHECK_EQ(read[0], 0U);
        CHECK_EQ(read[1], 7U);
        CHECK_EQ(read[2], largest);
        CHECK_EQ(visit_codes(read.data(), read.width(), [](const auto* in) { return std::uint32_t{in[2]}; }), largest);
    }
}

TEST_CASE("missing codes are found among all rows and among some, at every width") {
    for (const std::uint32_t largest : {200U, 60000U, 4000000000U}) {
        CodeArray codes(3, largest);
        visit_codes(codes.data(), codes.width(), [](auto* out) {
            out[0] = 1;
            out[1] = 2;
            out[2] = 3;
        });
        CHECK(!codes.has_missing());
        visit_codes(codes.data(), codes.width(), [](auto* out) { out[1] = 0; });
        CHECK(codes.has_missing());
        const std::uint32_t others[] = {0, 2}, all[] = {0, 1, 2};
        CHECK(!codes.has_missing(others));
        CHECK(codes.has_missing(all));
    }
    CHECK(!CodeArray(0, 1).has_missing());
}
