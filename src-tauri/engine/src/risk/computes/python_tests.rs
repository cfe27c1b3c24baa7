//! Python as people and agents write it to look at a project, and the same with a hole in it.

use super::Language;
use super::tests::computes;

#[test]
fn python_of_every_day() {
    for text in [
        "import re, pathlib\nfor p in sorted(pathlib.Path(\"src\").rglob(\"*.py\")):\n    n = len(re.findall(r\"^\\s*except\\s*:\", p.read_text(), re.M))\n    if n:\n        print(f\"{n:3d} {p}\")",
        "from datetime import datetime, timezone; print(datetime.fromtimestamp(1718000000, timezone.utc).isoformat())",
        "import inspect, textwrap; print(inspect.getsource(textwrap.shorten))",
        "import json, collections\nlock = json.load(open(\"package-lock.json\"))\nc = collections.Counter(k.count(\"node_modules/\") for k in lock[\"packages\"])\nfor depth, n in sorted(c.items()):\n    print(depth, n)",
        "import json\nwith open('a.json') as fh:\n    blob = json.load(fh)\nfor key, value in sorted(blob.items(), key=lambda kv: -len(kv[1])):\n    print(f'{key:<20} {len(value):>5}')",
        "import csv, statistics\nrows = list(csv.DictReader(open('t.csv')))\nvals = [float(row['ms']) for row in rows]\nprint(f'{statistics.mean(vals):.2f} {max(vals)}')",
        "import re\ncounts = {}\nfor line in open('app.log'):\n    m = re.search(r'(\\w+) failed', line)\n    if m:\n        counts[m.group(1)] = counts.get(m.group(1), 0) + 1\nfor k, v in counts.items():\n    print(k, v)",
        "import glob\nfor path in sorted(glob.glob('src/*.py')):\n    with open(path) as handle:\n        print(path, sum(1 for _ in handle))",
        "from collections import defaultdict\nd = defaultdict(int)\nfor word in open('words.txt').read().split():\n    d[word] += 1\nprint(dict(d))",
        "import os\nfor root, dirs, files in os.walk('src'):\n    print(root, len(files))",
        "import os; print(os.path.getsize('a.bin'), os.getcwd())",
        "def fib(n):\n    return n if n < 2 else fib(n-1) + fib(n-2)\nprint(fib(10))",
        "x = [\n    1,\n    2,\n]\nprint(f\"{x[0]} {'a' if x else 'b'} {{literal}}\")",
        "import textwrap\nprint(textwrap.dedent('''\n  it's \"quoted\"\n'''))",
        "import ast\ntree = ast.parse(open('a.py').read())\nfor node in ast.walk(tree):\n    if isinstance(node, ast.FunctionDef):\n        print(node.name, node.lineno)",
        "import itertools as it\nprint(list(it.chain([1], [2])))",
        "import tomllib, pathlib  # what is locked\nprint(tomllib.loads(pathlib.Path('uv.lock').read_text())['package'][0]['name'])",
        "import sys, json\ndata = json.load(sys.stdin)\nfor item in data['items']:\n    sys.stdout.write(item['name'] + '\\n')",
        "import importlib.metadata as m; print({p: m.version(p) for p in ('django', 'redis')})",
        "import zipfile\nz = zipfile.ZipFile('dist/a.whl')\nfor i in z.infolist():\n    print(f'{i.file_size:>9} {i.filename}')\nprint(z.read('METADATA').decode()[:800])",
        "import tarfile; print(tarfile.open('a.tar.gz').getnames())",
        "print('a'.replace('a', 'b'))",
        "import base64; print(base64.b64decode('eyJhbGciOiJIUzI1NiJ9').decode())",
    ] {
        assert!(computes(Language::Python, text), "{text}");
    }
}

#[test]
fn python_with_a_hole_in_it() {
    for text in [
        "import glob\nfor path in glob.glob('*'):\n    print(open(path).read())",
        "import glob\nfor path in glob.glob('../*.py'):\n    print(open(path).read())",
        "import glob\nfor path in glob.glob('src/*.py'):\n    path = '/etc/x'\n    print(open(path).read())",
        "import glob\nfor path in glob.glob('src/*.py'):\n    print(open(path, 'w'))",
        "import glob\nfor path in glob.glob('src/*.py'):\n    print(open(path + x).read())",
        "import glob\nfor path in glob.glob('src/*.py'): pass\nfor path in ['/etc/x']: print(open(path).read())",
        "import glob\nfor path in glob.glob('src/*.py'): pass\nfor x, path in [(1, '/etc/x')]: print(open(path).read())",
        "import pathlib; pathlib.Path('a').replace('b')",
        "import pathlib; p = pathlib.Path('a'); p.replace('b')",
        "import pathlib; pathlib.Path('a').copy('b')",
        "import pathlib; pathlib.Path('a').rename('b')",
        "import pathlib; pathlib.Path('a').touch()",
        "import os; os.remove('a')",
        "import os; os.walk('/etc')",
        "import os; print(os.environ['HOME'])",
        "import os as o; o.system('id')",
        "from os import path",
        "e = eval; e('id')",
        "f'{eval(1)}'",
        "print(f\"{exec('import os')}\")",
        "print(f\"{1!r:{exec('x')}}\")",
        "print(f\"{ {{1}, 2} , exec('x') }\")",
        "print(f\"{{{exec('x')}}}\")",
        "print(f'''{exec(\"x\")}''')",
        "print(f'{1:999999999}')",
        "print(rf'{exec(1)}')",
        "x = '''a''' ; exec('''b''')",
        "print(1) # '\nexec('x') # '",
        "from operator import attrgetter",
        "import operator; f = operator.attrgetter('x')",
        "import sys; p = sys.path; p[0] = '/tmp'",
        "import sys; sys.path[0] = '/tmp'",
        "import sys; sys.stdout = open('x')",
        "import sys; sys.modules['json'] = 1",
        "import json; json.loads = print",
        "class A: pass",
        "import inspect; print(inspect.getsource(x))",
        "import inspect; inspect.currentframe()",
        "x.__class__",
        "x.f_builtins",
        "dir(eval('id'))",
        "raise SystemExit(1)",
        "@print\ndef f(): pass",
        "import keyword; keyword.os.system('id')",
        "import base64; exec(base64.b64decode('aW1wb3J0IG9z'))",
        "import base64; eval(base64.b64decode('aW1wb3J0IG9z').decode())",
        "import base64; base64.struct.os.system('id')",
        "import importlib.metadata as m; [e.load() for e in m.entry_points()]",
        "import importlib.metadata as m; m.os.system('id')",
        "import importlib as m; m.import_module('x')",
        "import importlib.util as m; m.find_spec('x')",
        "import zipfile; zipfile.ZipFile('a.zip').extractall()",
        "import zipfile; zipfile.ZipFile('a.zip', 'w')",
        "import zipfile; zipfile.ZipFile('/etc/x.zip').namelist()",
        "import zipfile as z; z.os.system('id')",
        "import tarfile; tarfile.open('a.tar').extractall('/')",
        "import tarfile; tarfile.os.remove('x')",
    ] {
        assert!(!computes(Language::Python, text), "{text}");
    }
}
