// TrialRecord: what does not pay is tried seldom, and taken up again when it pays.

#include "../../src/search/trial_record.hpp"
#include "check.hpp"

using namespace palmette;

namespace {

int n_tried_of(TrialRecord& record, int n, double spent, double gained) {
    int tried = 0;
    for (int i = 0; i < n; ++i)
        if (record.worth_trying()) {
            record.learn(spent, gained);
            ++tried;
        }
    return tried;
}

}  // namespace

TEST_CASE("trials that gain what they cost go on") {
    TrialRecord record;
    CHECK_EQ(n_tried_of(record, 5000, 1.0, 1.0), 5000);
}

TEST_CASE("trials that gain too little become rare, and come back when they pay") {
    TrialRecord record;
    const int tried = n_tried_of(record, 5000, 2.0, 1.0);
    CHECK(tried > 200);  // some are made all the same, or it could never be found out
    CHECK(tried < 600);
    n_tried_of(record, 20000, 1.0, 8.0);
    CHECK_EQ(n_tried_of(record, 1000, 1.0, 8.0), 1000);
}
