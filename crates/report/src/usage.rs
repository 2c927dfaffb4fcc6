//! Resource usage of the process: CPU time and memory, as the kernel accounts them.

/// CPU time and memory of this process. A field is `None` if the system does not report it (all but Linux).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// CPU time of all threads, user and system, in seconds (resolution 10 ms).
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory, in bytes.
    pub peak_memory_bytes: Option<u64>,
}

/// The unit of times in `/proc/*/stat`: USER_HZ, which the kernel fixes at 100 for every architecture that Rust runs
/// on.
const TICKS_PER_SECOND: f64 = 100.0;

impl Usage {
    /// Returns the usage of this process up to now.
    pub fn now() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        Self {
            cpu_seconds: cpu_seconds(&read("/proc/self/stat")),
            peak_memory_bytes: peak_memory(&read("/proc/self/status")),
        }
    }

    /// Returns the CPU time since `start`; the peak memory is that of the whole run.
    pub fn since(self, start: Self) -> Self {
        let cpu_seconds = self.cpu_seconds.zip(start.cpu_seconds).map(|(now, then)| (now - then).max(0.0));
        Self { cpu_seconds, peak_memory_bytes: self.peak_memory_bytes }
    }
}

/// Returns the sum of the fields 14 (utime) and 15 (stime) of proc_pid_stat(5). The second field, the command, may
/// contain spaces and parentheses; the last closing parenthesis ends it.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some((f64::from(user) + f64::from(system)) / TICKS_PER_SECOND)
}

/// Returns `VmHWM` of proc_pid_status(5), converted from KiB to bytes.
fn peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_after_a_command_with_parentheses_and_spaces() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 3 0 100 0 0";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(cpu_seconds(""), None);
        assert_eq!(cpu_seconds("7 (x) S 1"), None);
    }

    #[test]
    fn peak_memory_is_in_bytes() {
        assert_eq!(peak_memory("VmPeak:\t  900 kB\nVmHWM:\t    64 kB\n"), Some(65_536));
        assert_eq!(peak_memory("VmPeak:\t  900 kB\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_uses_memory_and_its_cpu_time_never_decreases() {
        let start = Usage::now();
        let held = vec![1u8; 8 << 20];
        let used = Usage::now().since(start);
        assert!(held.iter().all(|byte| *byte == 1));
        assert!(used.peak_memory_bytes.unwrap() > 1 << 20 && used.cpu_seconds.unwrap() >= 0.0);
    }
}
