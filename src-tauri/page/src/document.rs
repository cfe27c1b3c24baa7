//! What a page is once it was read. Plain data: every range is of bytes of [`Document::text`], on character boundaries.

use std::ops::Range;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    pub form: Form,
    /// The decoded source with `\n` line ends. All ranges are into it.
    pub text: String,
    pub encoding: Encoding,
    /// Of the front matter or the form's own title; otherwise the first heading of the highest level.
    pub title: Option<String>,
    pub front_matter: Option<FrontMatter>,
    /// The first is what stands before any heading.
    pub sections: Vec<Section>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Form {
    Markdown,
    /// Markdown with components.
    Mdx,
    ReStructuredText,
    AsciiDoc,
    Org,
    Html,
    #[default]
    Plain,
    /// A program in a shell's language: one block of code.
    Script,
    /// What a terminal showed, prompts included: one block of code.
    Transcript,
    /// No text at all: a document without blocks.
    Binary,
}

/// How the bytes were read, enough to write a changed text back as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding {
    /// The label of the encoding standard, such as `UTF-8` or `windows-1252`.
    pub name: &'static str,
    pub byte_order_mark: bool,
    /// Lines ended in `\r\n` or `\r`.
    pub carriage_returns: bool,
    /// Some bytes meant nothing in that encoding and stand as U+FFFD.
    pub lossy: bool,
}

impl Default for Encoding {
    fn default() -> Self {
        Self { name: "UTF-8", byte_order_mark: false, carriage_returns: false, lossy: false }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter {
    pub raw: String,
    /// The fences included.
    pub range: Range<usize>,
    /// Scalars by their dotted path; items of a list by their position (`inputs.0.name`).
    pub values: Vec<(String, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// None only for the first section.
    pub heading: Option<Heading>,
    /// The nearest earlier section of a higher level.
    pub parent: Option<usize>,
    /// What the heading itself stands in, such as a tab.
    pub within: Vec<Container>,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub text: String,
    pub inline: Vec<Inline>,
    pub level: u32,
    pub range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub range: Range<usize>,
    /// From the outermost in.
    pub within: Vec<Container>,
    pub kind: BlockKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Container {
    /// `list` tells lists apart; `number` is the one shown, or the position in an unordered list.
    Item {
        ordered: bool,
        number: u32,
        list: u32,
    },
    /// Tabs of one `group` are ways to do the same.
    Tab {
        group: u32,
        label: String,
    },
    /// `kind` in lower case, as the page has it: `note`, `tip`, `warning` …
    Admonition {
        kind: String,
        title: Option<String>,
    },
    /// Folded away until the reader opens it.
    Details {
        summary: String,
    },
    Quote,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    Prose { text: String, inline: Vec<Inline> },
    Code(Code),
    Table { header: bool, rows: Vec<Vec<Cell>> },
    Comment { text: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub text: String,
    /// As written, in lower case: `bash`, `console`, `python` …
    pub language: Option<String>,
    /// A file's name or a caption that stands on the block itself.
    pub title: Option<String>,
    pub attributes: Vec<(String, String)>,
    pub style: CodeStyle,
    /// Where each line of `text` stands in the source, without its line end.
    pub lines: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeStyle {
    Fenced,
    Indented,
    /// A literal block that names no language (`::` of reStructuredText, `....` of AsciiDoc).
    Literal,
    /// A directive or named block: `.. code-block:: sh`, `[source,sh]`, `#+BEGIN_SRC`.
    Directive,
    /// `<pre>` of HTML.
    Preformatted,
    /// The page is nothing else.
    Whole,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub inline: Vec<Inline>,
    pub range: Range<usize>,
}

/// A stretch of a rendered text that is more than words. Alternative texts of images are none of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inline {
    pub kind: InlineKind,
    pub text: String,
    /// Byte offset in the rendered text it is part of.
    pub at: usize,
    /// In the source: of code what stands between its marks, of others all of it.
    pub range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InlineKind {
    Code,
    Link { target: String },
    Strong,
}

impl Document {
    /// Reads `bytes` in whatever form they are. `name` is the file's name or the address, and may be empty.
    pub fn read(bytes: &[u8], name: &str) -> Self {
        let Some((text, encoding)) = crate::decode::decode(bytes) else {
            return Self { form: Form::Binary, sections: vec![Section::default()], ..Self::default() };
        };
        Self { encoding, ..Self::of_text(text, name) }
    }

    /// Reads a text that is decoded already, whatever characters it holds.
    pub fn read_text(text: &str, name: &str) -> Self {
        let text = if text.contains('\r') { crate::decode::line_ends(text) } else { text.to_owned() };
        Self::of_text(text, name)
    }

    fn of_text(text: String, name: &str) -> Self {
        let form = crate::form::of(&text, name);
        let mut document = crate::form::read(form, text);
        document.settle_title();
        document
    }

    /// Every block in order, with its section's index.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.sections
            .iter()
            .enumerate()
            .flat_map(|(index, section)| section.blocks.iter().map(move |block| (index, block)))
    }

    fn settle_title(&mut self) {
        if let Some(title) = self.front_matter.as_ref().and_then(|matter| matter.get("title")) {
            self.title = Some(title.to_owned());
        }
        if self.title.is_none() {
            let headings = || self.sections.iter().filter_map(|section| section.heading.as_ref());
            let highest = headings().map(|heading| heading.level).min();
            self.title =
                headings().find(|heading| Some(heading.level) == highest).map(|heading| heading.text.clone());
        }
    }
}

impl FrontMatter {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

impl Code {
    pub(crate) fn new(style: CodeStyle) -> Self {
        Self {
            text: String::new(),
            language: None,
            title: None,
            attributes: Vec::new(),
            style,
            lines: Vec::new(),
        }
    }
}
