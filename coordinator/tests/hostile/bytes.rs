//! Bytes from outside, made from good ones by a few edits: whoever reads them refuses them with a
//! reason or makes something of them that is valid in itself, and never breaks.

use coordinator::convert::{self, Hello};
use keys::{Address, Link, SecretKey};
use model::file::{CampaignFile, EngineFile, RunFile};
use model::lease::PairIndex;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use prost::Message;
use proto::v1;
use testkit::specs;

/// One change of some bytes.
#[derive(Clone, Debug)]
enum Edit {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
    Truncate(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    // Bytes on which readers stumble, beside any.
    let traps = select(vec![
        b"\0".to_vec(),
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec(),
        b"99999999999999999999".to_vec(),
        b"-1e999".to_vec(),
        b"nan".to_vec(),
        b"\"".to_vec(),
        b"\xe2\x80\xae".to_vec(),
        b"]\n[".to_vec(),
        b"#".to_vec(),
        b":".to_vec(),
    ]);
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (any::<Index>(), prop_oneof![traps, vec(any::<u8>(), 1..12)])
            .prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Edit::Repeat(at, count)),
        any::<Index>().prop_map(Edit::Truncate),
    ]
}

fn edited(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (select(seeds), vec(edit(), 0..8)).prop_map(|(mut bytes, edits)| {
        for edit in edits {
            let place = |at: Index, bytes: &Vec<u8>| at.index(bytes.len() + 1);
            match edit {
                Edit::Set(at, byte) => {
                    let at = place(at, &bytes);
                    if let Some(there) = bytes.get_mut(at) {
                        *there = byte;
                    }
                }
                Edit::Insert(at, more) => {
                    let at = place(at, &bytes);
                    bytes.splice(at..at, more);
                }
                Edit::Remove(at, count) => {
                    let at = place(at, &bytes);
                    let until = (at + count).min(bytes.len());
                    bytes.drain(at..until);
                }
                Edit::Repeat(at, count) => {
                    let at = place(at, &bytes);
                    let until = (at + count).min(bytes.len());
                    let again = bytes[at..until].to_vec();
                    bytes.splice(at..at, again);
                }
                Edit::Truncate(at) => bytes.truncate(place(at, &bytes)),
            }
        }
        bytes
    })
}

fn texts(seeds: &[&str]) -> impl Strategy<Value = String> {
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    edited(seeds).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn good_specs() -> Vec<Vec<u8>> {
    let race = specs::race(&[60.0, 70.0], v1::RaceStop::All, 400, 4);
    let all = [
        specs::tune(40, 4),
        specs::regression(40, 4),
        specs::test(400, 4),
        specs::fixed_match(40, 4),
        race,
    ];
    all.iter().map(Message::encode_to_vec).collect()
}

fn good_report() -> v1::Report {
    let position = specs::book_text().lines().next().unwrap_or_default().to_owned();
    let openings =
        (0..4).map(|index| v1::Opening { pair_index: index, position: position.clone() }).collect();
    let lease = v1::Lease { lease_id: 7, epoch: 1, run_id: 3, openings, ..v1::Lease::default() };
    specs::whole_report(&lease, specs::outcome)
}

const LINKS: [&str; 4] = [
    "elomill://10.0.0.5:8117/0123456789abcdef0123456789abcdef#\
     abababababababababababababababababababababababababababababababab",
    "https://mill.example:443/0123456789abcdef0123456789abcdef",
    "elomill://[::1]:1/0123456789abcdef0123456789abcdef",
    "https://10.0.0.5:8117#abababababababababababababababababababababababababababababababab",
];

const RUN_FILES: [&str; 5] = [
    include_str!("../../../examples/tictactoe-tune.toml"),
    include_str!("../../../examples/tictactoe-test.toml"),
    include_str!("../../../examples/xiangqi-tune.toml"),
    include_str!("../../../examples/xiangqi-test.toml"),
    include_str!("../../../examples/xiangqi-race.toml"),
];

const OTHER_FILES: [&str; 2] = [
    include_str!("../../../docs/campaigns/xiangqi.toml"),
    "name = \"mine\"\ngames = [\"chess\"]\nprotocol = \"uci\"\nbinary = \"mine\"\nmemory_mib = 64\n\
     [bench]\narguments = \"bench 5\"\nsignature = 12\n[build]\ncommand = \"make\"\n",
];

/// A refusal names a place and what is allowed there; nothing of it can move a terminal.
fn refused(said: &str) {
    assert!(said.contains("allowed"), "{said}");
    assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn links_and_addresses(text in texts(&LINKS)) {
        match text.parse::<Link>() {
            Ok(link) => prop_assert_eq!(link.to_string().parse::<Link>(), Ok(link)),
            Err(error) => refused(&error.to_string()),
        }
        if let Ok(address) = text.parse::<Address>() {
            prop_assert_eq!(address.to_string().parse::<Address>().ok(), Some(address));
        }
    }

    #[test]
    fn files_of_authors(text in texts(&RUN_FILES)) {
        if let Err(findings) = RunFile::parse(&text) {
            refused(&findings.to_string());
        }
    }

    #[test]
    fn files_of_campaigns_and_engines(text in texts(&OTHER_FILES)) {
        if let Err(findings) = CampaignFile::parse(&text) {
            refused(&findings.to_string());
        }
        if let Err(findings) = EngineFile::parse(&text) {
            refused(&findings.to_string());
        }
    }

    #[test]
    fn specifications_on_the_wire(bytes in edited(good_specs())) {
        let Ok(wire) = v1::RunSpec::decode(&bytes[..]) else { return Ok(()) };
        match convert::spec(wire) {
            Ok(spec) => prop_assert!(spec.check().is_ok()),
            Err(error) => refused(&error.to_string()),
        }
    }

    #[test]
    fn reports(bytes in edited(vec![good_report().encode_to_vec()])) {
        let Ok(wire) = v1::Report::decode(&bytes[..]) else { return Ok(()) };
        let said: Vec<PairIndex> = wire.pairs.iter().map(|pair| PairIndex(pair.pair_index)).collect();
        match convert::report(wire) {
            Ok(report) => {
                let read: Vec<PairIndex> = report.pairs.iter().map(|pair| pair.index).collect();
                prop_assert_eq!(read, said);
                for pair in &report.pairs {
                    for game in [&pair.candidate_first, &pair.base_first] {
                        prop_assert!(game.moves.len() <= 16 * 1024);
                    }
                }
            }
            Err(error) => refused(&error.to_string()),
        }
    }

    #[test]
    fn introductions(bytes in edited(vec![specs::hello(1).encode_to_vec()])) {
        let Ok(wire) = v1::Hello::decode(&bytes[..]) else { return Ok(()) };
        let key = SecretKey::from_seed([7; 32]).public();
        match Hello::new(wire, key, "somebody".into()) {
            Ok(hello) => {
                for text in [&hello.name, &hello.software_version, &hello.platform] {
                    prop_assert!(!text.chars().any(char::is_control), "{text:?}");
                }
            }
            Err(error) => refused(&error.to_string()),
        }
    }
}
