#!/usr/bin/env python3
"""Records real failures of the programs on this machine as fixtures of the field guide.

Each case is set up in a scratch folder (/w/site, made and removed here: run it as root on a throwaway machine), its command
is run by bash as Planwright runs it, and its messages are kept with what the guide must answer.

    python3 tests/support/record_failures.py > src-tauri/engine/src/guide/fixtures/recorded.json
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

SITE = pathlib.Path("/w/site")
HOME = "/w/home"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
COMMON = """apt apt-get awk bash cargo cat chmod cp curl cut date diff docker du env find gcc git grep gzip head jq less ln ls
make man mkdir mv node npm npx od perl pgrep python3 rm rmdir sed seq sh sleep sort ssh stat sudo systemctl tail tar tee touch
tr tree uniq unzip wc wget which xargs zip""".split()

ID = "git config user.name Ada && git config user.email ada@example.org"
REPO = f"git init -q -b main . && {ID} && echo one > a.txt && git add . && git commit -qm one"
REMOTE = "git init -q --bare ../remote.git && " + REPO + " && git remote add origin ../remote.git"
AHEAD = REMOTE + (" && git push -q origin main && git clone -q ../remote.git ../other && cd ../other && git config user.name B"
                  " && git config user.email b@example.org && git checkout -q main && echo two > b.txt && git add . && git commit -qm two"
                  " && git push -q && cd ../site && echo three > c.txt && git add . && git commit -qm three")
PKG = """printf '%s' '{"name":"site","version":"1.0.0","scripts":{"build":"echo built","start":"node server.js"},"dependencies":{"left-pad":"1.3.0"}}' > package.json"""

# (rule or None, command, set-up, [expected commands], options)
CASES = []


def case(rule, command, setup="", expect=(), **options):
    CASES.append((rule, command, setup, list(expect), options))


# files
case("redirect-missing-directory", "echo hi > out/notes.txt", expect=["mkdir -p out"])
case("redirect-missing-directory", "date >> 'my logs/today.log'", expect=["mkdir -p 'my logs'"])
case("redirect-missing-directory", "cd sub && echo hi > deep/er/x.txt", "mkdir sub", ["mkdir -p sub/deep/er"])
case(None, "echo hi > bulid/x.txt", "mkdir build")
case(None, "cat < missing/x.txt")
case("missing-directory", "touch notes/2024/may.md", expect=["mkdir -p notes/2024"])
case("missing-directory", "cp a.txt backup/a.txt", "touch a.txt", ["mkdir -p backup"])
case("missing-directory", "mv a.txt archive/old/a.txt", "touch a.txt", ["mkdir -p archive/old"])
case("missing-directory", "echo x | tee logs/x.log", expect=["mkdir -p logs"])
case("missing-directory", "ln -s ../a.txt links/a", "touch a.txt", ["mkdir -p links"])
case("missing-directory", "cp -r src/ dist/app/", "mkdir src", ["mkdir -p dist"])
case("missing-directory", "mv a.txt newdir/", "touch a.txt", ["mkdir -p newdir"])
case("missing-directory", "cp a.txt newdir/", "touch a.txt", ["mkdir -p newdir"])
case(None, "cp a.txt b.txt/", "touch a.txt b.txt")
case("redirect-missing-directory", "for i in 1 2; do echo $i > out/$i.txt; done", "", ["mkdir -p out"])
case("output-folder-missing", "tar czf out/x.tgz a.txt", "touch a.txt", ["mkdir -p out"])
case("awk-near-name", "jq .x setings.json", "echo '{}' > settings.json", ["jq .x settings.json"])
case("git-near-branch", "git pull origin mian", REMOTE + " && git push -q origin main", ["git pull origin main"])
case("apt-operation-misspelt", "apt-get instal -y jq", "", ["apt-get install -y jq"])
case("apt-operation-misspelt", "apt udpate", "", ["apt update"])
case("apt-operation-misspelt", "apt-get remoev jq", "", ["apt-get remove jq"])
case("input-near-name", "ls srcs", "mkdir src", ["ls src"])
case(None, "git push origin mian:other --force", REMOTE)
case("python-source-path", "python3 app/main.py", "mkdir -p src app && touch src/utils.py && echo 'import utils' > app/main.py", ["PYTHONPATH=src python3 app/main.py"])
case(None, "chmod +x biuld.sh", "touch build.sh")
case(None, "git reset --hard mian", REPO)
case("not-executable", "./go.sh", "printf '#!/bin/bash\\n./inner.sh\\n' > go.sh; chmod +x go.sh; touch inner.sh", ["chmod +x ./inner.sh"])
case(None, "cp nothing.txt somewhere.txt")
case("copy-target-not-a-directory", "cp a.txt b.txt both", "touch a.txt b.txt", ["mkdir -p both"])
case("copy-target-not-a-directory", "mv a.txt b.txt kept", "touch a.txt b.txt", ["mkdir -p kept"])
case(None, "cp a.txt b.txt c.txt", "touch a.txt b.txt c.txt")
case("output-folder-missing", "gcc main.c -o build/main", "echo 'int main(){return 0;}' > main.c", ["mkdir -p build"])
case("output-folder-missing", "tar xf a.tar -C unpacked", "touch x && tar cf a.tar x", ["mkdir -p unpacked"])
case(None, "tar xf missing-archive.tar")
case("mkdir-exists", "mkdir pictures", "mkdir pictures", ["mkdir -p pictures"])
case("mkdir-exists", "mkdir -v a b && cd a", "mkdir a", ["mkdir -p -v a b && cd a"])
case(None, "mkdir pictures", "touch pictures")
case("mkdir-parents", "mkdir site/assets/img", expect=["mkdir -p site/assets/img"])
case("mkdir-parents", "mkdir 'a b/c'", expect=["mkdir -p 'a b/c'"])
case("cd-near-name", "cd porjects", "mkdir projects other", ["cd projects"])
case("cd-near-name", "cd Website/pages && ls", "mkdir -p website/pages", ["cd website/pages && ls"])
case(None, "cd nowhere", "mkdir projects")
case(None, "cd release-2", "mkdir release-1")
case("input-near-name", "cat raedme.md", "touch readme.md notes.md", ["cat readme.md"])
case("input-near-name", "grep -n todo notes/tuesdya.txt", "mkdir notes && touch notes/tuesday.txt", ["grep -n todo notes/tuesday.txt"])
case("input-near-name", "wc -l < measurments.csv", "touch measurements.csv", ["wc -l < measurements.csv"])
case("input-near-name", "cp confg.toml copy.toml", "touch config.toml", ["cp config.toml copy.toml"])
case("input-near-name", "sort -u < naems.txt", "touch names.txt", ["sort -u < names.txt"])
case("input-near-name", "bash isntall.sh", "touch install.sh", ["bash install.sh"])
case("input-near-name", "tar xzf relase.tar.gz", "touch release.tar.gz", ["tar xzf release.tar.gz"])
case("input-near-name", "sed -n 1p fruist.txt", "touch fruits.txt", ["sed -n 1p fruits.txt"])
case("input-near-name", "gcc mian.c -o app", "touch main.c", ["gcc main.c -o app"])
case(None, "rm raedme.md", "touch readme.md")
case(None, "mv raedme.md x.md", "touch readme.md")
case(None, "sed -i s/a/b/ raedme.md", "touch readme.md")
case(None, "cat report-2023.txt", "touch report-2024.txt")
case(None, "cat b.txt", "touch a.txt")
case(None, "cat notse.txt", "touch notes.txt noste.txt")
case("awk-near-name", "awk '{print $1}' tabel.txt", "touch table.txt", ["awk '{print $1}' table.txt"])
case("awk-near-name", "unzip photso.zip", "touch photos.zip", ["unzip photos.zip"])
case("not-executable", "./hello.sh", "printf '#!/bin/sh\\necho hi\\n' > hello.sh", ["chmod +x ./hello.sh"])
case("not-executable", "cd bin && ./run --fast", "mkdir bin && printf '#!/bin/sh\\n' > bin/run", ["chmod +x bin/./run"])
case(None, "./folder", "mkdir folder")
case(None, "./missing.sh")
case("script-crlf", "./win.sh", "printf '#!/bin/bash\\r\\necho hi\\r\\n' > win.sh && chmod +x win.sh", ["sed -i 's/\\r$//' ./win.sh"])
case("script-crlf", "bash win.sh", "printf 'echo hi\\r\\ncd /tmp\\r\\n' > win.sh", ["sed -i 's/\\r$//' win.sh"])
case("script-crlf", "./win.py", "printf '#!/usr/bin/env python3\\r\\nprint(1)\\r\\n' > win.py && chmod +x win.py", ["sed -i 's/\\r$//' ./win.py"])
case("bad-interpreter", "./tool.py", "printf '#!/usr/local/bin/python3\\nprint(1)\\n' > tool.py && chmod +x tool.py", ["python3 ./tool.py"])
case("bad-interpreter", "./go.sh now", "printf '#!/opt/bin/bash\\necho 1\\n' > go.sh && chmod +x go.sh", ["bash ./go.sh now"])
case("rmdir-not-empty", "rmdir old-build", "mkdir old-build && touch old-build/x", ["rm -r old-build"])
case("rmdir-not-empty", "rmdir 'old build'", "mkdir 'old build' && touch 'old build/x'", ["rm -r 'old build'"])
case(None, "rmdir a b", "mkdir a b && touch b/x")
case(None, "rmdir missing")
case("cp-directory", "cp src copy", "mkdir src", ["cp -r src copy"])
case("cp-directory", "cp -v src a.txt copy", "mkdir src copy && touch a.txt", ["cp -r -v src a.txt copy"])
case("remove-folder", "rm folder", "mkdir folder", ["rm -r folder"])
case("read-only-own-file", "echo x > locked.txt", "touch locked.txt && chown 1000 . locked.txt && chmod 444 locked.txt", ["chmod u+w locked.txt"], user=1000)
case("read-only-own-file", "echo x | tee -a locked.txt", "touch locked.txt && chown 1000 . locked.txt && chmod 444 locked.txt", ["chmod u+w locked.txt"], user=1000)
case("permission-system-path", "touch /etc/site.conf", "", ["sudo touch /etc/site.conf"], user=1000, add=["sudo"])
case("permission-system-path", "mkdir -p /opt/site", "", ["sudo mkdir -p /opt/site"], user=1000, add=["sudo"])
case("permission-system-path", "cp a.conf /etc/a.conf", "touch a.conf", ["sudo cp a.conf /etc/a.conf"], user=1000, add=["sudo"])
case("redirect-needs-root", "echo x > /etc/site.conf", "", ["echo x | sudo tee /etc/site.conf > /dev/null"], user=1000, add=["sudo"])
case("no-space", "echo x > /dev/full")
case("no-space", "head -c 100 /dev/zero | tee /dev/full")
case("tar-wrong-compression", "tar xzf plain.tar.gz", "touch x && tar cf plain.tar.gz x", ["tar xf plain.tar.gz"])
case("tar-wrong-compression", "tar -xjvf plain.tar.bz2", "touch x && tar cf plain.tar.bz2 x", ["tar -xvf plain.tar.bz2"])
case("sed-bsd-inplace", "sed -i '' 's/a/b/' x.txt", "echo a > x.txt", ["sed -i 's/a/b/' x.txt"])
case("sed-bsd-inplace", "sed -i '' -e s/a/b/ x.txt", "echo a > x.txt", ["sed -i -e s/a/b/ x.txt"])
case(None, "echo ${x", "")
case(None, "set -u; echo $nothing")

case("text-file-busy", "cp /bin/true ./nap", "cp /bin/sleep nap && (./nap 5 > /dev/null 2>&1 &) ; sleep 0.1")
case("text-file-busy", "echo x > ./nap", "cp /bin/sleep nap && (./nap 5 > /dev/null 2>&1 &) ; sleep 0.1")
case("out-of-memory", "ulimit -v 200000; python3 -c 'x = bytearray(10**10)'", "")
case("out-of-memory", "node --max-old-space-size=8 -e 'const a=[]; for(;;) a.push(new Array(1000).fill({}))'", "")
case("command-other-name", "virtualenv env", "", ["python3 -m venv env"])
case("npm-command-misspelt", "npm instlal left-pad", PKG, ["npm install left-pad"])
case("linker-missing", "cargo build --offline", "mkdir src && echo 'fn main(){}' > src/main.rs && printf '[package]\\nname=\"x\"\\nversion=\"0.1.0\"\\n' > Cargo.toml && mkdir -p .cargo && printf '[target.x86_64-unknown-linux-gnu]\\nlinker=\"cc-gone\"\\n' > .cargo/config.toml", [], cargo=True, rule_none=True)

# programs
case("command-other-name", "python -V", "", ["python3 -V"])
case("command-other-name", "docker-compose up -d", "", ["docker compose up -d"])
case("command-not-installed", "htop -h", "", ["apt-get install -y htop"])
case("command-not-installed", "pandoc a.md -o a.html", "", ["sudo apt-get install -y pandoc"], user=1000, add=["sudo"])
case(None, "pandoc a.md -o a.html", "", user=1000, drop=["sudo"])
case("command-near-name", "gti status", "", ["git status"])
case("command-near-name", "mkdri -p a && mkdri b", "", ["mkdir -p a && mkdir b"])
case("command-near-name", "pyhton3 -V", "", ["python3 -V"])
case("command-near-name", "cat a.txt | grpe x", "touch a.txt", ["cat a.txt | grep x"])
case(None, "frobnicate --all")
case(None, "NAME = value")
case(None, "mr -r x", "mkdir x")
case("tool-not-installed", "make", "printf 'all:\\n\\tpandoc a.md\\n' > Makefile", ["apt-get install -y pandoc"])
case("tool-not-installed", "bash go.sh", "echo 'shellcheck x' > go.sh", ["apt-get install -y shellcheck"])
case("sudo-missing-as-root", "sudo mkdir -p made", "", ["mkdir -p made"])
case("sudo-missing-as-root", "sudo touch a && sudo touch b", "", ["touch a && touch b"])
case("sudo-missing", "sudo touch /etc/x", "", user=1000, drop=["sudo"])
case("sudo-missing", "sudo ls", "", user=1000, drop=["sudo"])
case("programs-own-advice", "ls --colr=never", "", ["ls --color=never"])
case("programs-own-advice", "grep --ingore-case x a.txt", "touch a.txt", ["grep --ignore-case x a.txt"])
case("programs-own-advice", "git log --onelin", REPO, [], rule_none=True)
case("programs-own-advice", "git commit --mesage x", REPO, ["git commit --message x"])
case("programs-own-advice", "curl --slient http://localhost:1/", "", ["curl --silent http://localhost:1/"])
case("programs-own-advice", "python3 tool.py --verbos", "printf 'import argparse\\np=argparse.ArgumentParser(allow_abbrev=False)\\np.add_argument(\"--verbose\",action=\"store_true\")\\np.parse_args()\\n' > tool.py", ["python3 tool.py --verbose"])
case(None, "ls --xyzzy")
case("program-suggests", "cargo biuld", "", ["cargo build"], cargo=True)
case("program-suggests", "cargo build --relase", "", ["cargo build --release"], cargo=True)
case(None, "cargo frobnicate", "", cargo=True)
case("killed", "kill -9 $$", "")
case("killed", "bash -c 'kill -9 $$'; exit 137", "")

# git
case("git-not-a-repository", "git add .", "touch a.txt", ["git init"])
case("git-not-a-repository", "git remote add origin ../remote.git", "touch a.txt", ["git init"])
case("git-not-a-repository", "cd sub && git add .", "mkdir sub && touch sub/a", ["git -C sub init"])
case(None, "git status")
case(None, "git push")
case(None, "git add .", "mkdir project && git init -q project")
case("git-nothing-to-commit", "git commit -m again", REPO)
case("git-nothing-to-commit", "git add . && git commit -m again", REPO)
case(None, "git commit -m two", REPO + " && touch new.txt")
case(None, "git commit -m two", REPO + " && echo x > a.txt")
case(None, "git commit -m two && echo done", REPO)
case("git-no-upstream", "git push", REMOTE, ["git push --set-upstream origin main"])
case("git-no-upstream", "git push && echo done", REMOTE, ["git push --set-upstream origin main && echo done"])
case("git-push-rejected", "git push origin main", AHEAD, ["git pull --rebase origin main"])
case("git-push-rejected", "git push", AHEAD + " && git branch -q --set-upstream-to=origin/main", ["git pull --rebase"])
case(None, "git push --force-with-lease=main:0000000000000000000000000000000000000001 origin main", AHEAD)
case("git-identity-unknown", "git commit -m two", "git init -q . && touch a && git add .")
case("git-identity-unknown", "git commit --allow-empty -m two", "git init -q .")
case("git-branch-exists", "git checkout -b draft", REPO + " && git branch draft", ["git checkout draft"])
case("git-branch-exists", "git switch -c draft", REPO + " && git branch draft", ["git switch draft"])
case(None, "git checkout -b draft HEAD", REPO + " && git branch draft")
case("git-branch-made", "git branch draft", REPO + " && git branch draft")
case("git-branch-made", "git branch 'feature/a'", REPO + " && git branch feature/a")
case("git-near-branch", "git checkout drfat", REPO + " && git branch draft", ["git checkout draft"])
case("git-near-branch", "git switch feature/lgoin", REPO + " && git branch feature/login", ["git switch feature/login"])
case("git-near-branch", "git checkout master", REPO, ["git checkout main"])
case("git-near-branch", "git merge drfat", REPO + " && git branch draft", ["git merge draft"])
case("git-near-branch", "git push origin master", REMOTE, ["git push origin main"])
case(None, "git branch -D drfat", REPO + " && git branch draft")
case(None, "git checkout -- a.tx", REPO)
case("git-branch-to-make", "git checkout elsewhere", REPO, ["git checkout -b elsewhere"])
case("git-near-file", "git add raedme.md", REPO + " && touch readme.md", ["git add readme.md"])
case("git-near-file", "git add inedx.html style.css", REPO + " && touch index.html style.css", ["git add index.html style.css"])
case(None, "git rm raedme.md", REPO + " && touch readme.md && git add . && git commit -qm r")
case("git-near-remote", "git push orign main", REMOTE, ["git push origin main"])
case("git-near-remote", "git fetch orgin", REMOTE, ["git fetch origin"])
case(None, "git push upstream main", REMOTE)
case("git-similar-command", "git stauts", REPO, ["git status"])
case("git-similar-command", "git comit -m x", REPO, ["git commit -m x"])
case(None, "git frobnicate", REPO)
case("git-branch-not-merged", "git branch -d draft", REPO + " && git checkout -q -b draft && echo d > d && git add d && git commit -qm d && git checkout -q main", ["git branch -D draft"])
case("git-branch-not-merged", "cd . && git branch --delete draft", REPO + " && git checkout -q -b draft && echo d > d && git add d && git commit -qm d && git checkout -q main", ["cd . && git branch -D draft"])
case(None, "git branch -d main", REPO)
case("git-index-lock", "git add .", REPO + " && touch .git/index.lock", ["! pgrep -x git && rm -f /w/site/.git/index.lock"])
case("git-index-lock", "git commit -qam x", REPO + " && echo x > a.txt && touch .git/index.lock", ["! pgrep -x git && rm -f /w/site/.git/index.lock"])
case("git-dubious-ownership", "git status", REPO + " && chown -R 1000 .", ["git config --global --add safe.directory /w/site"])
case("git-dubious-ownership", "git log", REPO + " && chown -R 1000 .", ["git config --global --add safe.directory /w/site"])
case("git-clone-exists", "git clone ../remote.git copy", REMOTE + " && git push -q origin main && git clone -q ../remote.git copy && git -C copy config remote.origin.url ../remote.git")
case("git-clone-exists", "git clone /w/remote.git", REMOTE + " && git push -q origin main && git clone -q /w/remote.git")
case(None, "git clone ../remote.git copy", REMOTE + " && mkdir copy && touch copy/x")
case("git-remote-exists", "git remote add origin ../new.git", REMOTE, ["git remote set-url origin ../new.git"])
case("git-remote-exists", "git remote add origin https://example.org/x.git && git remote -v", REMOTE, ["git remote set-url origin https://example.org/x.git && git remote -v"])
case("git-changes-in-the-way", "git checkout draft", REPO + " && git checkout -q -b draft && echo d > a.txt && git commit -qam d && git checkout -q main && echo mine > a.txt", ["git stash"])
case("git-changes-in-the-way", "git pull --rebase origin main", AHEAD + " && echo mine > a.txt", ["git stash"])
case(None, "git checkout draft", REPO + " && git checkout -q -b draft && echo d > d.txt && git add . && git commit -qm d && git checkout -q main && echo mine > d.txt")
case(None, "git merge draft", REPO + " && git checkout -q -b draft && echo d > a.txt && git commit -qam d && git checkout -q main && echo mine > a.txt && git commit -qam mine")
case(None, "git pull", REMOTE)

# python
case("python-module-missing", "python3 app.py", "echo 'import flask' > app.py", ["python3 -m pip install flask"])
case("python-module-missing", "python3 app.py", "echo 'from PIL import Image' > app.py && echo 'Pillow==10.0' > requirements.txt", ["python3 -m pip install -r requirements.txt"])
case("python-module-missing", "python3 -m pytest -q", "", ["python3 -m pip install pytest"])
case(None, "python3 app.py", "echo 'import my_own_thing' > app.py")
case(None, "python3 app.py", "echo 'import flask.nothing' > app.py && mkdir flask && touch flask/__init__.py")
case("python-source-path", "python3 -m greetings", "mkdir -p src/greetings && touch src/greetings/__main__.py", ["PYTHONPATH=src python3 -m greetings"])
case("python-source-path", "python3 test.py", "mkdir lib && touch lib/shapes.py && echo 'import shapes' > test.py", ["PYTHONPATH=lib python3 test.py"])
case("pip-externally-managed", "python3 -m pip install rich", "", ["python3 -m venv .venv", ". .venv/bin/activate"])
case(None, "/usr/bin/python3 -m pip install rich", "")
case("pip-near-requirements", "python3 -m pip install --break-system-packages -r requirement.txt", "touch requirements.txt", ["python3 -m pip install --break-system-packages -r requirements.txt"])
case("pip-near-requirements", "python3 -m pip download -r requirments.txt", "touch requirements.txt", ["python3 -m pip download -r requirements.txt"])
case(None, "python3 -m pip download -r wanted.txt", "touch requirements.txt")
case("python-activate-missing", ". .venv/bin/activate", "", ["python3 -m venv .venv"])
case("python-activate-missing", "source venv/bin/activate && python3 -V", "", ["python3 -m venv venv"])
case("input-near-name", ". .venv/bin/activate", "mkdir -p venv/bin && touch venv/bin/activate", [". venv/bin/activate"])
case("python-near-script", "python3 mian.py", "touch main.py", ["python3 main.py"])
case("python-near-script", "python3 tools/exprot.py --all", "mkdir tools && touch tools/export.py", ["python3 tools/export.py --all"])
case("python-output-folder", "python3 w.py", "echo \"open('out/data/x.txt', 'w').write('x')\" > w.py", ["mkdir -p out/data"])
case("python-output-folder", "python3 w.py", "printf 'with open(\"reports/may.txt\", \"a\") as f:\\n    f.write(\"x\")\\n' > w.py", ["mkdir -p reports"])
case(None, "python3 r.py", "echo \"print(open('in/x.txt').read())\" > r.py")
case(None, "python3 s.py", "echo 'print \"x\"' > s.py")

# node
case("npm-script-misspelt", "npm run biuld", PKG, ["npm run build"])
case("npm-script-misspelt", "npm run strat -- --port 1", PKG, ["npm run start -- --port 1"])
case(None, "npm run deploy", PKG)
case("npm-no-package-json", "npm test", "mkdir app && cd app && " + PKG, ["(cd app && npm test)"])
case("npm-no-package-json", "npm run build", "mkdir web && cd web && " + PKG, ["(cd web && npm run build)"])
case(None, "npm run build", "mkdir a b && touch a/package.json b/package.json")
case("node-module-missing", "node server.js", PKG + " && echo 'require(\"left-pad\")' > server.js", ["npm install"])
case("node-module-missing", "npm start", PKG + " && echo 'require(\"left-pad\")' > server.js", ["npm install"])
case(None, "node server.js", "echo 'require(\"left-pad\")' > server.js")
case(None, "node server.js", PKG + " && echo 'require(\"./left\")' > server.js")
case("npm-tools-not-installed", "npm run lint", """printf '%s' '{"name":"x","scripts":{"lint":"eslint ."},"devDependencies":{"eslint":"9"}}' > package.json""", ["npm install"])
case("npm-tools-not-installed", "npm run build", """printf '%s' '{"name":"x","scripts":{"build":"vite build"},"dependencies":{"vite":"8"}}' > package.json""", ["npm install"])
case("npm-command-misspelt", "npm build", PKG, ["npm run build"])
case("npm-command-misspelt", "npm outdatde", PKG, ["npm outdated"])
case("npm-ci-without-lock", "npm ci", PKG, ["npm install"])
case("npm-ci-without-lock", "npm ci --no-audit", PKG, ["npm install --no-audit"])
case("node-near-script", "node sevrer.js", "touch server.js", ["node server.js"])
case("node-near-script", "node ./src/idnex.js --x", "mkdir src && touch src/index.js", ["node ./src/index.js --x"])
case(None, "node other.js", "touch server.js")

# build
case("cargo-no-manifest", "cargo build", "mkdir -p tool && touch tool/Cargo.toml", ["(cd tool && cargo build)"], cargo=True)
case("cargo-no-manifest", "cargo test --quiet", "mkdir -p crate && touch crate/Cargo.toml", ["(cd crate && cargo test --quiet)"], cargo=True)
case(None, "cargo build", "", cargo=True)
case("make-near-target", "make biuld", "printf 'build:\\n\\ttrue\\ntest:\\n\\ttrue\\n' > Makefile", ["make build"])
case("make-near-target", "make -s tset", "printf 'build:\\n\\ttrue\\ntest: build\\n\\ttrue\\n' > Makefile", ["make -s test"])
case(None, "make deploy", "printf 'build:\\n\\ttrue\\n' > Makefile")
case(None, "make", "printf 'app: main.o\\n\\ttrue\\n' > Makefile && touch mian.o")
case("make-no-makefile", "make", "mkdir code && printf 'all:\\n' > code/Makefile", ["make -C code"])
case("make-no-makefile", "make test", "mkdir code && printf 'test:\\n' > code/Makefile", ["make -C code test"])
case(None, "make", "")
case(None, "gcc -c x.c", "echo '#include \"mine.h\"' > x.c")
case(None, "gcc x.c -lmine", "echo 'int main(){return 0;}' > x.c")
case("maths-not-linked", "gcc x.c -o x", "printf '#include <math.h>\\nint main(int c,char**v){return (int)pow(c,0.3*c);}' > x.c", ["gcc x.c -o x -lm"])
case("maths-not-linked", "gcc -O0 x.c && ./a.out", "printf '#include <math.h>\\nint main(int c,char**v){return (int)atan2(c,0.3*c);}' > x.c", ["gcc -O0 x.c -lm && ./a.out"])

# system
case("apt-lists-stale", "apt-get install -y no-such-package-here", "", ["apt-get update"])
case("apt-lists-stale", "apt install -y no-such-package-here", "", ["apt-get update"])
case(None, "apt-get update -qq && apt-get install -y no-such-package-here", "", skip=True)
case("apt-needs-root", "apt-get install -y jq", "", ["sudo apt-get install -y jq"], user=1000, add=["sudo"])
case("apt-needs-root", "dpkg -i x.deb", "touch x.deb", ["sudo dpkg -i x.deb"], user=1000, add=["sudo"])
case("no-systemd", "systemctl start nginx", "")
case("no-systemd", "systemctl status ssh", "")
case("docker-not-running", "docker ps", "")
case("docker-not-running", "docker run hello", "")
case("docker-command-misspelt", "docker biuld .", "", ["docker build ."])
case("docker-command-misspelt", "docker psuh x", "", ["docker push x"])
case("port-in-use", "python3 -m http.server 8931", "python3 -c 'import socket' ", ["python3 -m http.server 8932"], listen=8931)
case("port-in-use", "node -e \"require('http').createServer().listen(8931)\"", "", ["node -e \"require('http').createServer().listen(8932)\""], listen=8931)
case(None, "python3 serve.py", "printf 'import http.server\\nhttp.server.HTTPServer((\"\",8931),None)\\n' > serve.py", listen=8931)
case("account-exists", "useradd nobody", "")
case("account-exists", "groupadd nogroup", "")

# network
case("network-name", "curl -sS http://name.of.nowhere.planwright/", "")
case("network-name", "git clone http://name.of.nowhere.planwright/x.git", "")
case(None, "curl -sS http://thing.invalid/", "")
case("connection-refused", "curl -sS http://localhost:9/", "")
case("connection-refused", "wget -q -O - http://localhost:9/ || wget -O - http://localhost:9/", "")
case(None, "ssh -o BatchMode=yes -o ConnectTimeout=2 -p 9 localhost true", "")


def record(rule, command, setup, expect, options):
    shutil.rmtree("/w", ignore_errors=True)
    SITE.mkdir(parents=True)
    pathlib.Path(HOME).mkdir()
    os.chmod("/w", 0o755)
    toolchain = pathlib.Path.home()
    cargo = f"{toolchain}/.cargo/bin:" if options.get("cargo") else ""
    env = {"PATH": cargo + PATH, "HOME": HOME, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "DEBIAN_FRONTEND": "noninteractive",
           "GIT_EDITOR": "false", "npm_config_update_notifier": "false"}
    if options.get("cargo"):
        env.update(RUSTUP_HOME=f"{toolchain}/.rustup", CARGO_HOME=f"{toolchain}/.cargo")
    bash = ["bash", "--noprofile", "--norc", "+O", "extglob", "-c"]
    done = subprocess.run(bash + [setup or "true"], cwd=SITE, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"set-up failed: {setup}\n{done.stderr}")
    user = options.get("user")
    if user:
        env["HOME"] = "/nonexistent"
        bash = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] + bash
    files, folders = {}, []
    for root, names, plain in os.walk(SITE):
        inside = root.split("/.git/")[1] if "/.git/" in root else ""
        if inside.startswith(("objects", "hooks", "logs", "info")):
            names.clear()
            continue
        folders.append(root)
        for name in plain:
            file = pathlib.Path(root, name)
            kept = ".git" not in root or name in ("config", "packed-refs", "HEAD", "index.lock") or "/refs/" in root
            if kept:
                files[str(file)] = file.read_bytes()[:2000].decode("utf-8", "replace") if "/refs/" not in root else ""
    listener = None
    if options.get("listen"):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("0.0.0.0", options["listen"]))
        listener.listen()
    ran = subprocess.run(bash + [command], cwd=SITE, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    if listener:
        listener.close()
    programs = [name for name in COMMON if shutil.which(name, path=f"{PATH}:{toolchain}/.cargo/bin")]
    programs = sorted(set(programs) - set(options.get("drop", [])) | set(options.get("add", [])))
    here = socket.gethostname()
    ran.stdout, ran.stderr = (re.sub(rf"\b{re.escape(here)}\b", "machine", text) for text in (ran.stdout, ran.stderr))
    return {"command": command, "exit": ran.returncode if ran.returncode >= 0 else 128 - ran.returncode, "stdout": ran.stdout,
            "stderr": ran.stderr, "cwd": str(SITE), "files": files, "folders": folders, "programs": programs,
            "root": not user, "rule": rule, "expect": expect}


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    recorded = []
    for rule, command, setup, expect, options in CASES:
        if options.get("skip") or only not in command:
            continue
        if options.get("rule_none"):
            rule = None
        result = record(rule, command, setup, expect, options)
        if result["exit"] == 0:
            print(f"did not fail: {command}", file=sys.stderr)
            continue
        recorded.append(result)
    shutil.rmtree("/w", ignore_errors=True)
    json.dump(recorded, sys.stdout, indent=1)
    print()


main()
