//! Whose the file of users is: whoever writes it, the service must be able to read it and others must not.
//!
//! An organiser writes it as root, the service reads it as a user of its own. So a file that is written anew stays whose it was, and a new
//! one goes to those for whom its folder is kept: `/etc/flagfall` belongs to root, its group is the service's, and others cannot look in.

use std::{
    fs::{self, Metadata, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    path::Path,
};

/// What nobody may do with it: others nothing, and the group only read.
pub(super) const FORBIDDEN: u32 = 0o037;

/// Whose a file is, and who may do what with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Keeping {
    owner: u32,
    group: u32,
    mode: u32,
}

impl Keeping {
    fn of(found: &Metadata) -> Keeping {
        Keeping { owner: found.uid(), group: found.gid(), mode: found.permissions().mode() & 0o777 }
    }

    /// How the file is kept that is written in the place of this one.
    fn again(self) -> Keeping {
        Keeping { mode: 0o600 | self.mode & 0o040, ..self }
    }

    /// How a new file is kept in this folder, when a user writes it.
    fn inside(self, writer: u32) -> Keeping {
        // A folder that is open to others says nothing of its group: it may be that of everybody in the house.
        let group_reads = self.mode & 0o057 == 0o050;
        match (writer, group_reads) {
            // Only root gives files away.
            (0, true) => Keeping { mode: 0o640, ..self },
            (0, false) => Keeping { mode: 0o600, ..self },
            _ => Keeping { owner: writer, mode: 0o600, ..self },
        }
    }
}

/// Writes a file anew, whole or not at all.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = file.with_extension("new");
    // What an interrupted attempt left behind was perhaps another's.
    drop(fs::remove_file(&new));
    let mut made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    let now = Keeping::of(&made.metadata()?);
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let kept = match fs::metadata(file) {
        Ok(before) => Keeping::of(&before).again(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Keeping::of(&fs::metadata(folder)?).inside(now.owner),
        Err(error) => return Err(error),
    };
    let mut write = || {
        if now.owner != kept.owner || (now.group != kept.group && kept.mode & 0o040 != 0) {
            fchown(&made, Some(kept.owner), Some(kept.group))?;
        }
        made.set_permissions(fs::Permissions::from_mode(kept.mode))?;
        made.write_all(bytes)?;
        made.sync_all()?;
        fs::rename(&new, file)
    };
    write().inspect_err(|_| drop(fs::remove_file(&new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(owner: u32, group: u32, mode: u32) -> Keeping {
        Keeping { owner, group, mode }
    }

    #[test]
    fn a_new_file_goes_to_those_for_whom_its_folder_is_kept() {
        // /etc/flagfall of deploy/systemd/tmpfiles.d: root's, the service's group, nobody else's.
        assert_eq!(kept(0, 998, 0o750).inside(0), kept(0, 998, 0o640));
        // /etc, or a home that others look into: its group may be everybody's.
        assert_eq!(kept(0, 0, 0o755).inside(0), kept(0, 0, 0o600));
        assert_eq!(kept(1000, 100, 0o755).inside(0), kept(1000, 100, 0o600));
        // A home of one's own; root's file in it is for him who lives there.
        assert_eq!(kept(1000, 1000, 0o700).inside(0), kept(1000, 1000, 0o600));
        // Nobody but root gives files away.
        assert_eq!(kept(0, 1000, 0o770).inside(1000), kept(1000, 1000, 0o600));
    }

    #[test]
    fn a_file_that_was_there_stays_whose_it_was() {
        assert_eq!(kept(998, 998, 0o600).again(), kept(998, 998, 0o600));
        assert_eq!(kept(0, 998, 0o640).again(), kept(0, 998, 0o640));
        // A secret of a cluster, copied: it can be written again afterwards.
        assert_eq!(kept(0, 65_532, 0o440).again(), kept(0, 65_532, 0o640));
    }

    #[test]
    fn a_file_is_written_in_the_place_of_another() {
        let dir = tempfile::tempdir().expect("directory");
        let file = dir.path().join("users.toml");
        replace(&file, b"one").expect("written");
        let mode = || fs::metadata(&file).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(), fs::read(&file).expect("read")), (0o600, b"one".to_vec()), "the folder is nobody else's");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("the group may read");
        replace(&file, b"two").expect("written");
        assert_eq!((mode(), fs::read(&file).expect("read")), (0o640, b"two".to_vec()));
        assert!(!dir.path().join("users.new").exists());
    }
}
