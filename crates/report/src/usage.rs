//! What the process has cost so far: processor time and memory, as the kernel counts them.

/// Processor time and memory of this process. A field is none where the system does not tell (anything but Linux).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Processor time of all threads, user and system, in seconds (to 10 ms).
    pub cpu_seconds: Option<f64>,
    /// The most memory that was resident at one time, in bytes.
    pub peak_memory_bytes: Option<u64>,
}

/// The unit of times in `/proc/*/stat`: USER_HZ, which the kernel fixes at 100 for every architecture that Rust runs on.
const TICKS_A_SECOND: f64 = 100.0;

impl Usage {
    /// What this process has used up to now.
    pub fn now() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        Self {
            cpu_seconds: cpu_seconds(&read("/proc/self/stat")),
            peak_memory_bytes: peak_memory(&read("/proc/self/status")),
        }
    }

    /// Processor time since `start`; the peak of memory is that of the whole run.
    pub fn since(self, start: Self) -> Self {
        let cpu_seconds = self.cpu_seconds.zip(start.cpu_seconds).map(|(now, then)| (now - then).max(0.0));
        Self { cpu_seconds, peak_memory_bytes: self.peak_memory_bytes }
    }
}

/// Fields 14 (utime) and 15 (stime) of proc_pid_stat(5). The second field, the command, may hold blanks and brackets; the last
/// bracket ends it.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some((f64::from(user) + f64::from(system)) / TICKS_A_SECOND)
}

/// `VmHWM`, in KiB, of proc_pid_status(5).
fn peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_a_command_with_brackets_and_blanks() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 3 0 100 0 0";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(cpu_seconds(""), None);
        assert_eq!(cpu_seconds("7 (x) S 1"), None);
    }

    #[test]
    fn the_peak_of_memory_is_in_bytes() {
        assert_eq!(peak_memory("VmPeak:\t  900 kB\nVmHWM:\t    64 kB\n"), Some(65_536));
        assert_eq!(peak_memory("VmPeak:\t  900 kB\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_uses_memory_and_its_time_does_not_run_back() {
        let start = Usage::now();
        let held = vec![1u8; 8 << 20];
        let used = Usage::now().since(start);
        assert!(held.iter().all(|byte| *byte == 1));
        assert!(used.peak_memory_bytes.unwrap() > 1 << 20 && used.cpu_seconds.unwrap() >= 0.0);
    }
}
