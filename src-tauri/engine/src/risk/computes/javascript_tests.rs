//! JavaScript as people and agents write it to look at a project, and the same with a hole in it.

use super::Language;
use super::tests::computes;

#[test]
fn javascript_of_every_day() {
    for text in [
        "console.log(Object.keys(require('./tsconfig.json').compilerOptions).join('\\n'))",
        "const r=/^v(\\d+)\\.(\\d+)$/; console.log('v1.22'.match(r))",
        "const m=require(\"fs\").readFileSync(\"dist/stats.json\",\"utf8\"); console.log(JSON.parse(m).assets.map(a=>a.name+\" \"+a.size).join(\"\\n\"))",
        "const { dependencies = {}, devDependencies = {} } = require('./package.json');\nconst dup = Object.keys(dependencies).filter(k => k in devDependencies);\nconsole.log(dup.length ? dup : 'no duplicates');",
        "const fs = require('fs');\nconst lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));\nfor (const [name, info] of Object.entries(lock.packages)) {\n  if (info.dev) console.log(`${name} ${info.version}`);\n}",
        "const { readFileSync } = require('node:fs'); console.log(readFileSync('a.txt', 'utf8').split('\\n').length)",
        "const counts = {};\nfor (const line of require('fs').readFileSync('a.log','utf8').split('\\n')) {\n  const key = line.split(' ')[0];\n  counts[key] = (counts[key] || 0) + 1;\n}\nconsole.log(counts);",
        "let s = ''; process.stdin.on('data', d => s += d).on('end', () => console.log(JSON.parse(s).name))",
        "console.log(JSON.parse(require('fs').readFileSync(0, 'utf8')).items.length)",
        "const avg = xs => xs.reduce((a, b) => a + b, 0) / xs.length; console.log(avg([1,2,3]).toFixed(2))",
        "function size(n) { return n / 1024 } console.log(size(2048))",
        "console.log([3,1,2].sort((a, b) => a - b))",
        "console.log(new Date(1700000000000).toISOString())",
        "console.log([...new Set([1,1,2])].length, Math.max(...[1,2]))",
        "Object.entries(require('./package.json').scripts).forEach(([k, v]) => console.log(k.padEnd(20), v))",
        "console.log('a-b'.replace(/-/g, '_'), 10 / 2) // done",
        "require('./package.json').version",
        "require('os').cpus().length",
        "console.log([3,1,2].toSorted?.(), 'abc'.replace(/(?<x>b)/, '[$<x>]'))",
    ] {
        assert!(computes(Language::JavaScript, text), "{text}");
    }
}

#[test]
fn javascript_with_a_hole_in_it() {
    for text in [
        "require('child_process').execSync('id')",
        "const { execSync } = require('child_process'); execSync('id')",
        "child_process.execSync('id')",
        "fs.rmSync('x')",
        "const fs = require('fs'); fs.writeFileSync('a', 'b')",
        "const fs = require('fs'); const w = fs.writeFileSync; w('a')",
        "require('fs').readFileSync('.env')",
        "require('fs').readFileSync('/etc/x')",
        "require('fs').readFileSync('a' + b)",
        "process.exit(1)",
        "process.env.HOME",
        "process['env']",
        "const { env } = process; console.log(env)",
        "const p = process",
        "''['constructor']",
        "''['con' + 'structor']['con' + 'structor']('x')()",
        "const f = ''[a][a]; f('x')",
        "const f = ''[a][a]; ['x'].map(f)",
        "['x'].map(''[a][a])",
        "'x'.replace('x', g)",
        "Array.from(['x'], g)",
        "['x'].forEach((''[a][a]))",
        "new (''[a][a])('x')",
        "new F('x')",
        "F`x`",
        "const f = x => x; ['x'].map(f => f('y'))",
        "const f = x => x; f = g; f('x')",
        "let f = x => x; f('x')",
        "f?.('x')",
        "''[a][a]?.('x')",
        "x.constructor?.('y')",
        "eval?.('x')",
        "''[p]['trim'] = f",
        "const o = ''[p]; o[k] = f",
        "const o = { toString: f }; '' + o",
        "[].concat.call(a)",
        "f.call(1)",
        "x.apply(y)",
        "Reflect.get(a, b)",
        "Function('x')()",
        "globalThis.process.exit()",
        "this.process.exit()",
        "import('fs')",
        "setTimeout('x')",
        "eval('x')",
        "`${eval('x')}`",
        "`${`${eval('x')}`}`",
        "a++ /'/; process.exit(1) //'",
        "if (1) /'/; process.exit(1) //'",
        "if (1) {} /'/; process.exit(1) //'",
        "<!-- '\nprocess.exit(1) //'",
        "'\\x63onstructor'",
        "x = y\n(z)",
        "JSON.parse('1', f)",
        "fetch('http://192.0.2.1')",
        "require('./x.js')",
        "require('lodash')",
        "console.log(require)",
        "Object.defineProperty(a, b, c)",
        "Object.assign(a, b)",
        "process.stdin.on('data', f)",
        "process.stdout.write.call(1)",
    ] {
        assert!(!computes(Language::JavaScript, text), "{text}");
    }
}
