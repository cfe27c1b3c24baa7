//! A short run of the fuzz target, the same on every machine.

use planwright_fuzz::trial::{PRODUCTS, Trial};

const RUNS: u64 = 6_000;

#[tokio::test(flavor = "current_thread")]
async fn no_rule_is_broken() {
    let mut trial = Trial::new(planwright_tests::worker(), 7, PRODUCTS);
    while trial.figures.runs < RUNS {
        trial.step().await;
    }
    let figures = &trial.figures;
    assert_eq!(figures.breaches, []);
    // Most texts reach the judge, or the run says little about it.
    assert!(figures.whole * 4 > figures.runs, "{} of {} read whole", figures.whole, figures.runs);
    assert!(figures.signs > 500, "only {} kinds of finding", figures.signs);
}
