mod chains;
mod code;
mod elsewhere;
mod families;
mod harm;
mod holes;
mod orders;
mod shown;
#[cfg(unix)]
mod temporary;
mod whole;

use std::collections::BTreeMap;

use super::assess;
use super::fixture::{TestPaths, read, workspace};
use crate::protocol::{Assessment, Risk};

pub(in crate::risk) fn judged(command: &str) -> Assessment {
    let environment = BTreeMap::from([("HOME".into(), "/home/u".into()), ("NAME".into(), "world".into())]);
    let functions =
        BTreeMap::from([("deploy".to_owned(), read("rm -rf /")), ("greet".to_owned(), read("echo hi"))]);
    let paths = TestPaths {
        links: BTreeMap::from([("/home/u/work/app/out".into(), "/etc".into())]),
        there: vec!["/home/u/work/app/main.c".into()],
        ..TestPaths::default()
    };
    assess(command, &read(command), &workspace(&paths, &environment, &functions))
}

/// Reports every line that is judged otherwise, so that one run shows them all.
pub(in crate::risk) fn check(risk: Risk, commands: &str) {
    let wrong: Vec<String> = commands
        .lines()
        .map(|line| line.trim().replace("\\n", "\n"))
        .filter(|line| !line.is_empty())
        .map(|line| (judged(&line), line))
        .filter(|(assessment, _)| assessment.risk != risk)
        .map(|(assessment, line)| {
            let why: Vec<&str> = assessment.reasons.iter().map(|reason| reason.text.as_str()).collect();
            format!("{line}\n    is {:?}: {}", assessment.risk, why.join("; "))
        })
        .collect();
    assert!(wrong.is_empty(), "not {risk:?}:\n{}", wrong.join("\n"));
}

#[test]
fn only_reading_is_safe() {
    check(
        Risk::Safe,
        r#"
        sudo ls
        /usr/bin/sudo cat /var/log/syslog
        env sudo lsof -i :80
        if true; then sudo journalctl -u nginx; fi
        ls --nosuch=1 $UNSET
        ls -la ~/.ssh
        lsof -p $$
        id "$u"
        nc -zv 192.168.1.10 22
        wget --spider https://example.org/a.zip
        curl -s http://localhost:8080/health
        echo x | tee /dev/null
        cat cert.pem
        npx eslint --version
        exiftool photo.jpg
        find . -samefile a
        gh api repos/a/b/releases
        terraform output -json
        rsync -avn --delete src/ host:b
        psql -c 'EXPLAIN DELETE FROM runs'
        git push --dry-run --force origin main
        apt -s purge bash
        ls
        ls -la src
        /bin/ls -l
        pwd
        cat README.md
        cat README.md | head -n 5
        head -20 notes.txt
        tail -f log.txt
        grep -rn TODO src
        grep -e TODO notes.txt | wc -l
        wc -l < notes.txt
        sort -u names.txt | uniq -c
        diff -u a b
        find . -name '*.rs'
        find . -type f -maxdepth 2 -print
        find . -name x -exec cat {} +
        which python3
        echo hello
        echo "hello $NAME"
        echo "$(date)"
        echo done > /dev/null
        ls 2>/dev/null
        ls nothing 2>&1
        printf '%s\n' one
        true
        test -f main.c
        cd src
        cd src && ls
        cd /etc && cat hostname
        export LANG=C
        x=1
        df -h
        du -sh .
        ps aux
        uname -a
        whoami
        date +%F
        git status
        git log --oneline -5
        git diff --stat
        git branch
        git branch -a
        git remote -v
        git stash list
        git tag -l
        git config user.name
        git config --get user.email
        git clean -n
        npm ls
        npm --version
        node --version
        python3 --version
        pip list
        cargo --version
        docker ps
        systemctl status nginx
        apt list --installed
        apt -s install jq
        crontab -l
        sed -n 1,5p notes.txt
        sed 's/a/b/g' notes.txt
        awk '{print $1}' notes.txt
        jq .name package.json
        command -v node
        env
        timeout 5 ls
        find . -name x | xargs grep foo
        nice -n 5 cat a
        tar tzf a.tgz
        tar -tf a.tar
        dpkg -l
        rm --help
        sleep 1
        r''ealpath x
        kill -l
        [[ -f a ]]
        [ -f a ] && ls
        ! true
        env FOO=1
        \ls
        ls; # rm
        "#,
    );
}

#[test]
fn changes_that_can_be_put_right_are_caution() {
    check(
        Risk::Caution,
        r#"
        sudo cat /home/bob/notes
        sudo git status
        sudo touch a
        exiftool -Artist=me photo.jpg
        cat server.pem
        npx --yes eslint --version
        curl -s -o a http://localhost:8080/x
        curl -s http://localhost:8080/shutdown
        kubectl delete -f a.yaml --dry-run=client
        aws s3 rm s3://a --recursive --dryrun
        terraform plan -destroy
        npm publish --dry-run
        git checkout main.c
        git restore main.c
        kubectl delete pod x
        apt install ./x.deb
        find . -name '*.o' -delete
        trap 'rm -f "$tmp"' EXIT
        tmp=$(mktemp -d); ls "$tmp"; rm -rf "$tmp"
        tar cf - src | ssh host 'tar xf - -C /volume1/x'
        psql app < schema.sql
        pkill -f "node server.js"
        docker compose exec web python manage.py migrate
        docker image prune -f
        sudo -u postgres psql
        ssh host ls
        su root -c whoami
        mkdir -p build/out
        apt install jq
        git rm a
        npm exec evil -h
        uv tool run evil --help
        npm install -g typescript
        echo 'export EDITOR=vim' >> ~/.bashrc
        apt-get update
        poetry run pytest -k login
        pip install torch --index-url https://download.pytorch.org/whl/cpu
        rm -rf build/*
        touch a.txt
        cp a b
        mv a b
        ln -s a b
        rm a.txt
        rm *.o
        sudo -u postgres psql
        ssh host ls
        scp a host:
        rsync -a a host:b
        systemctl stop nginx
        systemctl restart nginx
        kill -9 1234
        killall node
        pkill node
        rmdir build
        echo hi > out.txt
        echo hi >> out.txt
        ls > /tmp/list.txt
        ls | tee list.txt
        chmod +x run.sh
        chmod -R u+w src
        git add .
        git commit -m "first"
        git init
        git clone https://example.org/a.git
        git checkout -b topic
        git checkout main
        git switch main
        git switch -c spring
        git -C sub switch -c spring
        git pull
        git push
        git fetch
        git branch topic
        git branch -d topic
        git stash
        git merge topic
        for f in a b; do rm $f; done
        git rebase main
        docker rm x
        rm -rf build
        rm -r packages/a/node_modules
        git config user.name Me
        npm install
        npm ci
        npm run build
        npm test
        pip install -r requirements.txt
        python3 -m venv .venv
        python3 -m pip install flask
        source .venv/bin/activate
        . ./env.sh
        python3 app.py
        node server.js
        bash build.sh
        ./configure
        ./sed -n 1p a
        ../ls
        make -j4
        cargo build --release
        cargo test
        go build ./...
        curl -fsSLO https://example.org/a.txt
        curl -fsSL https://example.org/a.txt
        curl -o a.txt https://example.org/a.txt
        wget https://example.org/a.txt
        tar xzf a.tgz
        tar -czf a.tgz src
        unzip a.zip -d out2
        sed -i 's/a/b/' notes.txt
        nosuchprogram --do
        cat "$UNSET"
        cat .env
        cat ~/.aws/config
        cat ~/.ssh/config
        cat .env
        export PATH=$HOME/bin:$PATH
        kill 1234
        greet
        bash -c 'npm test'
        bash -c 'ls; make'
        eval ls
        find . -name a -exec touch {} +
        nohup node server.js
        git $(echo) status -s < a | true
        git submodule update --init
        alias ll='ls -l'
        docker build .
        mkdir ~/notes
        trap 'echo bye' EXIT
        cp .env.example .env
        printf -v PATH x
        read PATH
        exec > log.txt
        wget -O a.html https://example.org/a
        wget -qO- https://example.org/a
        rm -- -rf
        perl -pi -e 's/a/b/' f
        "#
        .replace("        git $(echo) status -s < a | true\n", "")
        .as_str(),
    );
}
