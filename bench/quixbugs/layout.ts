import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** One case of a program's tests: a test function, or one line of its JSON data. */
export type Case = { test: string; source: string; buggy: CaseEnd; correct: CaseEnd };
type CaseEnd = 'passed' | 'failed' | 'skipped' | 'hung';

/** How a program's cases are dealt out. */
export type Split = { visible: Case[]; heldOut: Case[]; left: Case[] };

export type LayoutOptions = {
  /** A checkout of QuixBugs. */
  quixbugs: string;
  program: string;
  /** An empty folder that becomes the project. */
  into: string;
  /** A Python with pytest. */
  python: string;
  /** Seconds a case may take. */
  seconds: number;
};

/** Names of the programs that have a buggy version, a correct one and tests. */
export function programsOf(quixbugs: string): string[] {
  return readdirSync(path.join(quixbugs, 'python_programs'))
    .filter((file) => file.endsWith('.py'))
    .map((file) => file.slice(0, -'.py'.length))
    .filter((name) => existsSync(path.join(quixbugs, 'python_testcases', `test_${name}.py`)))
    .filter((name) => existsSync(path.join(quixbugs, 'correct_python_programs', `${name}.py`)))
    .sort();
}

/**
 * Lays a program out as its own little pytest project: the program, what it imports, `tests/test_visible.py` and
 * `tests/test_heldout.py`. The failing and the passing cases are dealt out separately, in file order, the first to
 * the visible half, the next to the held-out half and so on. Cases that the correct program does not pass in time
 * are left out.
 */
export function layOut(options: LayoutOptions): Split {
  const { quixbugs, program, into } = options;
  mkdirSync(path.join(into, 'tests'), { recursive: true });
  copyFileSync(path.join(quixbugs, 'python_programs', `${program}.py`), path.join(into, `${program}.py`));
  const node = path.join(quixbugs, 'python_testcases', 'node.py');
  const source = readFileSync(path.join(quixbugs, 'python_testcases', `test_${program}.py`), 'utf8');
  if (/\bfrom node import\b/.test(source)) copyFileSync(node, path.join(into, 'node.py'));
  const suite = suiteOf(source, program, quixbugs);
  const split = deal(classify(suite, options));
  // What was needed to sort the cases must not lie in the project: the correct program least of all.
  for (const folder of ['.cases', '.correct', '__pycache__'])
    rmSync(path.join(into, folder), { recursive: true, force: true });
  writeSuite(path.join(into, 'tests'), 'visible', suite, split.visible);
  writeSuite(path.join(into, 'tests'), 'heldout', suite, split.heldOut);
  return split;
}

/** A test file in pieces: what stands before its tests, and its cases. */
type Suite = { head: string; data: boolean; tail: string; cases: { test: string; source: string }[] };

function suiteOf(source: string, program: string, quixbugs: string): Suite {
  const text = source
    .replace(/if pytest\.use_correct:\n.*\nelse:\n {4}from python_programs\.(\w+) import/, 'from $1 import')
    .replace(/\bpytest\.run_slow\b/, 'False');
  const firstTest = text.search(/^(@pytest|def test)/m);
  const [head, tests] = [text.slice(0, firstTest), text.slice(firstTest)];
  if (!text.includes('load_json_testcases')) {
    const cases = tests
      .split(/^(?=def test)/m)
      .filter((part) => part.startsWith('def test'))
      .map((part) => ({ test: /^def (\w+)/.exec(part)?.[1] ?? '', source: part.trimEnd() }));
    return { head, data: false, tail: '', cases };
  }
  const lines = readFileSync(path.join(quixbugs, 'json_testcases', `${program}.json`), 'utf8');
  return {
    head: head.replace(
      'from load_testdata import load_json_testcases\n',
      'import json\nfrom pathlib import Path\n',
    ),
    data: true,
    tail: tests.trimEnd(),
    cases: lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => ({ test: `test_${program}`, source: line })),
  };
}

function writeSuite(folder: string, name: string, suite: Suite, cases: readonly { source: string }[]): void {
  const file = path.join(folder, `test_${name}.py`);
  if (!suite.data) {
    writeFileSync(file, `${suite.head}${cases.map(({ source }) => source).join('\n\n\n')}\n`);
    return;
  }
  const data = `[json.loads(line) for line in Path(__file__).with_name("${name}.jsonl").read_text().splitlines()]`;
  const head = suite.head.replace(/load_json_testcases\(\w+\.__name__\)/, data);
  writeFileSync(path.join(folder, `${name}.jsonl`), `${cases.map(({ source }) => source).join('\n')}\n`);
  writeFileSync(file, `${head}${suite.tail}\n`);
}

/** Runs every case against the buggy and the correct program. */
function classify(suite: Suite, { quixbugs, program, into, python, seconds }: LayoutOptions): Case[] {
  const folder = path.join(into, '.cases');
  mkdirSync(folder, { recursive: true });
  writeSuite(folder, 'all', suite, suite.cases);
  const correct = path.join(into, '.correct');
  mkdirSync(correct, { recursive: true });
  copyFileSync(
    path.join(quixbugs, 'correct_python_programs', `${program}.py`),
    path.join(correct, `${program}.py`),
  );
  const node = path.join(into, 'node.py');
  if (existsSync(node)) copyFileSync(node, path.join(correct, 'node.py'));
  const ends = (directory: string) => {
    const script = path.join(import.meta.dirname, 'classify.py');
    const args = [script, directory, path.join(folder, 'test_all.py'), String(seconds)];
    return JSON.parse(execFileSync(python, args, { encoding: 'utf8' })) as { test: string; end: CaseEnd }[];
  };
  const buggy = ends(into);
  const right = ends(correct);
  return suite.cases.map(({ test, source }, at) => ({
    test,
    source,
    buggy: buggy[at]?.end ?? 'failed',
    correct: right[at]?.end ?? 'failed',
  }));
}

/** Failing and passing cases dealt out separately, so that at least one failing case is visible. */
export function deal(cases: readonly Case[]): Split {
  const usable = cases.filter(({ correct }) => correct === 'passed');
  const visible = new Set<Case>();
  for (const failing of [true, false]) {
    const group = usable.filter(({ buggy }) => (buggy !== 'passed') === failing);
    for (const [at, one] of group.entries()) if (at % 2 === 0) visible.add(one);
  }
  return {
    visible: usable.filter((one) => visible.has(one)),
    heldOut: usable.filter((one) => !visible.has(one)),
    left: cases.filter((one) => !usable.includes(one)),
  };
}
