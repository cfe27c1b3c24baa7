//! What only shows something by a word, a flag or an order of its own, and its neighbours that do more.

use super::check;
use crate::protocol::Risk;

#[test]
fn what_is_shown_of_media_books_and_mail_is_safe() {
    check(
        Risk::Safe,
        r#"
        mkvinfo --track-info film.mkv
        aubio beat loop.wav
        gphoto2 --auto-detect
        gphoto2 --port usb:001,004 --list-files
        mutool info report.pdf
        texcount -brief -merge main.tex
        ebook-meta story.epub
        calibredb list --fields title
        hunspell -l -d de_DE letter.txt
        aspell --lang=de list < letter.txt
        notmuch search --output=threads tag:todo
        mu find subject:hello
        mutt -R -f box
        pass find bank
        aconnect -l
        arecord -L
        v4l2-ctl -d /dev/video1 --list-ctrls
        lpstat -t
        lpoptions -p Den -l
        yt-dlp -F https://video.example/watch?v=1
        aria2c -S list.torrent
        "#,
    );
    check(
        Risk::Caution,
        r#"
        mkvinfo @options.json
        mkvinfo -r out.txt film.mkv
        aubio cut loop.wav
        gphoto2 --list-files --get-all-files
        mutool show -o out.txt report.pdf trailer
        texcount -opt=x main.tex
        ebook-meta --title New story.epub
        hunspell letter.txt
        aspell check letter.txt
        notmuch tag +x tag:y
        notmuch show --decrypt=true id:x
        mu find --linksdir=x --format=links a
        aconnect -x
        v4l2-ctl --list-ctrls -c brightness=1
        lpoptions -d Den
        lpoptions -p Den -l -o sides=one
        yt-dlp -F --print-to-file a b https://video.example/a
        yt-dlp -F "https://video.example/?$(cat a)"
        aria2c --show-files=false list.torrent
        aria2c -S https://video.example/list.torrent
        "#,
    );
    check(
        Risk::Dangerous,
        r#"
        mkvinfo -r ~/.bashrc film.mkv
        gphoto2 --list-files --delete-all-files
        gphoto2 --auto-detect --hook-script=/tmp/x.sh
        calibredb remove 4
        mu find --exec=x a
        mutt -R -f box somebody@mail.example
        mutt -R -f box -e 'set x'
        pass find
        pass ls bank
        yt-dlp -F --exec 'rm x' https://video.example/a
        "#,
    );
}

#[test]
fn what_is_shown_of_servers_and_clusters_is_safe() {
    check(
        Risk::Safe,
        r#"
        pg_dump -s -U app shop
        pg_restore --list shop.dump
        mysqladmin -u root -i 5 processlist
        virsh --connect qemu:///session dominfo vm
        ipmitool -I open sensor list
        scontrol -o show node n1
        sacctmgr -n show qos
        stern -n web --since 5m api
        terraform fmt -check -recursive
        terraform fmt -write=false -diff
        caddy adapt --config Caddyfile
        keytool -list -keystore dev.jks
        lcov --list out.info
        fossil timeline -n 3
        bzr log
        darcs log
        python manage.py showmigrations --plan
        python3 manage.py check 2>&1
        php artisan route:list --json
        bin/rails routes -g cart
        bin/rails db:migrate:status
        http --ignore-stdin :8000/items page==2
        duckdb -c "DESCRIBE SELECT * FROM read_parquet('a.parquet')"
        fd -e rs . src | xargs wc -l
        "#,
    );
    check(
        Risk::Caution,
        r#"
        pg_dump shop
        pg_dump -s "$db"
        pg_dump -s -f shop.sql shop
        pg_restore -l -d shop shop.dump
        virsh -c 'qemu+ext:///system?command=/tmp/x' list
        virsh dumpxml vm --security-info
        mysqladmin --login-path=x status
        terraform fmt -check=false
        terraform fmt -check -x
        keytool -list -providerpath /tmp -keystore dev.jks
        lcov --rc criteria_script=/tmp/x --summary out.info
        python manage.py diffsettings
        python manage.py check --settings=x
        echo x > urls.py; python manage.py check
        php artisan config:show database
        bin/rails about db:migrate
        http :8000/items name=x
        http :8000/shutdown
        duckdb -c "COPY (SELECT 1) TO 'a.csv' (HEADER)"
        duckdb -c "SELECT * FROM read_csv('/etc/passwd')"
        fd . / | xargs cat
        fd -C / x src | xargs cat
        "#,
    );
    check(
        Risk::Dangerous,
        r#"
        pg_restore -c -d shop shop.dump
        mysqladmin status drop shop
        mysqladmin ping dr shop
        virsh list ';' destroy vm
        virsh -c qemu:///system undefine vm
        ipmitool sdr dump x
        ipmitool fru internaluse 0 write x
        ipmitool -I open chassis power off
        scontrol update nodename=n1 state=down
        terraform apply -check
        caddy run --config /tmp/Caddyfile
        keytool -list -J-javaagent:/tmp/x.jar
        fossil scrub --force ../a.fossil
        darcs diff --diff-command='x %1'
        PYTHONPATH=/tmp python manage.py check
        duckdb -c "COPY (SELECT 1) TO '/etc/x'"
        psql -c "COPY (SELECT 1) TO 'a.csv'"
        duckdb shop.db -c "COPY (SELECT 1) TO 'a.csv'; DROP TABLE x"
        gdalinfo --config GDAL_DRIVER_PATH /tmp a.tif
        "#,
    );
}

#[test]
fn dry_runs_and_images_of_the_workspace_are_told_from_disks() {
    check(
        Risk::Safe,
        r#"
        sudo mkfs.ext3 -n /dev/sdc1
        sudo wipefs --no-act -a /dev/sdc
        sudo e2fsck -fn /dev/sdc1
        sudo resize2fs -P /dev/sdc1
        sudo debugfs -R 'ls -l /home' /dev/sdc1
        sudo nsenter -t 81 --net ss -tn
        setcap -v cap_net_raw=ep /usr/bin/ping
        setfacl --test -m u:a:rx src
        dd if=notes.txt bs=8 count=1
        split -n 1/3 notes.txt
        kill -0 4321
        kill -0 "$(cat a.pid)"
        rename --no-act .htm .html a.htm b.htm
        logger --no-act hello
        make -n release
        git blame -w -L 3,9 main.c
        tree --du -h
        "#,
    );
    check(
        Risk::Caution,
        r#"
        mkfs.ext4 -q -F build/out.d/disk.img
        mkfs.vfat -F 32 build/disk.img
        wipefs -a build/disk.img
        parted -s build/disk.img mklabel gpt
        cryptsetup luksFormat build/disk.img --key-file test.key -q
        debugfs -wR 'write app.bin app.bin' build/disk.img
        e2fsck -fy build/disk.img
        chattr +C vm
        setfacl -m g:dev:rwX vm
        dd if=a of=b
        dd if=/dev/sdb bs=1
        split -n l/3 notes.txt
        logger --no-act -n log.example x
        csplit -f part- -b '%02d.txt' notes.txt '/^PART /' '{*}'
        socat TCP-LISTEN:8080,bind=127.0.0.1,fork TCP:127.0.0.1:3000
        ncat -lk 127.0.0.1 9000
        vault server -dev -dev-listen-address=127.0.0.1:8200
        ansible-playbook -c local -i 'localhost,' play.yml
        ansible-galaxy init roles/web
        lftp -c 'open https://ftp.example/a/; get b.tar -o vm/'
        rustc --edition 2021 -C opt-level=2 day.rs -o /tmp/day && /tmp/day < in.txt
        "#,
    );
    check(
        Risk::Dangerous,
        r#"
        sudo mkfs.ext4 -L -n /dev/sdc1
        sudo mkfs.vfat -n DATA /dev/sdc1
        wipefs --no-act=false -a /dev/sdc1
        wipefs -t -n -a /dev/sdc1
        make -o -n release
        sfdisk --label -n --delete /dev/sdc
        sudo e2fsck -n -y /dev/sdc1
        mkfs.ext4 out/disk.img
        mkfs.ext4 ../other/disk.img
        mkfs.ext4 disk.img
        wipefs -a machines/old.img
        mkfs.ext4 src/main.rs
        mkfs.ext4 -d ~/.ssh disk.img
        mkfs.ext4 -J device=/dev/sdc1 disk.img
        cd /dev && mkfs.ext4 sdc1
        cryptsetup luksErase disk.img
        cryptsetup luksFormat --header /dev/sdc disk.img
        debugfs -w disk.img
        debugfs -wR 'dump /x /home/u/.bashrc' disk.img
        sudo debugfs -R 'cat /etc/shadow' /dev/sdc1
        sudo debugfs -R 'stat /x' -w /dev/sdc1
        setcap cap_setuid=ep a.out -v
        setcap -v a b c d
        chattr +C +i vm
        setfacl -m o::rwX vm
        setfacl -m g:dev:rwX .
        setfacl -m g:dev:rwX .git
        rename -n unlink .x a b
        csplit -f /etc/x notes.txt 3
        socat TCP-LISTEN:8080,fork TCP:127.0.0.1:3000
        socat TCP-LISTEN:8080,bind=127.0.0.1 EXEC:sh
        ncat -l 9000
        ncat -l 127.0.0.1 9000 -e sh
        ncat -l 127.0.0.1 9000 < ~/.ssh/id_rsa
        vault server -dev -dev-listen-address=0.0.0.0:8200
        ansible-playbook -c local -i 'localhost,' -b play.yml
        ansible-playbook -c local -i hosts play.yml
        lftp -c 'open x; get .bashrc'
        lftp -c 'open x; mirror -R .'
        rustc -C linker=/tmp/x day.rs -o /tmp/day && /tmp/day
        make -n SHELL=/tmp/x
        kill -0 -1
        "#,
    );
}
