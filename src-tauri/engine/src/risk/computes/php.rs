//! PHP one-liners that only compute: `echo PHP_VERSION;`. Few words and signs, and texts into which nothing is put.

use super::reads::OPENED;
use super::{Token, is_light};

/// Words that may stand by themselves.
#[rustfmt::skip]
const WORDS: [&str; 92] = [
    "array_count_values", "str_split", "array_reverse", "array_keys", "array_values", "array_unique", "array_merge",
    "in_array", "range", "strpos", "substr", "str_replace", "ucwords", "lcfirst", "htmlspecialchars", "md5", "sha1",
    "hash", "base64_encode", "bin2hex", "dechex", "hexdec", "bindec", "decbin", "mktime", "strtotime", "checkdate",
    "is_numeric", "pi", "pow", "fmod", "array_product", "array_slice", "array_chunk", "array_combine", "array_flip",
    "implode", "explode", "get_loaded_extensions", "extension_loaded", "function_exists", "class_exists",
    "php_ini_loaded_file", "php_ini_scanned_files", "ini_get", "php_uname", "memory_get_usage", "sys_get_temp_dir",
    "json_encode", "print_r", "var_export", "str_repeat", "str_pad", "trim", "sprintf", "printf", "array_sum",
    "PHP_INT_SIZE", "PHP_MINOR_VERSION", "PHP_VERSION_ID", "M_PI", "gettype", "ucfirst", "strrev",
    "echo", "print", "PHP_VERSION", "PHP_OS", "PHP_EOL", "PHP_INT_MAX", "PHP_MAJOR_VERSION", "phpversion",
    "php_sapi_name", "strlen", "strtoupper", "strtolower", "round", "floor", "ceil", "sqrt", "max", "min",
    "abs", "date", "time", "var_dump", "intdiv", "number_format", "count", "true", "false", "null",
];

pub(super) fn only_computes(text: &str) -> bool {
    tokens(text).is_some_and(|tokens| {
        !tokens.is_empty() && is_light(&tokens) && (0..tokens.len()).all(|at| fits_at(&tokens, at))
    })
}

fn fits_at(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    match tokens.get(at) {
        // `OPENED` is no word of PHP: it is an error and nothing more.
        Some(Token::Name(name)) => WORDS.contains(&name.as_str()) || name == OPENED,
        // Only what has a name is called: `("system")("id")` is not.
        Some(Token::Sign('(')) => !matches!(before, Some(Token::Text(_) | Token::Sign(')'))),
        Some(Token::Number(_) | Token::Text(_) | Token::Piece(_) | Token::Sign(_)) => true,
        None => false,
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => {}
            '"' | '\'' => {
                let mut inside = String::new();
                loop {
                    match rest.next()? {
                        end if end == c => break,
                        // A new line or a tabulator; other escapes may spell anything.
                        '\\' => {
                            rest.next_if(|escaped| "nt".contains(*escaped))?;
                            inside.push(' ');
                        }
                        // Put into the text, perhaps after running it.
                        '$' | '@' | '#' | '`' => return None,
                        other => inside.push(other),
                    }
                }
                tokens.push(Token::Text(inside));
            }
            '0'..='9' => {
                let mut number = String::from(c);
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                if rest.peek().is_some_and(|next| next.is_alphabetic() || *next == '_') {
                    return None;
                }
                tokens.push(Token::Number(number.parse().ok()?));
            }
            _ if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::from(c);
                while let Some(more) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
                    name.push(more);
                }
                tokens.push(Token::Name(name));
            }
            _ if "+-*%(),;.".contains(c) => tokens.push(Token::Sign(c)),
            _ => return None,
        }
    }
    Some(tokens)
}
