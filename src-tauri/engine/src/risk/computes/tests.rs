use super::*;

pub(super) fn computes(language: Language, text: &str) -> bool {
    let around = Around {
        shadowed: &|module| module == "shadow" || module == "random",
        readable: &|name| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@".contains(c);
            !name.starts_with(['/', '.']) && !name.contains("..") && name.chars().all(plain)
        },
    };
    only_computes(language, text, &around)
}

#[test]
fn sums_and_versions_are_known() {
    for text in [
        "print(2**64)",
        "import math\nvals = [3.2, 4.8]\nm = sum(vals) / len(vals)\nprint(math.sqrt(sum((v - m) ** 2 for v in vals) / len(vals)))",
        "import sys; print(sys.version)",
        "import torch; print(torch.cuda.is_available())",
        "import numpy as np, pandas; print(np.__version__, pandas.__version__)",
        "from math import sqrt; print(sqrt(2))",
        "print(sum(range(10)))",
        "print([x for x in range(5) if x % 2])",
        "import json,sys; print(json.load(sys.stdin)['name'])",
        "print('a'.upper())",
        "pass",
        "import sys\nprint(sys.path)",
        "x = 3; print(x * x)",
        "import sys; print(1, file=sys.stderr)",
        "import torch; print(torch.version.cuda)",
        "print(1000000007 * 3)",
        "print(open('x').read())",
        "import json; d=json.load(open('package.json')); print(d.get('engines'), list(d['scripts']))",
        "import tomllib; print(tomllib.load(open('a.toml','rb'))['project'])",
        "import csv\nwith open('a.csv') as f:\n    for r in csv.DictReader(f):\n        print(r['x'])",
        "import ast, pathlib\nfor p in pathlib.Path('src').rglob('*.py'):\n    t = ast.parse(p.read_text())\n    print(p)",
        "import yaml; print(yaml.safe_load(open('a.yml'))['jobs'])",
        "import sqlite3\nc = sqlite3.connect('file:a.db?mode=ro', uri=True)\nprint(c.execute('select count(*) from x').fetchall())",
        "import sqlite3\nc = sqlite3.connect('a.db').cursor()\nfor r in c.execute('select a from x where b = ?', (1,)): print(r)",
        "import sqlite3\nc = sqlite3.connect('a.db')\nprint(c.execute(f'select count(*) from \"{name}\" limit 3').fetchone()[0])",
    ] {
        assert!(computes(Language::Python, text), "{text}");
    }
    for text in [
        "const p=require('./a.json');console.log(Object.keys(p.packages).filter(k=>k.includes('x')))",
        "const fs=require('fs');const s=fs.readFileSync('a.js','utf8');console.log(s.length)",
        "console.log(process.version)",
        "1+1",
        "require('./package.json').version",
        "process.versions",
    ] {
        assert!(computes(Language::JavaScript, text), "{text}");
    }
    assert!(computes(Language::Perl, "print 3*7, \"\\n\""));
    assert!(computes(Language::Ruby, "puts RUBY_VERSION"));
    assert!(computes(Language::Ruby, "puts Time.now"));
    assert!(computes(Language::Php, "echo PHP_VERSION;"));
}

#[test]
fn anything_else_is_not() {
    for text in [
        "import os; os.system('id')",
        "import os; print(os.environ)",
        "import shutil; shutil.rmtree('x')",
        "import random; print(random.random())",
        "print(open('/x').read())",
        "print(open('.env').read())",
        "print(open('x', 'w'))",
        "print(open('x' + y).read())",
        "print(open(x).read())",
        "from pathlib import Path; print((Path('a') / '../b').read_text())",
        "from pathlib import Path; print(Path.home())",
        "from pathlib import Path; print(Path('a').open('w'))",
        "from pathlib import Path; Path('a').unlink()",
        "from pathlib import Path; [print(p.read_text()) for p in Path('a').rglob('*')]",
        "from pathlib import Path; [print(p.read_text()) for p in Path('a').rglob('*.*')]",
        "import pathlib; pathlib.Path('a').write_text('x')",
        "import sqlite3; c = sqlite3.connect('file:a.db?mode=ro', uri=True); c.execute('drop table x')",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute('drop table x')",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute(f'{x} from y')",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute(f'select load_extension({x})')",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute(f'select 1' + x)",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute(f'drop table {x}')",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute(x)",
        "import sqlite3; c = sqlite3.connect('a.db'); c.execute('delete from x where a = ?', (1,))",
        "import sqlite3; c = sqlite3.connect('.ssh/a.db'); c.execute('select 1')",
        "import sqlite3; c = sqlite3.connect(x); c.execute('select 1')",
        "import yaml; print(yaml.load(open('a')))",
        "print(\"\"\" \" \"\"\" ; exec(\"x\") ; \"\"\" \"\"\")",
        "exec('x')",
        "print(__import__('os').system('id'))",
        "print(().__class__.__bases__)",
        "print(getattr(1, 'x'))",
        "print(9**9**9)",
        "print(9**9**3)",
        "x = 9\nfor i in range(40):\n    x = x ** 2\nprint(x)",
        "x = 9\nwhile True:\n    x = x ** 2",
        "f = lambda x: f(x ** 2); f(2)",
        "x=9; x=x**3; x=x**3; x=x**3; x=x**3; x=x**3; print(x)",
        "print('a' * 99999999)",
        "[print(x) for x in range(9999999999)]",
        "import sys; sys.exit(1)",
        "import sys; sys.modules['os'].system('id')",
        "import json; print(json.codecs.builtins.open('x'))",
        "open('\\x2fetc')",
        "import subprocess as sys; print(sys.version)",
        "print=eval; print('id')",
        "dict(eval=1); eval('id')",
        "eval==1 or eval('id')",
        "[1 for eval in [1]]; eval('id')",
        "from os import system; system('id')",
        "import os; os.replace('a', 'b')",
        "import torch; torch.load('x.pt')",
        "import torch as t; t.load('x.pt')",
        "import torch; x = torch; x.load('x.pt')",
        "import yaml; yaml.load('x')",
        "import requests; requests.get('http://192.0.2.1')",
        "from requests import get; get('http://192.0.2.1')",
        "import sys; sys.path = ['/tmp']; import numpy",
        "import sys; sys.path += ['/tmp']; import numpy",
        "import sys; sys.path.append('/tmp'); import numpy",
        "print('a'.zfill(9999999999))",
        "print(1 << 9999999999)",
        "input()",
        "",
    ] {
        assert!(!computes(Language::Python, text), "{text}");
    }
    for text in [
        "require('child_process').exec('id')",
        "process.exit(1)",
        "const p=process;console.log(p.env)",
        "const fs=require('fs');fs.unlinkSync('a')",
        "const fs=require('fs');const s=fs.readFileSync('/a')",
        "const s='';s.constructor",
        "const s='';console.log([1].filter(k=>s.constructor))",
        "console.log(process.env)",
        "''.constructor.constructor('x')()",
        "[]['filter']['constructor']('x')()",
        "process['exit'](1)",
        "require('./x.js')",
        "require('../package.json').version",
        "fetch('http://x')",
        "eval('x')",
        "import('fs')",
        "/'/; process.exit(1) //'",
        "''?.['constructor']",
        "x = ''\n['constructor']",
        "[]['constructor']",
        "console.log(1); process.kill(1)",
    ] {
        assert!(!computes(Language::JavaScript, text), "{text}");
    }
    for text in [
        "system 'id'",
        "print `id`",
        "print \"@{[system('id')]}\"",
        "print qx(id)",
        "unlink 'x'",
        "print if /(?{system 'id'})/",
        "s/x/system 'id'/e",
        "open F, '>x'",
        "do 'x'",
        "print $ENV{HOME}",
    ] {
        assert!(!computes(Language::Perl, text), "{text}");
    }
    for text in [
        "puts `id`",
        "puts \"#{`id`}\"",
        "system 'id'",
        "puts %x(id)",
        "File.delete 'x'",
        "puts ENV",
        "exit",
        "/'/; system(\"id\"); /'/",
    ] {
        assert!(!computes(Language::Ruby, text), "{text}");
    }
    for text in [
        "system('id');",
        "('sys'.'tem')('id');",
        "echo `id`;",
        "echo \"{$x}\";",
        "phpinfo();",
        "unlink('x');",
        "/*'*/ system(\"id\"); /*'*/",
    ] {
        assert!(!computes(Language::Php, text), "{text}");
    }
}
