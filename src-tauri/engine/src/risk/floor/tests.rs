use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::assess;
use super::super::fixture::{TestPaths, read, workspace};
use super::*;
use crate::protocol::Assessment;

const DOCUMENT: &str = include_str!("../../../../../docs/blocked.md");

fn judged(command: &str, devices: &[&str]) -> Assessment {
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let devices = devices.iter().map(PathBuf::from).collect();
    let paths = TestPaths { devices, ..TestPaths::default() };
    assess(command, &read(command), &workspace(&paths, &environment, &functions))
}

fn check(risk: Risk, devices: &[&str], commands: &[&str]) {
    let wrong: Vec<String> = commands
        .iter()
        .map(|command| (judged(command, devices), command))
        .filter(|(assessment, _)| assessment.risk != risk)
        .map(|(assessment, command)| format!("{command} is {:?}: {:?}", assessment.risk, assessment.reasons))
        .collect();
    assert!(wrong.is_empty(), "not {risk:?}:\n{}", wrong.join("\n"));
}

#[test]
fn the_document_says_what_the_code_does() {
    let rows: Vec<String> = Floor::ALL
        .map(Floor::line)
        .iter()
        .map(|line| format!("| {} | {} |", line.why, line.instead))
        .collect();
    let written: Vec<&str> =
        DOCUMENT.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| A command")).collect();
    assert_eq!(written, rows, "docs/blocked.md should be:\n{}", rows.join("\n"));
}

#[test]
fn every_line_has_a_command_that_shows_its_way_out() {
    let shown = [
        (Floor::Foundation, "rm -rf /etc"),
        (Floor::MovedFoundation, "mv /usr /tmp/x"),
        (Floor::OpenedFoundation, "chmod -R 777 /"),
        (Floor::Disk, "dd if=/dev/zero of=/dev/sda"),
        (Floor::ForkBomb, ":(){ :|:& };:"),
        (Floor::Accounts, "cp mine /etc/passwd"),
        (Floor::Essential, "apt purge libc6"),
        (Floor::Everything, "kill -9 -1"),
        (Floor::Kernel, "echo b > /proc/sysrq-trigger"),
        (Floor::Protections, "systemctl disable --now ufw apparmor auditd"),
    ];
    assert_eq!(shown.map(|(floor, _)| floor), Floor::ALL);
    for (floor, command) in shown {
        let found = judged(command, &[]);
        assert_eq!(found.risk, Risk::Blocked, "{command}");
        assert_eq!(found.reasons[0].text, floor.reason(), "{command}");
        assert!(found.reasons[0].text.contains(floor.line().instead), "{command}");
    }
}

#[test]
fn the_floor_holds() {
    check(
        Risk::Blocked,
        &[],
        &[
            "sudo apt-get purge -y bash",
            "dpkg --force-all -r bash",
            "sudo dnf remove systemd",
            "rpm -e --nodeps glibc",
            "pacman -Rdd glibc",
            "kill -9 1",
            "kill -KILL -- -1",
            "killall5 -9",
            "echo x > /etc/passwd",
            "cat a >| /etc/shadow",
            "tee /etc/sudoers < a",
            "mv a /etc/shadow",
            "mv /etc/passwd /tmp",
            "rm /etc/shadow",
            "rm -f /etc/passwd",
            "truncate -s 0 /etc/shadow",
            "userdel -r root",
            "echo c | tee /proc/sysrq-trigger",
            "echo 1 > /sys/fs/cgroup/cgroup.kill",
            "chattr -R +i /",
            "setfacl -R -m u:x:rwx /etc",
            "passwd -d root",
            "aa-teardown",
            "sgdisk -Z /dev/nvme0n1",
            "parted /dev/sda mklabel gpt",
            "cryptsetup luksFormat /dev/sda2",
            "cp a.img /dev/mapper/vg-root",
        ],
    );
}

#[test]
fn what_somebody_may_want_is_asked_not_refused() {
    check(
        Risk::Dangerous,
        &[],
        &[
            "mkfs.ext4 /dev/sdb1",
            "sudo dd if=a.iso of=/dev/sdc bs=4M",
            "wipefs -a /dev/sdb",
            "parted /dev/sdb mklabel gpt",
            "apt purge postgresql",
            "kill -9 -4321",
            "echo x >> /etc/passwd",
            "tee -a /etc/sudoers < a",
            "systemctl disable ufw",
            "setenforce 0",
            "iptables -F",
            "rm -rf /etc/nginx",
            "chmod -R 777 /srv/www",
            "passwd root",
        ],
    );
    check(
        Risk::Safe,
        &[],
        &[
            "fdisk -l /dev/sda",
            "parted /dev/sda print",
            "smartctl -a /dev/sda",
            "hdparm -I /dev/sda",
            "wipefs /dev/sda",
        ],
    );
}

#[test]
fn the_disk_that_the_machine_runs_from_is_known_by_what_is_mounted() {
    let nvme = ["/dev/nvme0n1p2", "/dev/nvme0n1p1"];
    check(
        Risk::Blocked,
        &nvme,
        &[
            "mkfs.ext4 /dev/nvme0n1p3",
            "dd if=a of=/dev/nvme0n1",
            "wipefs -a /dev/nvme0n1p1",
            "dd if=a of=/dev/mem",
        ],
    );
    check(
        Risk::Dangerous,
        &nvme,
        &[
            "dd if=a.iso of=/dev/sda",
            "mkfs.vfat /dev/sda1",
            "dd if=a of=/dev/mmcblk0",
            "dd if=a of=/dev/nvme1n1",
        ],
    );
    check(Risk::Blocked, &["/dev/sdb3"], &["dd if=a of=/dev/sdb", "mkfs.ext4 /dev/sdb1"]);
    check(Risk::Dangerous, &["/dev/sdb3"], &["dd if=a of=/dev/sda"]);
}

/// A command, where it runs, links of the file system (or `there` and what exists), and what it comes to.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)], Risk);

#[test]
fn the_same_deed_weighs_what_its_place_weighs() {
    const APP: &str = "/home/u/work/app";
    let table: [Case; 41] = [
        ("rm -rf build", APP, &[], Risk::Caution),
        ("rm -rf ./target/", APP, &[], Risk::Caution),
        ("rm -rf src", APP, &[], Risk::Dangerous),
        ("mkdir out2 && touch out2/a && rm -r out2", APP, &[], Risk::Caution),
        ("mkdir -p a/b; rm -rf a/b", APP, &[], Risk::Caution),
        ("mkdir -p a/b; rm -rf a", APP, &[], Risk::Dangerous),
        ("rm -r out2 && mkdir out2", APP, &[], Risk::Dangerous),
        ("mkdir /tmp/x1 && cd /tmp/x1 && rm -rf /tmp/x1", APP, &[], Risk::Caution),
        ("mkdir src && rm -rf src", APP, &[], Risk::Caution),
        ("mkdir -p src && rm -rf src", APP, &[("there", "/home/u/work/app/src")], Risk::Dangerous),
        ("rm -rf ~/Documents", APP, &[], Risk::Dangerous),
        ("rm -rf ~", APP, &[], Risk::Blocked),
        ("rm -rf $HOME/", APP, &[], Risk::Blocked),
        ("rm -rf /home/u/.", APP, &[], Risk::Blocked),
        ("rm -rf .", "/home/u", &[], Risk::Blocked),
        ("rm -rf ../..", APP, &[], Risk::Blocked),
        ("rm -rf *", "/home/u", &[], Risk::Blocked),
        ("rm -rf /home/other", APP, &[], Risk::Dangerous),
        ("rm -rf ~other", APP, &[], Risk::Dangerous),
        ("rm -rf /", APP, &[], Risk::Blocked),
        ("rm -rf build/../../../../..", APP, &[], Risk::Blocked),
        ("rm -rf build/", APP, &[("/home/u/work/app/build", "/")], Risk::Blocked),
        ("rm -rf build/", APP, &[("/home/u/work/app/build", "/home/u/Documents")], Risk::Dangerous),
        ("rm -rf out/*", APP, &[("/home/u/work/app/out", "/etc")], Risk::Blocked),
        ("rm /mnt/disk/a", APP, &[], Risk::Dangerous),
        ("rm -rf /media/u/STICK", APP, &[], Risk::Dangerous),
        ("cp a /media/u/STICK/", APP, &[], Risk::Caution),
        ("cp a /run/media/u/STICK/a", APP, &[], Risk::Caution),
        ("cp a /mnt/share/a", APP, &[], Risk::Caution),
        ("cp a /mnt/etc/crontab", APP, &[], Risk::Dangerous),
        ("cp a /mnt/host/root/.ssh/x", APP, &[], Risk::Dangerous),
        ("cp a /home/other/a", APP, &[], Risk::Dangerous),
        ("cp a ~/a", APP, &[], Risk::Caution),
        ("cp a ~/.bashrc", APP, &[], Risk::Dangerous),
        ("cp a ~/notes", APP, &[("/home/u/notes", "/etc/cron.d")], Risk::Dangerous),
        ("cp a /etc/hosts", APP, &[], Risk::Dangerous),
        ("cp a /tmp/a", APP, &[], Risk::Caution),
        ("cp a /dev/sdb", APP, &[], Risk::Dangerous),
        ("cp a /dev/sda", APP, &[], Risk::Blocked),
        ("cat /home/other/notes", APP, &[], Risk::Safe),
        ("cat ~/.ssh/id_ed25519", APP, &[], Risk::Dangerous),
    ];
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(command, cwd, layout, risk)| {
            let mut paths = TestPaths::default();
            for (from, to) in *layout {
                if *from == "there" {
                    paths.there.push(to.into());
                } else {
                    paths.links.insert(from.into(), to.into());
                }
            }
            let mut workspace = workspace(&paths, &environment, &functions);
            workspace.cwd = (*cwd).into();
            let found = assess(command, &read(command), &workspace);
            (found.risk != *risk)
                .then(|| format!("{command} in {cwd} is {:?}: {:?}", found.risk, found.reasons))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
