/// The tools of the conversation (C2). The names are the wire's: a call, an action and a grant hold them as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolName {
    Shell,
    ReadFile,
    WriteFile,
    EditFile,
    MultiFileEdit,
    ListDir,
    Search,
    AskUser,
    CreatePlan,
}

impl ToolName {
    /// In the order in which a model is told of them.
    pub const ALL: [Self; 9] = [
        Self::Shell,
        Self::ReadFile,
        Self::ListDir,
        Self::Search,
        Self::EditFile,
        Self::MultiFileEdit,
        Self::WriteFile,
        Self::AskUser,
        Self::CreatePlan,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::MultiFileEdit => "multi_file_edit",
            Self::ListDir => "list_dir",
            Self::Search => "search",
            Self::AskUser => "ask_user",
            Self::CreatePlan => "create_plan",
        }
    }

    /// Also as models write it that were taught other names: `functions.shell`, ` Shell `.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        let name = name.rsplit_once(['.', ':', '/']).map_or(name, |(_, last)| last);
        Self::ALL.into_iter().find(|tool| tool.as_str().eq_ignore_ascii_case(name))
    }

    /// Whether no call of it can change anything, so that calls of one round may run side by side.
    pub fn only_reads(self) -> bool {
        match self {
            Self::ReadFile | Self::ListDir | Self::Search => true,
            Self::Shell
            | Self::WriteFile
            | Self::EditFile
            | Self::MultiFileEdit
            | Self::AskUser
            | Self::CreatePlan => false,
        }
    }
}
