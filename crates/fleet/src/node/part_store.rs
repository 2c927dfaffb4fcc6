//! Parts as objects of the bus. Each is kept twice: what it says stands nowhere else any more, and one that is spoilt or gone shall cost
//! nothing.

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

/// A part's sections of some partitions or all, and what is wrong with the others.
///
/// # Errors
/// Where nothing of it can be read.
pub(super) async fn read(
    client: &BusClient,
    name: &str,
    wanted: Option<&BTreeSet<Partition>>,
) -> Result<(Part, Vec<String>), String> {
    let first = object(client, name, wanted).await;
    let why = match &first {
        Ok(read) if read.spoilt.is_empty() => return first.map(Read::told),
        Ok(read) => read.spoilt[0].1.clone(),
        Err(why) => why.clone(),
    };
    let second = object(client, &copy(name), wanted).await;
    if second.is_ok() {
        tracing::warn!("{why}: its copy is read instead");
    }
    either(first, second).map(Read::told)
}

/// The name of a part's copy.
fn copy(name: &str) -> String {
    format!("{name}.copy")
}

/// What was read of an object.
#[derive(Debug, Default, PartialEq)]
struct Read {
    part: Part,
    /// What could not be read, and why.
    spoilt: Vec<(Partition, String)>,
}

impl Read {
    fn told(self) -> (Part, Vec<String>) {
        (self.part, self.spoilt.into_iter().map(|(_, why)| why).collect())
    }
}

/// What can be read in one of two.
fn either(first: Result<Read, String>, second: Result<Read, String>) -> Result<Read, String> {
    match (first, second) {
        (Ok(mut first), Ok(mut second)) => {
            let found = |partition: &Partition| second.part.sections.remove_entry(partition);
            let Read { part, spoilt } = &mut first;
            part.sections.extend(spoilt.iter().map(|(partition, _)| partition).filter_map(found));
            spoilt.retain(|(partition, _)| !part.sections.contains_key(partition));
            Ok(first)
        }
        (Ok(read), Err(_)) | (Err(_), Ok(read)) => Ok(read),
        (Err(first), Err(second)) => Err(format!("{first}; {second}")),
    }
}

async fn object(client: &BusClient, name: &str, wanted: Option<&BTreeSet<Partition>>) -> Result<Read, String> {
    let object = client.retry(|| client.bus.object(name)).await;
    let object = object.map_err(|error| format!("the part {name} cannot be read: {error}"))?;
    let object = object.ok_or_else(|| format!("the part {name} is gone"))?;
    let mut packer = WireCodec::new();
    let reader = PartReader::open(object, &mut packer);
    let reader = reader.map_err(|error| format!("the part {name} cannot be read: {error}"))?;
    let (part, spoilt) = match wanted {
        Some(wanted) => reader.read(wanted, &mut packer),
        None => reader.read_all(&mut packer),
    };
    let trouble =
        |(partition, error)| (partition, format!("partition {partition} in the part {name} cannot be read: {error}"));
    Ok(Read { part, spoilt: spoilt.into_iter().map(trouble).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Section;

    fn read(sections: &[u16], spoilt: &[u16]) -> Read {
        let sections = sections.iter().map(|partition| (Partition(*partition), Section::default())).collect();
        let spoilt = spoilt.iter().map(|partition| (Partition(*partition), "spoilt".to_owned())).collect();
        Read { part: Part { sections }, spoilt }
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
