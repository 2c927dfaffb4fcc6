use proptest::prelude::*;

use super::*;
use crate::rebuild::PartBuilder;
use crate::wire::tests::samples::{Shape, entries, links_of, partitions, scheduled};

fn part_of(history: &[crate::LogEntry]) -> Part {
    let mut builder = PartBuilder::new(&partitions());
    history.iter().for_each(|entry| builder.entry(entry));
    builder.finish()
}

fn three_sections() -> Part {
    let section = |number: u16| Section {
        waiting: vec![scheduled(&format!("http://h{number}/"))],
        ended: vec![Fingerprint::of(&number.to_string())],
        hosts: vec![(HostKey::from_origin(&format!("http://h{number}")), vec![number as u8])],
        notes: vec![ProgressRecord::Admitted(HostKey::from_origin(&format!("http://h{number}")), 3)],
        marks: Marks { held: Some(true), position: number.into(), early: 1 },
    };
    Part { sections: [3, 7, 200].map(|number| (Partition(number), section(number))).into() }
}

#[test]
fn a_spoilt_section_costs_its_partition_alone() {
    let mut codec = WireCodec::new();
    let part = three_sections();
    let object = part.encode(&mut codec);
    let whole = PartReader::open(object.clone(), &mut codec).unwrap();
    for at in whole.sections[&Partition(7)].range.clone() {
        let mut corrupt = object.to_vec();
        corrupt[at] ^= 1;
        let reader = PartReader::open(corrupt.into(), &mut codec).unwrap();
        let (rest, unreadable) = reader.read_all(&mut codec);
        assert_eq!(unreadable.iter().map(|(partition, _)| *partition).collect::<Vec<_>>(), [Partition(7)], "byte {at}");
        let mut expected = part.clone();
        expected.sections.remove(&Partition(7));
        assert_eq!(rest, expected);
    }
}

#[test]
fn only_what_is_wanted_is_read() {
    let mut codec = WireCodec::new();
    let reader = PartReader::open(three_sections().encode(&mut codec), &mut codec).unwrap();
    assert_eq!(reader.partitions().collect::<Vec<_>>(), [3, 7, 200].map(Partition));
    let (part, unreadable) = reader.read(&[7, 8].map(Partition).into(), &mut codec);
    assert_eq!((part.sections.into_keys().collect::<Vec<_>>(), unreadable), (vec![Partition(7)], vec![]));
    assert_eq!(reader.section(Partition(8), &mut codec), Ok(None));
}

#[test]
fn a_part_that_is_cut_off_lacks_its_last_sections() {
    let mut codec = WireCodec::new();
    let object = three_sections().encode(&mut codec);
    let mut readable = BTreeSet::new();
    for length in 0..object.len() {
        match PartReader::open(object.slice(..length), &mut codec) {
            Ok(reader) => {
                let (part, unreadable) = reader.read_all(&mut codec);
                assert_eq!(part.sections.len() + unreadable.len(), 3);
                readable.insert(part.sections.len());
            }
            Err(error) => assert!(error.to_string().contains("the index of a part is corrupt"), "{error}"),
        }
    }
    assert_eq!(readable, [0, 1, 2].into());
}

#[test]
fn what_is_taken_over_says_nothing_of_who_holds_it() {
    let known = PartitionState { waiting: links_of(Shape::Forum, 3, 1), position: 9, ..PartitionState::default() };
    let part = Part::of_states([(Partition(1), known.clone())]);
    let section = &part.sections[&Partition(1)];
    assert_eq!((&section.waiting, section.marks), (&known.waiting, Marks { held: None, position: 9, early: 0 }));
}

#[test]
fn a_url_in_a_part_costs_few_bytes() {
    let count = 20_000;
    let ended: Vec<Fingerprint> = (0..count).map(|number: u32| Fingerprint::of(&number.to_string())).collect();
    let of = |section: Section| Part { sections: [(Partition(0), section)].into() }.encode(&mut WireCodec::new()).len();
    let a_waiting = of(Section { waiting: links_of(Shape::Mixed, count as usize, 1), ..Section::default() }) as f64
        / f64::from(count);
    let an_ended = of(Section { ended, ..Section::default() }) as f64 / f64::from(count);
    eprintln!("bytes in a part: {a_waiting:.1} a URL that waits, {an_ended:.1} an ended one");
    assert!(a_waiting < 40.0 && an_ended < 16.1);
}

proptest! {
    #[test]
    fn any_part_comes_back(history in entries(6)) {
        let mut codec = WireCodec::new();
        let part = part_of(&history);
        let reader = PartReader::open(part.encode(&mut codec), &mut codec).unwrap();
        prop_assert_eq!(reader.read_all(&mut codec), (part, vec![]));
    }
}
