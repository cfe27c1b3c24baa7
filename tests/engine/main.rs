mod guide;
mod shell_reader;
