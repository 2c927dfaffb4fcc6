//! Storage of checkpoint parts as objects of the bus. Each is stored twice, because its content exists nowhere else and
//! the corruption or loss of one object must not lose it.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::bus_client::BusClient;
use crate::Partition;
use crate::wire::{Part, PartReader, WireCodec};

/// Writes a part.
pub(super) async fn put(client: &BusClient, name: &str, object: &Bytes) {
    for name in [name, &copy(name)] {
        client.retry_until_ok(name, || client.bus.put_object(name, object.clone())).await;
    }
}

/// Removes a part.
pub(super) async fn remove(client: &BusClient, name: &str) {
    for name in [name, &copy(name)] {
        client.retry_until_ok(name, || client.bus.remove_object(name)).await;
    }
}

/// Reads the sections of some partitions, or all, and what is wrong with the others.
///
/// # Errors
/// Nothing of the part can be read.
pub(super) async fn read(
    client: &BusClient,
    name: &str,
    wanted: Option<&BTreeSet<Partition>>,
) -> Result<(Part, Vec<String>), String> {
    let first = object(client, name, wanted).await;
    let why = match &first {
        Ok(read) if read.unreadable.is_empty() => return first.map(Read::into_part_and_reasons),
        Ok(read) => read.unreadable[0].1.clone(),
        Err(why) => why.clone(),
    };
    let second = object(client, &copy(name), wanted).await;
    if second.is_ok() {
        tracing::warn!("{why}: reading its copy instead");
    }
    either(first, second).map(Read::into_part_and_reasons)
}

/// Returns the name of a part's copy.
fn copy(name: &str) -> String {
    format!("{name}.copy")
}

/// What was read of an object.
#[derive(Debug, Default, PartialEq)]
struct Read {
    part: Part,
    /// The partitions that could not be read, and why.
    unreadable: Vec<(Partition, String)>,
}

impl Read {
    fn into_part_and_reasons(self) -> (Part, Vec<String>) {
        (self.part, self.unreadable.into_iter().map(|(_, why)| why).collect())
    }
}

/// Combines what is readable in two copies.
fn either(first: Result<Read, String>, second: Result<Read, String>) -> Result<Read, String> {
    match (first, second) {
        (Ok(mut first), Ok(mut second)) => {
            let found = |partition: &Partition| second.part.sections.remove_entry(partition);
            let Read { part, unreadable } = &mut first;
            part.sections.extend(unreadable.iter().map(|(partition, _)| partition).filter_map(found));
            unreadable.retain(|(partition, _)| !part.sections.contains_key(partition));
            Ok(first)
        }
        (Ok(read), Err(_)) | (Err(_), Ok(read)) => Ok(read),
        (Err(first), Err(second)) => Err(format!("{first}; {second}")),
    }
}

async fn object(client: &BusClient, name: &str, wanted: Option<&BTreeSet<Partition>>) -> Result<Read, String> {
    let object = client.retry(|| client.bus.object(name)).await;
    let object = object.map_err(|error| format!("cannot read the part {name}: {error}"))?;
    let object = object.ok_or_else(|| format!("the part {name} is missing"))?;
    let mut packer = WireCodec::new();
    let reader = PartReader::open(object, &mut packer);
    let reader = reader.map_err(|error| format!("cannot read the part {name}: {error}"))?;
    let (part, unreadable) = match wanted {
        Some(wanted) => reader.read(wanted, &mut packer),
        None => reader.read_all(&mut packer),
    };
    let trouble =
        |(partition, error)| (partition, format!("cannot read partition {partition} in the part {name}: {error}"));
    Ok(Read { part, unreadable: unreadable.into_iter().map(trouble).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Section;

    fn read(sections: &[u16], unreadable: &[u16]) -> Read {
        let sections = sections.iter().map(|partition| (Partition(*partition), Section::default())).collect();
        let unreadable = unreadable.iter().map(|partition| (Partition(*partition), "unreadable".to_owned())).collect();
        Read { part: Part { sections }, unreadable }
    }

    #[test]
    fn what_one_of_two_says_is_known() {
        let gone = || Err::<Read, _>("gone".to_owned());
        assert_eq!(either(Ok(read(&[1], &[2, 3])), gone()), Ok(read(&[1], &[2, 3])));
        assert_eq!(either(gone(), Ok(read(&[1, 2], &[]))), Ok(read(&[1, 2], &[])));
        assert_eq!(either(Ok(read(&[1], &[2, 3])), Ok(read(&[1, 2], &[3]))), Ok(read(&[1, 2], &[3])));
        assert_eq!(either(Ok(read(&[], &[1, 2])), Ok(read(&[1, 2], &[]))), Ok(read(&[1, 2], &[])));
        assert_eq!(either(gone(), gone()), Err("gone; gone".to_owned()));
    }
}
