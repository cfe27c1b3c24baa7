//! Whether a text for a database only asks it something. Stricter than what `scripts` calls harmless: a function that is
//! not known here could do anything at the other end, and a column of passwords is not plain reading.

use super::scripts;
use crate::protocol::Risk;

/// Functions, and words of the languages that stand before a bracket.
const TAME: [&str; 160] = [
    "formatreadablesize",
    "formatreadablequantity",
    "read_csv_auto",
    "read_csv",
    "read_parquet",
    "read_json",
    "read_json_auto",
    "parquet_schema",
    "parquet_metadata",
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "length",
    "char_length",
    "lower",
    "upper",
    "coalesce",
    "nullif",
    "now",
    "date",
    "time",
    "datetime",
    "strftime",
    "date_trunc",
    "extract",
    "round",
    "abs",
    "distinct",
    "substr",
    "substring",
    "trim",
    "concat",
    "cast",
    "version",
    "current_database",
    "current_schema",
    "current_user",
    "database",
    "user",
    "pg_size_pretty",
    "pg_database_size",
    "pg_total_relation_size",
    "pg_relation_size",
    "pg_table_size",
    "pg_indexes_size",
    "pg_is_in_recovery",
    "pg_last_wal_receive_lsn",
    "pg_last_wal_replay_lsn",
    "pg_last_xact_replay_timestamp",
    "pg_current_wal_lsn",
    "pg_postmaster_start_time",
    "pg_wal_lsn_diff",
    "age",
    "to_char",
    "to_timestamp",
    "row_number",
    "rank",
    "over",
    "in",
    "and",
    "or",
    "not",
    "on",
    "as",
    "exists",
    "from",
    "where",
    "select",
    "using",
    "by",
    "any",
    "all",
    "values",
    "group_concat",
    "string_agg",
    "array_agg",
    "json_agg",
    "json_extract",
    "find",
    "findone",
    "countdocuments",
    "estimateddocumentcount",
    "getcollectionnames",
    "getcollection",
    "pretty",
    "limit",
    "sort",
    "serverstatus",
    "stats",
    "currentop",
    "isnull",
    "unnest",
    "left",
    "right",
    "replace",
    "ltrim",
    "rtrim",
    "floor",
    "ceil",
    "ceiling",
    "greatest",
    "least",
    "ifnull",
    "typeof",
    "instr",
    "total",
    "julianday",
    "unixepoch",
    "concat_ws",
    "year",
    "month",
    "day",
    "hour",
    "timestampdiff",
    "datediff",
    "date_format",
    "to_date",
    "lag",
    "lead",
    "dense_rank",
    "ntile",
    "first_value",
    "last_value",
    "partition",
    "json_array_length",
    "jsonb_array_length",
    "pg_get_viewdef",
    "pg_get_indexdef",
    "pg_get_constraintdef",
    "format_type",
    "obj_description",
    "col_description",
    "array_length",
    "bool_or",
    "bool_and",
    "percentile_cont",
    "within",
    "group",
    "filter",
    "between",
    "when",
    "then",
    "else",
    "case",
    "with",
    "is",
    "having",
    "join",
    "union",
    "like",
    "interval",
    "regexp_replace",
    "split_part",
    "position",
    "strpos",
    "mod",
    "power",
    "sqrt",
];
const SECRET: [&str; 12] = [
    "pg_shadow",
    "pg_authid",
    "mysql.user",
    "passw",
    "authentication_string",
    "credential",
    "secret",
    "api_key",
    "apikey",
    "token",
    "private_key",
    "shadow",
];

/// Questions that the words of `scripts` do not cover.
const QUESTIONS: [&str; 5] =
    ["rs.status()", "rs.conf()", "sh.status()", "rs.printsecondaryreplicationinfo()", "db.currentop()"];
/// What lets somebody in, or ends the server, whatever else the text says.
const OPENS: [&str; 10] = [
    "superuser",
    "createrole",
    "shutdownserver",
    "identified by",
    "with grant option",
    "bypassrls",
    "local_infile",
    "purge ",
    "dropuser",
    "droprole",
];

/// `.backup copy.db`: a copy under a plain name beside it.
pub(super) fn copies_itself(text: &str) -> bool {
    let name = text.trim().strip_prefix(".backup ").map(|name| name.trim().trim_matches('\''));
    name.is_some_and(|name| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c))
            && !name.starts_with(['/', '-'])
            && !name.contains("..")
            && !name.contains("/.")
    })
}

/// `COPY (SELECT …) TO 'means.csv' (HEADER)`: the answer to a question goes into a file under a plain name, which is told.
pub(super) fn copies_out(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let inner = text.get(..6).filter(|start| start.eq_ignore_ascii_case("copy (")).and(text.get(6..))?;
    let at = inner.to_ascii_lowercase().rfind(") to '")?;
    let (question, rest) = (inner.get(..at)?, inner.get(at + 6..)?);
    let (file, form) = rest.split_once('\'')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let form = form.trim();
    let form_known = form.is_empty()
        || form.starts_with('(')
            && form.ends_with(')')
            && form.chars().all(|c| c.is_ascii_alphanumeric() || " (),_'|".contains(c));
    let tame = !file.is_empty()
        && file.chars().all(plain)
        && !file.starts_with(['/', '.'])
        && !file.contains("..")
        && !file.contains("/.")
        && form_known;
    (tame && only_asks(question)).then_some(file)
}

/// Whether a text gives rights away or ends the server.
pub(super) fn opens(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("dblink_")
        || OPENS.iter().any(|word| lower.contains(word)) && !lower.trim_start().starts_with("select")
}

pub(super) fn only_asks(text: &str) -> bool {
    // `\G`: the answer one field a line.
    let text = text.trim_end().trim_end_matches("\\G");
    let lower = text.to_lowercase();
    if QUESTIONS.contains(&lower.trim()) {
        return true;
    }
    // `DESCRIBE SELECT …` of one statement shows which columns there would be.
    let described =
        ["describe ", "summarize "].iter().find_map(|start| lower.trim_start().strip_prefix(start));
    let lower = match described.filter(|rest| rest.trim_start().starts_with("select ") && !rest.contains(';'))
    {
        Some(rest) => rest.trim_start().to_owned(),
        None => lower,
    };
    // Files of the folder at hand, none that are hidden or elsewhere.
    let reads = ["read_", "parquet_"].iter().any(|start| lower.contains(start));
    if reads && ["://", "'/", "\"/", "~", "/.", "'.", ".."].iter().any(|place| lower.contains(place)) {
        return false;
    }
    // `PRAGMA integrity_check`: looks through the file.
    const LOOKS_THROUGH: [&str; 8] = [
        "integrity_check",
        "quick_check",
        "foreign_key_check",
        "table_list",
        "database_list",
        "user_version",
        "page_count",
        "freelist_count",
    ];
    let kept: Vec<&str> = lower
        .split(';')
        .filter(|one| {
            !one.trim().strip_prefix("pragma ").is_some_and(|name| LOOKS_THROUGH.contains(&name.trim()))
        })
        .collect();
    let lower =
        if lower.contains("pragma ") && !lower.contains(['\'', '"']) { kept.join(";") } else { lower };
    if lower.trim().is_empty() {
        return !text.trim().is_empty();
    }
    // `show create table` shows.
    scripts::sql(&without_literals(&lower.replace("show create ", "show "))) == Risk::Safe
        && !SECRET.iter().any(|word| lower.contains(word))
        && called(&lower).all(|name| TAME.contains(&name))
}

/// What stands between single quotes is no statement: `where query like '%drop%'`. Only where the quotes cannot be taken
/// in another way: no escapes, comments, other quotes or lines.
fn without_literals(text: &str) -> String {
    let asks = ["select ", "show "].iter().any(|start| text.trim_start().to_lowercase().starts_with(start));
    let doubtful = text.contains(['\\', '"', '`', '$', '#', '\n'])
        || text.contains("--")
        || text.contains("/*")
        || text.matches('\'').count() % 2 == 1;
    if !asks || doubtful {
        return text.to_owned();
    }
    text.split('\'').step_by(2).collect::<Vec<&str>>().join("''")
}

/// The names that stand right before an opening bracket.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let before = text.get(..at)?.trim_end();
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        (!name.is_empty()).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_is_told_from_doing() {
        for text in [
            "select count(*) from users",
            "SELECT pg_size_pretty(pg_database_size('app'))",
            "show databases",
            "db.orders.find().limit(5)",
            "select id from a where b in (1, 2)",
            "\\dt",
            "select query from pg_stat_activity where query ilike '%drop%'",
        ] {
            assert!(only_asks(text), "{text}");
        }
        for text in [
            "select pg_reload_conf()",
            "select passwd from pg_shadow",
            "select sys_exec('id')",
            "select load_extension('x')",
            "delete from users",
            "select 'a'; drop table users; select 'b'",
            "select 1 -- '\n; drop table users -- '",
            "select \"'\"; drop table users; select \"'\"",
            "select 'a\\'; drop table users; select 'b'",
            "select dblink_exec('drop table users')",
            "select * from users where token = 'x'",
        ] {
            assert!(!only_asks(text), "{text}");
        }
    }
}
