//! How many attacks are tried. Each test named after threats says how many it tries, and the list below says how many it must; what
//! is taken out of a test without a word makes it fail.

/// The threats, how the name of the test begins, and the attacks it tries.
const ATTACKS: &[(&[u8], &str, usize)] = &[
    (&[1], "threat_1_nobody", 31),
    (&[2], "threat_2_only_the_port", 11),
    (&[3], "threat_3_dangerous", 119),
    (&[1, 4, 7, 8, 13, 23], "threats_4_7_8_13_and_23_a_faulty", 55),
    (&[4, 5, 7, 23, 30, 36], "threats_4_5_7_30_and_36_a_code", 36),
    (&[6], "threat_6_a_code_that", 2),
    (&[9], "threat_9_a_form", 19),
    (&[10], "threat_10_pages", 5),
    (&[11], "threat_11_a_refresh_token", 1),
    (&[11], "threat_11_after_the_grace", 3),
    (&[12], "threat_12_a_refresh", 5),
    (&[14], "threat_14_a_token", 12),
    (&[15], "threat_15_a_connection", 10),
    (&[15], "threat_15_every_process", 2),
    (&[16], "threat_16_no_refresh", 1),
    (&[17], "threat_17_one_code", 1),
    (&[17], "threat_17_each", 20),
    (&[18], "threat_18_who_leaves", 3),
    (&[19], "threat_19_a_connection", 33),
    (&[20], "threat_20_what_the_dispatcher", 30),
    (&[20], "threat_20_nothing", 8),
    (&[21], "threat_21_an_address", 1),
    (&[21], "threat_21_what_a_client", 15),
    (&[22], "threat_22_a_name", 16),
    (&[24, 26], "threat_24_and_26", 10),
    (&[25], "threat_25_no_secret", 21),
    (&[28], "threat_28_what_one", 9),
    (&[31], "threat_31_each", 8),
    (&[32], "threat_32_two_tabs", 3),
    (&[33], "threat_33_nobody", 34),
    (&[34], "threat_34_what", 7),
    (&[35], "threat_35_organisations", 10),
];

/// The threats of the list.
const THREATS: std::ops::RangeInclusive<u8> = 1..=36;
/// Not here: metadata documents have tests of their own, and words in the books that would give orders are a matter of review.
const ELSEWHERE: [u8; 2] = [27, 29];
/// Attacks that are tried at least.
const ALL_MIN: usize = 200;
/// Those that would have somebody sent, or a code sent, somewhere else.
const REDIRECTS_MIN: usize = 64;
/// Threats whose attacks those are.
const REDIRECTS: [u8; 4] = [1, 2, 3, 33];

/// The tests.
const SOURCES: [&str; 9] = [
    include_str!("authorizing.rs"),
    include_str!("bound.rs"),
    include_str!("consenting.rs"),
    include_str!("exchanging.rs"),
    include_str!("gate.rs"),
    include_str!("redirecting.rs"),
    include_str!("registering.rs"),
    include_str!("secrecy.rs"),
    include_str!("signing_in.rs"),
];

/// A test has tried so many attacks.
#[track_caller]
pub fn tried(test: &str, attacks: usize) {
    let listed = ATTACKS.iter().find(|(_, known, _)| *known == test).map(|(.., attacks)| *attacks);
    assert_eq!(Some(attacks), listed, "{test} tries other attacks than the list says");
}

#[test]
fn every_threat_is_attacked_and_no_attack_is_lost() {
    for threat in THREATS.filter(|threat| !ELSEWHERE.contains(threat)) {
        assert!(ATTACKS.iter().any(|(threats, ..)| threats.contains(&threat)), "nothing attacks by way of {threat}");
    }
    for (_, test, attacks) in ATTACKS {
        assert!(*attacks > 0, "{test}");
        for (what, text) in [("no such test", format!("fn {test}")), ("does not count", format!("tried(\"{test}\","))] {
            assert!(SOURCES.iter().any(|source| source.contains(&text)), "{test}: {what}");
        }
    }
    let of = |wanted: &[u8]| -> usize {
        let among = ATTACKS.iter().filter(|(threats, ..)| threats.iter().all(|threat| wanted.contains(threat)));
        among.map(|(.., attacks)| attacks).sum()
    };
    let (all, redirects) = (of(&THREATS.collect::<Vec<u8>>()), of(&REDIRECTS));
    println!("{all} attacks, {redirects} of them on redirects");
    assert!(all >= ALL_MIN && redirects >= REDIRECTS_MIN, "{all} {redirects}");
}
