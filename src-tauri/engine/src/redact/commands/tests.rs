//! What is hidden in commands, and what only looks like a secret.

use super::super::{HIDDEN, Redactor};

#[test]
fn a_secret_in_a_command_is_hidden_and_the_rest_is_left() {
    for (command, secret) in [
        ("mysql -u root -phunter2 shop", "hunter2"),
        ("mysqldump -p'a b c' shop > dump.sql", "a b c"),
        ("psql --password x -c 'select 1'", "x"),
        ("tool --password=hunter2 --verbose", "hunter2"),
        ("tool --api-key \"k1k2k3\" list", "k1k2k3"),
        ("keytool -list -storepass changeit1", "changeit1"),
        ("sshpass -p letmein ssh host uptime", "letmein"),
        ("sshpass -pletmein ssh host uptime", "letmein"),
        ("curl -u ada:s3cret https://h/x", "s3cret"),
        ("curl -uada:s3cret https://h/x", "s3cret"),
        ("curl -s --user 'ada:s3 cret' https://h/x", "s3 cret"),
        ("curl -H 'X-Shop-Token: abc' https://h/x", "abc"),
        ("curl -H \"Authorization: Bearer abc\" https://h/x", "abc"),
        ("curl -d 'user=ada&password=pw1&x=1' https://h/x", "pw1"),
        ("curl -d '{\"user\":\"ada\",\"password\":\"pw1\"}' https://h/x", "pw1"),
        ("curl -b session=1234 https://h/x", "1234"),
        ("curl \"https://h/x?access_token=pw1&x=1\"", "pw1"),
        ("git clone https://ada:s3cret@h/x.git", "s3cret"),
        ("DB_PASSWORD=short ./run", "short"),
        ("export API_TOKEN='from here'", "from here"),
        ("env GITHUB_TOKEN=abc123 gh pr list", "abc123"),
        ("docker run -e DB_PASSWORD=pw1 -p 8080:80 img", "pw1"),
        ("docker login -u ada -p pw1 registry.example", "pw1"),
        ("sudo mysql -phunter2 shop", "hunter2"),
        ("cd x && redis-cli -a pw1 ping", "pw1"),
        ("ldapsearch -D cn=a -w pw1 -b dc=x", "pw1"),
        ("smbclient //h/s -U ada%pw1", "pw1"),
        ("openssl enc -aes-256-cbc -pass pass:pw1 -in a", "pw1"),
        ("7z x -ppw1 a.7z", "pw1"),
        ("npm config set //registry.example/:_authToken=pw1", "pw1"),
        ("aws configure set aws_secret_access_key pw1", "pw1"),
        ("kubectl create secret generic s --from-literal=password=pw1", "pw1"),
        ("echo pw1 | sudo -S apt-get update", "pw1"),
        ("printf '%s' 'pw 1' | docker login --password-stdin -u ada", "pw 1"),
        ("sudo -S true <<< pw1", "pw1"),
        (
            "cat <<EOF > k\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----\nEOF",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----",
        ),
        ("tool \\\n  --token \\\n  pw1 \\\n  end", "pw1"),
    ] {
        // From the back: a value may be a part of a name before it.
        let at = command.rfind(secret).unwrap();
        let wanted = format!("{}{HIDDEN}{}", &command[..at], &command[at + secret.len()..]);
        assert_eq!(Redactor::default().text(command), wanted);
    }
}

#[test]
fn what_only_looks_like_one_stays() {
    for text in [
        "mkdir -p a/b && ls -pla",
        "docker run -p 8080:80 -u 1000:1000 img",
        "ssh -p 2222 host",
        "mysql -u root -p shop",
        "mysql --password=\"$DB_PASSWORD\" shop",
        "curl -u \"$USER:$PASSWORD\" https://h/x",
        "curl -H \"Authorization: Bearer $TOKEN\" https://h/x",
        "tool --password-file /run/pw --token-stdin --no-password --ask-pass",
        "gpg --passphrase-file pw --batch",
        "tool --token /run/secrets/token",
        "The option --password is needed, and --token must be set.",
        "MAX_TOKENS=4096 KEY=value sort --key=2 -k 1,1",
        "PWD=/tmp TOKEN_FILE=/run/token ./run",
        "git log --oneline --author=ada",
        "let token=self.next_token();",
        "unzip -p a.zip file | grep -i pass",
        "echo done | sudo tee /etc/x",
        "don't pass a secret; it's",
        "",
    ] {
        assert_eq!(Redactor::default().text(text), text);
    }
}

#[test]
fn what_a_command_holds_is_known_afterwards() {
    let redactor = Redactor::default();
    redactor.know_command("mysql -phunter2x shop; curl -u ada:pw1 h; curl -u ada:changeme h");
    // Output is judged by what is known: a trace of the shell, and what the program says.
    let mut stream = redactor.stream();
    let mut shown = stream.push(b"+ mysql -phunter2x, or hunter2x; pw1, changeme");
    shown.extend(stream.finish());
    let shown = String::from_utf8(shown).unwrap();
    assert_eq!(shown, "+ mysql [secret hidden], or [secret hidden]; pw1, changeme");
}
