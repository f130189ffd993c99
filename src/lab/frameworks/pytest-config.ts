import type { SourceTree } from './framework.ts';

/** What the lab reads of a project's pytest configuration; pytest itself reads the whole. */
export type PytestConfig = {
  /** The file it stands in; null without a configuration. */
  file: string | null;
  pythonFiles: string[];
  testpaths: string[];
  /** Folders put on the import path. */
  pythonpath: string[];
  addopts: string;
};

/** In pytest's own order of precedence. */
const sources = [
  { file: 'pytest.ini', section: 'pytest', evenEmpty: true },
  { file: '.pytest.ini', section: 'pytest', evenEmpty: true },
  { file: 'pytest.toml', section: 'pytest', evenEmpty: true },
  { file: '.pytest.toml', section: 'pytest', evenEmpty: true },
  { file: 'pyproject.toml', section: 'tool.pytest.ini_options', evenEmpty: false },
  { file: 'pyproject.toml', section: 'tool.pytest', evenEmpty: false },
  { file: 'tox.ini', section: 'pytest', evenEmpty: false },
  { file: 'setup.cfg', section: 'tool:pytest', evenEmpty: false },
];

/** Reads the configuration at the top of the project. Pure but for the tree. */
export function readPytestConfig(tree: Pick<SourceTree, 'text'>): PytestConfig {
  for (const { file, section, evenEmpty } of sources) {
    const text = tree.text(file);
    if (text === null) continue;
    const values = file.endsWith('.toml') ? tomlSection(text, section) : iniSection(text, section);
    if (values === null && !evenEmpty) continue;
    const words = (key: string) => (values?.get(key) ?? '').split(/[\s,]+/).filter(Boolean);
    const folders = (key: string) =>
      words(key).map((folder) => folder.replace(/^\.\//, '').replace(/\/+$/, ''));
    return {
      file,
      pythonFiles: words('python_files'),
      testpaths: folders('testpaths'),
      pythonpath: folders('pythonpath'),
      addopts: values?.get('addopts') ?? '',
    };
  }
  return { file: null, pythonFiles: [], testpaths: [], pythonpath: [], addopts: '' };
}

/** Keys of one section of an INI file, as configparser reads them: indented lines go on with the value before. */
export function iniSection(text: string, section: string): Map<string, string> | null {
  let values: Map<string, string> | null = null;
  let inside = false;
  let key: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*[#;]/.test(line)) continue;
    const header = /^\[(.+)\]\s*$/.exec(line);
    if (header !== null) {
      inside = header[1] === section;
      if (inside) values ??= new Map();
      key = null;
      continue;
    }
    if (!inside || values === null) continue;
    const pair = /^(\w[\w-]*)\s*[=:]\s*(.*)$/.exec(line);
    if (pair?.[1] !== undefined) {
      key = pair[1];
      values.set(key, pair[2] ?? '');
    } else if (key !== null && /^\s+\S/.test(line)) {
      values.set(key, `${values.get(key) ?? ''}\n${line.trim()}`);
    }
  }
  return values;
}

/** Keys of one table of a TOML file whose values are strings or lists of strings; lists come back joined by blanks. */
export function tomlSection(text: string, section: string): Map<string, string> | null {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim() === `[${section}]`);
  if (start === -1) return null;
  const rest = lines.slice(start + 1);
  const stop = rest.findIndex((line) => /^\s*\[[\w."-]/.test(line) && !/^\s*\[\s*["']/.test(line));
  const body = (stop === -1 ? rest : rest.slice(0, stop)).join('\n');
  const values = new Map<string, string>();
  const pairs = /^\s*([\w-]+)\s*=\s*(\[[\s\S]*?\]|"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"|'[^']*')/gm;
  for (const [, key, value] of body.matchAll(pairs)) {
    if (key !== undefined && value !== undefined) values.set(key, tomlStrings(value));
  }
  return values;
}

function tomlStrings(value: string): string {
  const strings = value.matchAll(/"""([\s\S]*?)"""|"((?:[^"\\]|\\.)*)"|'([^']*)'/g);
  return [...strings].map(([, long, basic, literal]) => long ?? basic ?? literal ?? '').join(' ');
}
