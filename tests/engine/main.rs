mod shell_reader;
