use super::*;
use crate::Partition;
use crate::node::records::{CrawlRecord, Origin, PartitionRecord, SessionRecord};

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn beat(held: &[u16], positions: &[u64]) -> Heartbeat {
    let held: Vec<Partition> = held.iter().copied().map(Partition).collect();
    let known = vec![150; held.len()];
    Heartbeat { held, known, weight: 1, positions: positions.to_vec(), pages: 7, ..Heartbeat::default() }
}

#[test]
fn a_fleet_is_told_by_its_nodes_with_what_they_hold_and_how_far_behind_they_are() {
    let mut view = FleetView::default();
    view.crawl = Some((CrawlRecord { origin: Origin::own(), state: CrawlState::Running }, 1));
    let oldest = Heartbeat { born: 3, ..beat(&[1], &[9, 4]) };
    view.sessions.insert(session("b.1"), (SessionRecord::Live(oldest), 1));
    view.sessions.insert(session("a.2"), (SessionRecord::Live(beat(&[0, 2], &[5, 0])), 1));
    view.sessions.insert(session("c.3"), (SessionRecord::Evicted, 1));
    for (partition, owner) in [(0, "a.2"), (1, "b.1"), (2, "a.2"), (3, "c.3")] {
        let record = PartitionRecord { owner: Some(session(owner)), ..PartitionRecord::default() };
        view.partitions.insert(Partition(partition), (record, 1));
    }
    let heard = BTreeSet::from([session("a.2")]);
    let status = fleet_status("x", &view, &heard, &Partitions::new(4, 2), &[8, 6]);
    assert_eq!((&*status.state, status.partitions, status.held), ("running", 4, 3));
    let nodes: Vec<_> =
        status.nodes.iter().map(|node| (&*node.node, &*node.state, node.leads, node.partitions, node.behind)).collect();
    assert_eq!(nodes, [("a", "live", false, 2, 3), ("b", "silent", true, 1, 2)]);
    let orders = Orders { stopped: true, ..Orders::default() };
    view.orders = Some((records::written(&orders), 9));
    assert_eq!(fleet_status("x", &view, &heard, &Partitions::new(4, 2), &[8, 6]).state, "stopped");
    let text = status.to_string();
    let first = "crawl `x`: running, 3 of 4 partitions held by 2 nodes\n";
    assert!(text.starts_with(first), "{text}");
    assert_eq!(text.lines().count(), 4);
    let words = |line: usize| text.lines().nth(line).unwrap_or_default().split_whitespace().take(5).collect::<Vec<_>>();
    assert_eq!(words(2), ["a", "live", "1", "67%", "+33%"]);
    assert_eq!(words(3), ["b", "silent,", "leads", "1", "33%"]);
    assert!(text.contains("silent, leads") && text.matches("leads").count() == 1, "{text}");
}
