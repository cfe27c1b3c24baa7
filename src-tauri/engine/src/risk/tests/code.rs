//! Code that changes files of the project in plain sight, and its neighbours that reach further.

use super::check;
use crate::protocol::Risk;

#[test]
fn code_that_changes_files_of_the_project_asks_for_care() {
    check(
        Risk::Caution,
        r#"
        python3 -c "import pathlib; [p.write_text(p.read_text().strip()) for p in pathlib.Path('src').rglob('*.ts')]"
        python3 -c "import json; json.dump({}, open('out.json', 'w'))"
        python3 -c "import os; [os.rename('photos/' + f, 'photos/' + f.lower() + '.jpg') for f in os.listdir('photos')]"
        python3 -c "import shutil; shutil.copy('src/a.txt', 'src/b.txt')"
        python3 -c "import os; os.makedirs('out/x', exist_ok=True)"
        python3 -c "import subprocess; subprocess.run(['git', 'log', '--oneline'], check=True)"
        python3 -c "import shutil; shutil.rmtree('.pytest_cache')""#,
    );
    check(
        Risk::Dangerous,
        r#"
        cd /etc && python3 -c "import json; json.dump({}, open('out.json', 'w'))"
        ln -s /etc out && python3 -c "from pathlib import Path; n = 'a'; Path(f'out/{n}.txt').write_text('x')"
        ln -s /etc out && python3 -c "import pathlib; [p.write_text('') for p in pathlib.Path('out').rglob('*.conf')]"
        sudo python3 -c "import json; json.dump({}, open('out.json', 'w'))"
        PYTHONPATH=/tmp/x python3 -c "import os; os.makedirs('out/x', exist_ok=True); os.rename('a', 'b')"
        echo 'x' > json.py; python3 -c "import json, os; os.rename('a', 'b')"
        python3 -c "import shutil; shutil.rmtree('.git')"
        python3 -c "import shutil; shutil.rmtree('src')"
        python3 -c "import shutil; shutil.rmtree('..')"
        python3 -c "import subprocess; subprocess.run(['rm', '-rf', '/home/u/docs'])"
        python3 -c "import subprocess; subprocess.run(['git', 'push', '--force'])"
        python3 -c "import subprocess; subprocess.run(['bash', '-c', 'ls\nrm -rf ~'])"
        python3 -c "import os; os.rename('a', '.git/hooks/pre-commit')"
        python3 -c "open('run.sh', 'w').write('rm -rf ~')" && bash run.sh
        python3 -c "import os; os.path.join = lambda *a: '/etc/x'; open(os.path.join('a', 'b'), 'w')""#,
    );
}
