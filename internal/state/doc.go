// Package state keeps one environment on disk: a directory that is never lost, never half old and half
// new, and never silently wrong. It knows bytes and its own format; what the payloads mean is the
// business of others.
//
//	snapshot.json       the state at the last commit, byte for byte as the caller encoded it
//	snapshot.<n>.json   snapshots of earlier generations, at most three
//	journal             what happened since; its first group names the snapshot that it continues
//	history             one record per deployment, appended with the commit that ended it
//	mark                how far the journal has been acknowledged
//	lock                who writes; held with flock, so that it ends with its process
//	journal.next        the journal of the next generation, while it is being made
//	snapshot.next.json  its snapshot, until it is moved to its place
//
// A generation is a snapshot and the journal that continues it. Commit starts the next one. Its single
// instant of truth is the rename of journal.next to journal: before it the directory holds generation n,
// after it n+1, whatever happens to the other files (finish completes them, in Commit and in Open alike).
//
// # What is detected
//
// A record carries a CRC-32C that covers the identity of its generation, so that a record of another
// generation or environment never fits. A group ends with the SHA-256 of the whole journal before it, so
// that no record can be removed, repeated or moved. The header holds the digests of the snapshot and of
// the history.
//
// A record that is whole but not in its place is damage. A crash may leave a torn tail: bytes after the
// last whole group that are no record. Whether they are that or damage is decided by evidence that they
// had been acknowledged. There are two kinds. The mark, written after each fsync, says how far the
// journal was acknowledged; a journal that is readable only to a point before it is damaged, even where
// it was cut at the end of a group. And each group says where the journal ended when its fsync began, so
// a whole group after the damage convicts it without the mark. Without such evidence the tail is the
// remains of a crash: nothing in it was acknowledged, unless power was lost after the last fsync before
// the mark reached the disk and the last groups were altered as well. A mark is only ever behind the
// truth, never ahead.
//
// A directory that was replaced as a whole by an older copy of itself is beyond what it can know.
package state
