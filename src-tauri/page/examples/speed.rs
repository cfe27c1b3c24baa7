//! `speed`: how long 5 MB of each form take, the median of nine.
use std::time::Instant;

use planwright_page::Document;

const SIZE: usize = 5_000_000;
const FORMS: &[(&str, &str)] = &[
    (
        "markdown.md",
        "## Part\n\nRun `make` and [see](http://a.b) **this**.\n\n1. One\n   ```sh\n   make install\n   ```\n\n| a | b |\n|---|---|\n| `x` | y |\n\n",
    ),
    (
        "tabs.mdx",
        "<Tabs>\n<TabItem value=\"a\" label=\"A\">\n\n```sh\nmake\n```\n\n</TabItem>\n</Tabs>\n\n:::tip\nText.\n:::\n\n=== \"B\"\n\n    ```sh\n    make\n    ```\n\n",
    ),
    (
        "text.rst",
        "Part\n====\n\nRun ``make`` and `see <http://a.b>`_::\n\n    make install\n\n.. code-block:: sh\n\n   make\n\n* One\n* Two\n\n",
    ),
    (
        "text.adoc",
        "== Part\n\nRun `make` *now*.\n\n[source,sh]\n----\nmake install\n----\n\n* One\n* Two\n\n",
    ),
    ("text.org", "* Part\n\nRun =make= now.\n\n#+BEGIN_SRC sh\nmake install\n#+END_SRC\n\n- One\n- Two\n\n"),
    (
        "page.html",
        "<h2>Part</h2><p>Run <code>make</code> and <a href=\"http://a.b\">see</a>.</p><pre class=\"x\">make &amp;&amp; ls\nls</pre><ul><li>One<li>Two</ul>\n",
    ),
    (
        "INSTALL",
        "Part One\n--------\n\nFirst build it:\n\n    make install\n\n  1. One `make' here.\n  2. Two.\n\n",
    ),
    ("script.sh", "make install # now\n"),
];

fn main() {
    for (name, text) in FORMS {
        let page = text.repeat(SIZE / text.len());
        let mut times: Vec<_> = (0..9)
            .map(|_| {
                let start = Instant::now();
                let document = Document::read(page.as_bytes(), name);
                (start.elapsed(), document.blocks().count())
            })
            .collect();
        times.sort();
        println!("{name:12} {:>6.1} ms, {} blocks", times[4].0.as_secs_f64() * 1000.0, times[4].1);
    }
}
