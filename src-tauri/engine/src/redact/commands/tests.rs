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
        // In quotes that are a command themselves.
        ("bash -c 'mysql -u root -phunter2 shop'", "hunter2"),
        ("ssh host \"PGPASSWORD=short psql\"", "short psql"),
        ("sudo bash -c \"ssh h 'curl -u ada:pw1 h'\"", "pw1"),
        ("echo \"machine h login ada password zq8f3a1b\" > f", "zq8f3a1b"),
        ("printf 'machine h\\npassword zq8f3a1b\\n' > f", "zq8f3a1b"),
        ("mysql -e \"ALTER USER a IDENTIFIED BY 'pw1'\"", "pw1"),
        ("psql -c \"CREATE USER a WITH PASSWORD 'pw1'\"", "pw1"),
        ("python3 -c 'password = \"pw1\"; log(in)'", "pw1"),
        // Options in one word.
        ("curl -sSu ada:pw1 https://h/", "pw1"),
        ("curl -x ada:pw1@proxy:3128 https://h/", "pw1"),
        ("curl --cert cert.pem:pw1 https://h/", "pw1"),
        ("docker run -eDB_PASSWORD=pw1 img", "pw1"),
        // A program that no table knows.
        ("tool -ptk-4f9a8b7c6d5e x", "tk-4f9a8b7c6d5e"),
        ("printf '%s' -ptk-4f9a8b7c6d5e", "tk-4f9a8b7c6d5e"),
        ("tool --admin-pw pw1", "pw1"),
        ("tool --authkey=pw1", "pw1"),
        ("tool --auth ada:pw1", "pw1"),
        ("tool --signing-key zq8f3a1b", "zq8f3a1b"),
        ("terraform apply -var 'db_password=pw1'", "pw1"),
        ("vault kv put secret/x password=pw1", "pw1"),
        ("echo \"password=pw1\" > f", "pw1"),
        ("git clone https://zq8f3a1bd77x@h/a.git", "zq8f3a1bd77x"),
        ("wget \"https://h/a?sig=zq8f3a1bd77x\"", "zq8f3a1bd77x"),
        // By their place, or behind a word of the program's own.
        ("htpasswd -bc file ada pw1", "pw1"),
        ("htpasswd -nb ada pw1 > file", "pw1"),
        ("openssl passwd -6 pw1", "pw1"),
        ("wpa_passphrase net pw1", "pw1"),
        ("nmcli dev wifi connect net password pw1", "pw1"),
        ("kubectl create secret generic s --from-literal=k=pw1", "pw1"),
        ("ssh-keygen -t ed25519 -N pw1 -f k", "pw1"),
        ("cargo login pw1", "pw1"),
        ("lftp -u ada,pw1 h", "pw1"),
        ("mosquitto_pub -u ada -P pw1 -t a -m b", "pw1"),
        ("smbclient //h/share pw1", "pw1"),
        ("sqlplus ada/pw1@db", "pw1"),
        ("lftp -e 'open -u ada,pw1 h; mirror' h", "pw1"),
        ("composer config -g http-basic.h ada pw1", "pw1"),
        ("composer config gitlab-token.h pw1", "pw1"),
        ("tool --password-file <(printf '%s' pw1)", "pw1"),
        // What is read or kept.
        ("chpasswd <<EOF\nada:pw1\nEOF", "ada:pw1"),
        ("read -r PASS <<< pw1", "pw1"),
        ("echo 'h:5432:db:ada:pw1' > ~/.pgpass", "h:5432:db:ada:pw1"),
        ("SSHPASS=pw1 sshpass -e ssh h", "pw1"),
        ("sshpass -p pw1 ssh -p 22 h", "pw1"),
        ("sudo sshpass -ppw1 scp -P 22 a h:", "pw1"),
        ("sshpass -f f mysql -ppw1", "pw1"),
        ("cat > ~/.pgpass <<EOF\nh.example:5432:*:ada:pw1\nEOF", "pw1"),
        ("net user ada pw1 /add", "pw1"),
        ("mc alias set store https://h:9000 ada pw1", "pw1"),
        ("sudo htpasswd -bc /etc/f ada pw1", "pw1"),
        ("cat > c.json <<EOF\n{\"password\": \"pw1\"}\nEOF", "pw1"),
        ("cat > c.yml <<EOF\nuser: ada\npassword: pw1\nEOF", "pw1"),
        ("echo \"password: pw1\" > x", "pw1"),
        ("cat > s.py <<EOF\nSECRET_KEY = \"pw1\"\nEOF", "pw1"),
        ("npm config set //registry.example/:_authToken pw1", "pw1"),
        ("pip config set global.password pw1", "pw1"),
        ("git config --global user.token pw1", "pw1"),
        ("poetry config pypi-token.pypi pw1", "pw1"),
        ("sudo useradd -p pw1 bob", "pw1"),
        ("usermod -p pw1 bob", "pw1"),
        ("gh secret set A --body pw1", "pw1"),
        ("flyctl secrets set A=pw1", "pw1"),
        ("restic --password-command \"echo pw1\" backup", "pw1"),
        ("expect -c \"send pw1\"", "pw1"),
        ("export MYSQL_PWD=pw1", "pw1"),
        ("BORG_PASSPHRASE=correct borg list", "correct"),
    ] {
        // From the back: a value may be a part of a name before it.
        let at = command.rfind(secret).unwrap();
        let wanted = format!("{}{HIDDEN}{}", &command[..at], &command[at + secret.len()..]);
        assert_eq!(Redactor::default().text(command), wanted);
    }
}

#[test]
fn a_secret_in_quotes_in_quotes_is_hidden() {
    let shown = Redactor::default().text("psql -c 'ALTER USER u PASSWORD '\"'\"'pw1'\"'\"''");
    assert!(!shown.contains("pw1") && shown.contains(HIDDEN), "{shown}");
}

#[test]
fn both_passwords_of_a_paper_are_hidden() {
    let shown = Redactor::default().text("qpdf --encrypt pw1 pw2 256 -- a.pdf b.pdf");
    assert_eq!(shown, format!("qpdf --encrypt {HIDDEN} {HIDDEN} 256 -- a.pdf b.pdf"));
}

#[test]
fn what_only_looks_like_one_stays() {
    for text in [
        "mkdir -p a/b && ls -pla",
        "docker run -p 8080:80 -u 1000:1000 img",
        "net user ada /delete",
        "net user",
        "mc alias set store https://h:9000 \"$KEY\" \"$SECRET_KEY\"",
        "sshpass -e ssh -p 22 h",
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
        "gcc -O2 -march=native -lpthread -I/usr/include/x86_64-linux-gnu a.c",
        "docker run -p8080:80 --user 1000:1000 -e NODE_ENV=production img:1.2",
        "ssh -p 2222 me@host \"cd /srv && ls -la\"",
        "git clone git@github.com:org/app2go-x1.git",
        "git commit -m \"Fix how the password is asked for\"",
        "echo \"key: value\" > a.yml",
        "openssl genrsa -out key.pem 2048",
        "openssl req -x509 -newkey rsa:4096 -keyout key.pem",
        "ssh-keygen -t ed25519 -N '' -f id",
        "git rev-parse --short a1b2c3d4e5f6",
        "kubectl create secret generic s --from-file=cert=tls.crt",
        "tar -xzf node-v18.2.0-linux-x64.tar.gz",
        "make TARGET=x86_64-linux-gnu",
        "wpa_passphrase net",
        "smbclient //h/share -U ada -c 'get a'",
        "sqlplus / as sysdba",
        "composer config repositories.a vcs https://h/a",
        "diff <(echo a) <(sort b)",
        "WARNING! Using --password via the CLI is insecure.",
        "git config credential.helper store && git config user.name ada",
        "pip config set global.index-url https://h/simple",
        "Enter the password: then go on.",
        "useradd -m bob",
        "cat /etc/passwd | wc -l",
        "echo done >> tokens.log",
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
