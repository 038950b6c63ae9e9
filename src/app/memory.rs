//! Memory that was freed goes back to the system.

/// Freed memory at the end of a heap that is kept rather than given back.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: i32 = 1 << 20;

/// Asks glibc to give back what is freed. Left to itself it takes blocks of up to 32 MiB from heaps that it keeps, one for each of
/// many threads, once a block of their size was freed (`mallopt(3)`, `M_MMAP_THRESHOLD`): large jobs, which run on one thread
/// today and on another tomorrow, leave more behind each time. Other allocators need nothing. To be called before any thread is started.
pub(super) fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(unsafe_code, reason = "a setting of the C library that no safe interface offers")]
        // SAFETY: `mallopt` takes two numbers and reads no memory of ours; no other thread calls it.
        let is_set = unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES) };
        // glibc refuses no threshold.
        debug_assert_eq!(is_set, 1);
    }
}
