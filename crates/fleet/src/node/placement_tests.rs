use std::collections::BTreeSet;

use super::super::plan::plan;
use super::super::records::{Heartbeat, SessionRecord};
use super::*;

const COUNT: u16 = 16;

fn partitions() -> Partitions {
    Partitions::new(COUNT, 4)
}

fn session(node: &str) -> SessionId {
    SessionId(format!("{node}.1"))
}

/// A fleet in which every node holds its assigned partitions. The load of each partition is its number, except for the
/// first.
fn fleet(nodes: &[(&str, Weight)], first: u64) -> FleetView {
    let mut view = FleetView::default();
    for (born, (node, weight)) in (1..).zip(nodes) {
        let said = Heartbeat { born, weight: *weight, ..Heartbeat::default() };
        view.sessions.insert(session(node), (SessionRecord::Live(said), born));
    }
    settle(&mut view, first);
    view
}

/// Lets every node take its assigned partitions and report them.
fn settle(view: &mut FleetView, first: u64) {
    let owners: Vec<String> = owners(view, &partitions()).into_iter().map(str::to_owned).collect();
    for (partition, owner) in partitions().all().zip(&owners) {
        let (record, revision) = view.partitions.entry(partition).or_default();
        (record.owner, *revision) = (Some(session(owner)), 1);
    }
    for (id, (record, _)) in &mut view.sessions {
        let SessionRecord::Live(said) = record else { continue };
        let held = partitions().all().zip(&owners).filter(|(_, owner)| **owner == id.node());
        said.held = held.map(|(partition, _)| partition).collect();
        said.known = said.held.iter().map(|of| if of.0 == 0 { first } else { u64::from(of.0) }).collect();
    }
}

fn write(view: &mut FleetView, placement: Placement) {
    view.placement = Some((placement, 1));
}

fn loads(view: &FleetView) -> BTreeMap<String, u64> {
    view.live().map(|(session, said)| (session.node().to_owned(), said.known.iter().sum())).collect()
}

#[test]
fn what_is_moved_goes_where_it_is_to_be_and_then_rests() {
    let mut view = fleet(&[("a", 1), ("b", 1), ("c", 1)], 90);
    let placement = place(&view, &partitions(), None).expect("it is uneven");
    assert!(!placement.moved.is_empty() && placement.answered == 0);
    for moved in &placement.moved {
        assert!(placement.elsewhere[&moved.to].contains(&moved.partition), "{moved:?}");
    }
    let before = loads(&view);
    write(&mut view, placement.clone());
    assert_eq!(place(&view, &partitions(), None), None, "not before what was moved is where it is to be");
    assert_eq!(place(&view, &partitions(), Some(1)), None, "nor for who asks");
    settle(&mut view, 90);
    let after = loads(&view);
    assert!(after.values().max() < before.values().max(), "{before:?}, then {after:?}");
    assert_eq!(place(&view, &partitions(), None), None);
    let asked = place(&view, &partitions(), Some(1)).expect("who asks is answered");
    assert_eq!(asked.answered, 1);
}

#[test]
fn only_whoever_holds_what_moves_lets_it_go_and_only_whoever_is_to_hold_it_takes_it() {
    let mut view = fleet(&[("a", 1), ("b", 1)], 90);
    let placement = place(&view, &partitions(), None).expect("it is uneven");
    write(&mut view, placement.clone());
    let held = |view: &FleetView, node: &str| view.heartbeat(&session(node)).unwrap().held.iter().copied().collect();
    for node in ["a", "b"] {
        let held: BTreeSet<Partition> = held(&view, node);
        let plan = plan(&view, &session(node), &held, &partitions());
        let away: Vec<Partition> = placement.moved.iter().filter(|m| m.from == node).map(|m| m.partition).collect();
        assert_eq!((plan.release, plan.take.len()), (away, 0), "{node}: nothing is free yet");
    }
}

#[test]
fn a_node_that_is_gone_leaves_or_has_no_weight_is_given_nothing() {
    let mut view = fleet(&[("a", 1), ("b", 1), ("c", 0)], 0);
    let hashed: Vec<String> = owners(&view, &partitions()).into_iter().map(str::to_owned).collect();
    for node in ["gone", "c"] {
        let elsewhere = BTreeMap::from([(node.to_owned(), partitions().all().collect())]);
        write(&mut view, Placement { elsewhere, ..Placement::default() });
        assert_eq!(owners(&view, &partitions()), hashed, "{node}");
    }
    let elsewhere = BTreeMap::from([("a".to_owned(), vec![Partition(3), Partition(COUNT), Partition(9_999)])]);
    write(&mut view, Placement { elsewhere, ..Placement::default() });
    assert_eq!(owners(&view, &partitions())[3], "a");
    let Some((SessionRecord::Live(said), _)) = view.sessions.get_mut(&session("a")) else { panic!() };
    said.leaving = true;
    assert!(owners(&view, &partitions()).iter().all(|owner| *owner == "b"));
}

#[test]
fn what_names_a_node_that_is_gone_is_cleared_away() {
    let mut view = fleet(&[("a", 1), ("b", 1)], 0);
    let elsewhere = BTreeMap::from([("gone".to_owned(), vec![Partition(1)])]);
    let moved = vec![PartitionMove { partition: Partition(1), from: "a".to_owned(), to: "gone".to_owned() }];
    write(&mut view, Placement { elsewhere, answered: 4, moved: moved.clone() });
    for (record, _) in view.sessions.values_mut() {
        let SessionRecord::Live(said) = record else { continue };
        said.known.iter_mut().for_each(|known| *known = 1);
    }
    let cleared = Placement { elsewhere: BTreeMap::new(), answered: 4, moved };
    assert_eq!(place(&view, &partitions(), None), Some(cleared));
}

#[test]
fn nothing_is_placed_anew_while_anything_is_on_its_way() {
    let nodes = [("a", 1), ("b", 1)];
    let mut view = fleet(&nodes, 500);
    assert!(place(&view, &partitions(), None).is_some());
    let Some((SessionRecord::Live(said), _)) = view.sessions.get_mut(&session("b")) else { panic!() };
    let (held, _) = (said.held.pop(), said.known.pop());
    assert_eq!(place(&view, &partitions(), None), None, "{held:?} has yet to catch up");
    let mut view = fleet(&nodes, 500);
    view.partitions.get_mut(&Partition(2)).unwrap().0.owner = None;
    assert_eq!(place(&view, &partitions(), None), None, "nobody holds 2");
    assert_eq!(place(&FleetView::default(), &partitions(), None), None, "there is nobody");
}
