//! The events of a run or a search, read from their file for reports, resuming and comparing.

mod append;
mod backend_records;
mod collect;
mod contents;
mod read;
mod search_records;

pub(crate) use backend_records::BackendRecords;
pub(crate) use contents::Stream;
pub(crate) use search_records::SearchRecords;

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn mutated_streams_are_read_or_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stream = include_bytes!("../../../tests/fixtures/events-0.1.jsonl");
        crate::mutations::of(&[stream], |bytes| {
            std::fs::write(file.path(), bytes).unwrap();
            if let Ok(mut stream) = Stream::read(file.path()) {
                stream.sort();
                assert!(stream.events().count() > 0);
                drop(stream.missing());
            }
        });
    }
}
