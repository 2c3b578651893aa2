//! File systems that a test makes for itself; they need root, and for images a loop device.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// A mounted file system, unmounted when it is dropped.
pub struct Mounted {
    at: TempDir,
}

impl Mounted {
    /// One in memory, so large and no larger.
    ///
    /// # Errors
    /// Why there is none.
    pub fn memory(size: &str) -> Result<Mounted, String> {
        Mounted::mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
    }

    /// The one in an image, which keeps in memory what nobody has synced: for five minutes, longer than any test.
    ///
    /// # Errors
    /// Why there is none.
    ///
    /// # Panics
    /// The image's path is no text.
    pub fn image(image: &Path) -> Result<Mounted, String> {
        Mounted::mount(&["-o", "loop,commit=300", image.to_str().expect("a text")])
    }

    fn mount(arguments: &[&str]) -> Result<Mounted, String> {
        let at = tempfile::tempdir().map_err(|error| error.to_string())?;
        done(Command::new("mount").args(arguments).arg(at.path()))?;
        Ok(Mounted { at })
    }

    /// Makes one in memory larger, with all that is in it.
    ///
    /// # Panics
    /// It cannot be made larger.
    pub fn grow(&self, size: &str) {
        let size = format!("remount,size={size}");
        done(Command::new("mount").args(["-o", &size]).arg(self.path())).expect("larger");
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.at.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily: a process that is being killed may still have a file open.
        drop(done(Command::new("umount").arg("-l").arg(self.at.path())));
    }
}

/// An image of an empty ext4, as large as it will get and taking no room yet.
///
/// # Errors
/// Why there is none.
pub fn ext4(dir: &Path, bytes: u64) -> Result<PathBuf, String> {
    let image = dir.join("image");
    File::create(&image).and_then(|file| file.set_len(bytes)).map_err(|error| error.to_string())?;
    done(Command::new("mkfs.ext4").args(["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]).arg(&image))?;
    Ok(image)
}

fn done(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("{name}: {error}")),
    }
}
