import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileChange } from '../core/index.ts';
import { applyToTree } from './apply-tree.ts';
import { diffOf } from './diff.ts';
import { bytesOf, type Tree } from './testing.ts';
import { treeArb } from './testing-arbitraries.ts';

type Case = { before: Tree; after: Tree; changes: FileChange[] };

/** Any tree to any other: what diffOf must be able to say, whatever edits led there. */
const caseArb = fc.tuple(treeArb, treeArb, fc.boolean()).map(([before, other, overlay]): Case => {
  const after = overlay ? { ...before, ...other } : other;
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = paths
    .map((name) => ({ path: name, before: at(before, name), after: at(after, name), mode: modeOf(name) }))
    .filter(({ before: b, after: a }) => b === null || a === null || !Buffer.from(b).equals(a));
  return { before, after, changes };
});

const at = (tree: Tree, name: string) => (tree[name] === undefined ? null : bytesOf(tree[name]));
const modeOf = (name: string) => (name.endsWith('.sh') ? 0o755 : 0o644);

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'assay-git-'));
  git('init', '-q', '.');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: string[]): string {
  return gitWith(undefined, ...args);
}

function gitWith(input: string | undefined, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    HOME: root,
  };
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', env, input: input ?? '' });
}

function write(folder: string, tree: Tree): void {
  for (const [name, content] of Object.entries(tree)) {
    const file = path.join(root, folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: modeOf(name) });
  }
}

function readBack(folder: string): Record<string, string> {
  const top = path.join(root, folder);
  const entries = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const executable = (statSync(file).mode & 0o100) !== 0;
      return [path.relative(top, file), `${executable} ${readFileSync(file, 'latin1')}`];
    }),
  );
}

const seen = (tree: Tree) =>
  Object.fromEntries(
    Object.entries(tree).map(([name, content]) => [
      name,
      `${modeOf(name) === 0o755} ${Buffer.from(bytesOf(content)).toString('latin1')}`,
    ]),
  );

const inFolder = (folder: string, { changes }: Case) =>
  changes.map((change) => ({ ...change, path: `${folder}/${change.path}` }));

/** Many cases in one repository, each in its own folder: one git process for all of them. */
function checkTogether(cases: Case[]): void {
  const folders = cases.map((_, index) => `c${index}`);
  for (const [index, folder] of folders.entries()) {
    mkdirSync(path.join(root, folder));
    write(folder, cases[index]?.before ?? {});
  }
  // One diff per case, so that renames are found within a case.
  const diff = cases.map((one, index) => diffOf(inFolder(`c${index}`, one))).join('');
  const trees = (pick: (one: Case) => Tree) => cases.map((one) => seen(pick(one)));
  const onDisk = () =>
    folders.map((folder) =>
      statSync(path.join(root, folder), { throwIfNoEntry: false }) ? readBack(folder) : {},
    );
  if (diff !== '') gitWith(diff, 'apply', '--whitespace=nowarn');
  expect(onDisk()).toEqual(trees((one) => one.after));
  if (diff !== '') gitWith(diff, 'apply', '-R', '--whitespace=nowarn');
  expect(onDisk()).toEqual(trees((one) => one.before));
}

describe('diffOf and git', () => {
  it('is applied and taken back by git apply, for any two trees', () => {
    for (const seed of [1, 2, 3]) checkTogetherFresh(fc.sample(caseArb, { numRuns: 120, seed }));
  });

  function checkTogetherFresh(cases: Case[]): void {
    for (const entry of readdirSync(root)) {
      if (entry !== '.git') rmSync(path.join(root, entry), { recursive: true });
    }
    checkTogether(cases);
  }

  const numbers = (from: number, to: number, eol = '\n') =>
    Array.from({ length: to - from }, (_, index) => `${from + index} line${eol}`).join('');

  it('and applyToTree leave the same files, and undo leaves the old ones, for any two trees', () => {
    for (const [index, one] of fc.sample(caseArb, { numRuns: 40, seed: 4 }).entries()) {
      const folder = `t${index}`;
      mkdirSync(path.join(root, folder));
      write(folder, one.before);
      const { undo } = applyToTree({ root: path.join(root, folder), changes: one.changes });
      expect(readBack(folder)).toEqual(seen(one.after));
      undo();
      expect(readBack(folder)).toEqual(seen(one.before));
    }
  });

  it.each<[string, Tree, Tree]>([
    ['a change', { a: numbers(0, 30) }, { a: numbers(0, 30).replace('9 line\n', '9 Line\n') }],
    [
      'two hunks',
      { a: numbers(0, 30) },
      { a: numbers(0, 30).replace('3 line\n', '').replace('25 line\n', '25\n25a\n') },
    ],
    [
      'hunks that just touch',
      { a: numbers(0, 30) },
      { a: numbers(0, 30).replace('3 line\n', '').replace('10 line\n', '') },
    ],
    [
      'hunks just apart',
      { a: numbers(0, 30) },
      { a: numbers(0, 30).replace('3 line\n', '').replace('11 line\n', '') },
    ],
    ['a new file', {}, { 'd/a.sh': numbers(0, 3), 'run.sh': '1\n' }],
    ['a deleted file', { a: numbers(0, 3), 'run.sh': '1\n' }, {}],
    ['empty files', { a: '', c: '1\n', d: '' }, { b: '', c: '', d: '1\n' }],
    ['no final newline', { a: '1\n2', b: '1\n2\n', c: '1' }, { a: '1\n2\n', b: '1\n2', c: '2' }],
    ['CRLF', { a: numbers(0, 9, '\r\n') }, { a: numbers(0, 9, '\r\n').replace('5 line', '5') }],
    ['a pure rename', { 'old name': numbers(0, 9) }, { 'd/new name': numbers(0, 9) }],
    ['a rename with changes', { a: numbers(0, 40) }, { b: numbers(0, 38).replace('5 line', '55555 line') }],
    ['a rename just too different', { a: numbers(0, 20) }, { b: numbers(0, 9) + numbers(100, 111) }],
    ['quoted paths', { 'é "x"': '1\n', 'a b': '1\n2\n' }, { 'é "x"': '2\n', 'a b': '1\n' }],
    ['a mark at the start', { a: '\uFEFF1\n' }, { a: '\uFEFF2\n' }],
  ])('prints what git diff prints: %s', (_, before, after) => {
    write('.', before);
    git('add', '-A');
    const earlier = git('write-tree').trim();
    for (const name of Object.keys(before)) rmSync(path.join(root, name));
    write('.', after);
    git('add', '-A');
    const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changes = paths.map((name) => ({
      path: name,
      before: at(before, name),
      after: at(after, name),
      mode: modeOf(name),
    }));
    expect(diffOf(changes)).toBe(git('diff', '--cached', '-M', '--abbrev=7', '--no-color', earlier));
  });
});
