//! What an ordinary user may do, also where the tests are run by an administrator.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// This thread has no more rights than its user's own until this is dropped.
pub(super) struct Ordinary(CapabilitySets);

impl Ordinary {
    pub(super) fn new() -> Self {
        let own = capabilities(None).unwrap();
        set_capabilities(None, CapabilitySets { effective: CapabilitySet::empty(), ..own }).unwrap();
        Self(own)
    }
}

impl Drop for Ordinary {
    fn drop(&mut self) {
        set_capabilities(None, self.0).unwrap();
    }
}

/// Whether folders that their owner has closed are open to this thread all the same.
pub(super) fn enters_all() -> bool {
    capabilities(None).unwrap().effective.contains(CapabilitySet::DAC_OVERRIDE)
}
