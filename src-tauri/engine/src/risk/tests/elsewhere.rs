//! Text that runs in another folder than where it stands, or through a link that the same text makes.

use super::check;
use crate::protocol::Risk;

#[test]
fn what_runs_elsewhere_is_judged_there() {
    check(
        Risk::Dangerous,
        r#"
        (cd /srv; rm -rf build)
        (cd /srv; bash -c 'rm -rf build')
        (cd /srv; eval 'rm -rf build')
        (cd /srv && sh -c "rm -rf build")
        x=$(cd /srv; bash -c 'rm -rf build')
        (cd /srv; find . -name build -exec sh -c 'rm -rf build' ';')
        { cd /srv; bash -c 'rm -rf build'; } | cat
        { cd /srv; bash -c 'rm -rf build'; } &
        (cd ~; bash -c 'echo "alias ls=x" >> .bashrc')
        cat > s.sh <<'EOF'\nrm -rf build\nEOF\n(cd /srv; bash /home/u/work/app/s.sh)
        (cd /srv; bash -c "bash -c 'rm -rf build'")
        "#,
    );
}

#[test]
fn what_runs_later_is_judged_where_the_text_goes_to() {
    check(
        Risk::Dangerous,
        r#"
        f() { rm -rf build; }; cd /srv; f
        f() { rm -rf build; }; (cd /srv; f)
        f() { echo x >> .bashrc; }\ncd ~ && f
        trap 'rm -rf build' EXIT; cd /srv
        alias c='rm -rf build'\ncd /srv\nc
        while true; do rm -rf build; cd ..; done
        for d in a b; do rm -rf build; cd /srv; done
        f() { rm -rf build; }; cd "$X"; f
        CDPATH=/srv cd x; rm -rf build
        bash -c 'f() { rm -rf build; }; cd /srv; f'
        "#,
    );
    check(
        Risk::Caution,
        r#"
        for d in a b; do (cd "$d" && npm run build); done
        f() { rm -rf build; }; f
        (cd a; bash -c 'rm -rf build')
        trap 'rm -rf build' EXIT; cd a; make
        "#,
    );
}

#[test]
fn what_is_written_through_a_link_of_the_same_text_is_not_in_the_workspace() {
    check(
        Risk::Dangerous,
        r#"
        ln -s /etc/passwd x; echo hi > x
        ln -sf /etc y; tee y/passwd < a
        ln -s /etc; cp a etc/passwd
        ln /etc/hosts x && sed -i s/a/b/ x
        ln -s "$X" x; echo hi > x
        ln -st . /etc; cp a etc/passwd
        "#,
    );
    check(
        Risk::Caution,
        r#"
        ln -s src/a b; echo hi > b
        ln -s /usr/share/dict/words words
        ln -s /etc/passwd x; echo hi > y
        "#,
    );
}
