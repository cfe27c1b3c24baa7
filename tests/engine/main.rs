mod runbooks;
mod shell_reader;
