//! The first steps of well-known tools, as pages tell them, run to their end in Agentic with no model: what they install comes from
//! the registries, what they serve answers. Where a registry cannot be reached a test says so and is left out.

use std::process::{Command, Stdio};

use crate::{Desk, Ended};

/// Runs the page with everything allowed; what it installs stays in the desk's folder.
fn follow(desk: &Desk, text: &str) -> Ended {
    let page = desk.write("page.md", text);
    let policy = desk.write("policy.toml", "approve = \"dangerous\"\n");
    let run = desk.call(&[
        "run",
        page.to_str().unwrap(),
        "--mode",
        "agentic",
        "--policy",
        policy.to_str().unwrap(),
    ]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    run
}

fn answers(call: &[&str]) -> bool {
    let (program, arguments) = call.split_first().unwrap();
    let desk = Desk::new();
    let mut asked = Command::new(program);
    asked.args(arguments).stdin(Stdio::null());
    desk.settle(&mut asked);
    let answers = asked.output().is_ok_and(|done| done.status.success());
    if !answers {
        eprintln!("left out: nothing comes from the registry of {program}");
    }
    answers
}

fn python_packages() -> bool {
    answers(&["python3", "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "0", "--timeout", "10", "six"])
        // Where Python itself has no pip, an environment has one.
        || answers(&["sh", "-c", "python3 -m venv e && e/bin/pip download -q --no-deps --retries 0 --timeout 10 six"])
}

fn node_packages() -> bool {
    answers(&["npm", "view", "--fetch-retries=0", "--fetch-timeout=10000", "is-number", "version"])
}

const FLASK: &str = r####"# A page by Flask

A folder of its own, with its own Python in it:

```console
$ mkdir myproject
$ cd myproject
$ python3 -m venv .venv
```

From here on that Python is the one to use:

```console
$ . .venv/bin/activate
```

Get the library:

```console
$ pip install Flask
```

Put this into a file `hello.py`:

```python
from flask import Flask

app = Flask(__name__)

@app.route("/")
def front_page():
    return "<p>It works</p>"
```

Start it:

```console
$ flask --app hello run
 * Serving Flask app 'hello'
 * Running on http://127.0.0.1:5000 (Press CTRL+C to quit)
```

Ask it for its page:

```console
$ curl -fsS http://127.0.0.1:5000/
<p>It works</p>
```
"####;

const DJANGO: &str = r####"# A site with Django

## Install

```console
$ python3 -m venv env
$ source env/bin/activate
$ python -m pip install Django
```

## The project

```console
$ mkdir djangotutorial
$ django-admin startproject mysite djangotutorial
$ cd djangotutorial
```

## Have it served

```console
$ python manage.py migrate
$ python manage.py runserver
Starting development server at http://127.0.0.1:8000/
```

An application in it:

```console
$ python manage.py startapp polls
```
"####;

const VITE: &str = r####"# A front end with Vite

Let it write the files:

```bash
npm create vite@latest my-app -- --template vanilla
```

Then:

```bash
cd my-app
npm install
npm run dev
```

Pack it for a web server:

```bash
npm run build
```
"####;

const EXPRESS: &str = r####"# A web service with Express

Begin with an empty folder:

```console
$ mkdir myapp
$ cd myapp
```

npm keeps what it knows of the project in `package.json`:

```console
$ npm init -y
```

Then get the library:

```console
$ npm install express
```

Create `app.js` with this in it:

```js
const express = require('express')
const app = express()
const port = 3000

app.get('/', (req, res) => {
  res.send('It works')
})

app.listen(port, () => {
  console.log(`listening on port ${port}`)
})
```

Start it:

```console
$ node app.js
```

Ask it:

```console
$ curl -fsS http://localhost:3000/
```
"####;

const CARGO: &str = r####"# A program with Cargo

```console
$ cargo new hello_cargo
$ cd hello_cargo
```

Build it and run it:

```console
$ cargo build
   Compiling hello_cargo v0.1.0
$ ./target/debug/hello_cargo
Hello, world!
```

Both in one:

```console
$ cargo run
Hello, world!
```
"####;

const UV: &str = r####"# A Python project with uv

Install it from PyPI into an environment:

```console
$ python3 -m venv tools
$ tools/bin/pip install uv
$ export PATH="$PWD/tools/bin:$PATH"
```

Create a project:

```console
$ uv init hello-world
$ cd hello-world
```

Run it and add a dependency:

```console
$ uv run hello-world
Hello from hello-world!
$ uv add six
$ uv run python -c "import six; print(six.__name__)"
six
```
"####;

#[test]
fn flask() {
    if !python_packages() {
        return;
    }
    let desk = Desk::new();
    let run = follow(&desk, FLASK);
    assert!(run.stdout.contains("│ <p>It works</p>\n"), "{}", run.all());
}

#[test]
fn django() {
    if !python_packages() {
        return;
    }
    let desk = Desk::new();
    let run = follow(&desk, DJANGO);
    assert!(desk.work().join("djangotutorial/polls/models.py").exists(), "{}", run.all());
    assert!(run.stdout.contains("is ready"), "{}", run.all());
}

#[test]
fn vite() {
    if !node_packages() {
        return;
    }
    let desk = Desk::new();
    let run = follow(&desk, VITE);
    assert!(desk.work().join("my-app/dist/index.html").exists(), "{}", run.all());
    assert!(run.stdout.contains("is ready"), "{}", run.all());
}

#[test]
fn express() {
    if !node_packages() {
        return;
    }
    let desk = Desk::new();
    let run = follow(&desk, EXPRESS);
    assert!(run.stdout.contains("│ It works\n"), "{}", run.all());
}

#[test]
fn cargo() {
    let desk = Desk::new();
    let run = follow(&desk, CARGO);
    assert_eq!(run.stdout.matches("│ Hello, world!").count(), 2, "{}", run.all());
}

#[test]
fn uv() {
    if !python_packages() {
        return;
    }
    let desk = Desk::new();
    let run = follow(&desk, UV);
    assert!(run.stdout.contains("│ six"), "{}", run.all());
}
