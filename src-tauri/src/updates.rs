//! The way of updates to the page: in order, in batches, one a frame at most. A page cannot push back, so what it gets is
//! bounded here: live output beyond a frame's share is left out with a line that says so (the record has it all); events
//! never are.

use std::time::Duration;

use planwright_engine::engine::Updates;
use planwright_engine::protocol::{OutputChunk, Update};
use tokio::time::{Instant, sleep_until};

/// One frame. A page that is sent a batch per frame stays smooth; messages one by one freeze it.
const TICK: Duration = Duration::from_millis(16);
/// Updates in one batch; the rest waits for the next.
const BATCH: usize = 2_000;
/// Live output of one attempt in one batch, in bytes: 4 MB a second, far beyond what an eye can follow.
const OUTPUT_BYTES: usize = 64 * 1024;

/// Sends until the engine or the page is gone; `send` says whether the page is still there.
pub(crate) async fn forward(mut updates: Updates, send: impl Fn(Vec<Update>) -> bool) {
    let mut earliest = Instant::now();
    while let Some(first) = updates.next().await {
        // The first one after a silence goes at once.
        sleep_until(earliest).await;
        let mut batch = Batch::default();
        batch.push(first);
        while batch.updates.len() < BATCH {
            let Some(update) = updates.try_next() else { break };
            batch.push(update);
        }
        earliest = Instant::now() + TICK;
        if !send(batch.updates) {
            return;
        }
    }
}

#[derive(Default)]
struct Batch {
    updates: Vec<Update>,
}

impl Batch {
    /// Adds an update; output that follows output of the same attempt joins it.
    fn push(&mut self, update: Update) {
        let Update::Output { session_id, step_id, attempt, chunks } = update else {
            self.updates.push(update);
            return;
        };
        if let Some(Update::Output { session_id: session, step_id: step, attempt: nth, chunks: held }) =
            self.updates.last_mut()
            && (*session, &*step, *nth) == (session_id, &step_id, attempt)
        {
            held.extend(chunks);
            shorten(held);
            return;
        }
        let mut chunks = chunks;
        shorten(&mut chunks);
        self.updates.push(Update::Output { session_id, step_id, attempt, chunks });
    }
}

/// Leaves out the oldest chunks beyond [`OUTPUT_BYTES`]; the newest is always kept, cut at its front when it alone is
/// too long.
fn shorten(chunks: &mut Vec<OutputChunk>) {
    let mut room = OUTPUT_BYTES;
    let Some(first_kept) = chunks.iter().rposition(|chunk| {
        let fits = chunk.text.len() <= room;
        room = room.saturating_sub(chunk.text.len());
        !fits
    }) else {
        return;
    };
    let last = chunks.len() - 1;
    chunks.drain(..(first_kept + 1).min(last));
    let Some(oldest) = chunks.first_mut() else { return };
    let excess = oldest.text.len().saturating_sub(OUTPUT_BYTES);
    let cut = oldest.text.ceil_char_boundary(excess);
    let line = oldest.text[cut..].find('\n').map_or(cut, |end| cut + end + 1);
    oldest.text = format!("{LEFT_OUT}{}", &oldest.text[line..]);
}

/// Stands where live output was left out.
const LEFT_OUT: &str = "\n[… lines left out here; \"Open in full\" has them …]\n";
