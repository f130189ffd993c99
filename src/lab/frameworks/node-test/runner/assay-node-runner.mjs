/**
 * Runs or collects a project's tests with node:test and reports over the private channel. Each test file gets a
 * process of its own, as under `node --test`. Unlike there, results do not come over the file's standard output,
 * where anything the code prints could pass for one, but over a descriptor that only that process has. No code of the
 * project is loaded here.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSender } from './assay-node-channel.mjs';
import { clip, framesOf } from './assay-node-failure.mjs';
import { FileRecords } from './assay-node-records.mjs';
import { staticIds } from './assay-node-static.mjs';

/** A test file ended before its tests had: also said by `explainExit` on the other side. */
const cutShort = 3;
const stderrKept = 64 * 1024;
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

async function main() {
  const config = JSON.parse(readFileSync(0, 'utf8'));
  const fd = Number(process.env.ASSAY_CHANNEL_FD);
  delete process.env.ASSAY_CHANNEL_FD;
  const channel = openSender({ fd, nonce: config.nonce });
  channel.send('start', {
    framework: 'node:test',
    version: process.versions.node,
    runtime: `Node.js ${process.version}`,
  });
  if (config.globalSetup) {
    channel.send('unable', {
      detail: 'the test command uses --test-global-setup, whose code would share a process with the results',
      fix: 'prepare with --setup COMMAND, and leave the option out of the test command',
    });
    channel.end(1);
    return;
  }
  const code = config.mode === 'static' ? listStatically(config, channel) : await runFiles(config, channel);
  channel.end(code);
  process.exitCode = code;
}

function listStatically(config, channel) {
  for (const file of config.files) {
    channel.send('collected', { ids: textIds(config, file), skipped: [], xfailed: [], file });
  }
  return 0;
}

function textIds(config, file) {
  try {
    return staticIds(readFileSync(path.join(config.root, file), 'utf8'), file);
  } catch {
    return [];
  }
}

async function runFiles(config, channel) {
  const summary = { code: 0, canaries: new Map() };
  const queue = config.files.map((file, index) => ({ file, index }));
  const worker = async (number) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await runFile({ config, channel, summary, file: next.file, worker: number });
    }
  };
  const width = Math.max(1, Math.min(config.concurrency ?? availableParallelism() - 1, queue.length));
  await Promise.all(Array.from({ length: width }, (_, index) => worker(index + 1)));
  if (config.mode === 'run') sendCanaries(channel, summary.canaries);
  return summary.code;
}

/** A canary is right only where it is right in every file; where no file came to its end, no result is green. */
function sendCanaries(channel, canaries) {
  for (const [id, expect] of [
    ['wrong', 'failed'],
    ['right', 'passed'],
  ]) {
    const seen = canaries.get(id) ?? [];
    const bad = seen.find(({ outcome }) => outcome !== expect);
    if (bad !== undefined)
      channel.send('canary', { id, outcome: bad.outcome, detail: `${bad.file}: ${bad.detail}` });
    else if (seen.length > 0) channel.send('canary', { id, outcome: expect, detail: '' });
    else channel.send('canary', { id, outcome: 'not_needed', detail: 'no test file came to its end' });
  }
}

/** Starts one file and resolves when its process is gone and all it said is passed on. */
function runFile({ config, channel, summary, file, worker }) {
  return new Promise((done) => {
    const nonce = randomBytes(16).toString('hex');
    const own = [
      '--import',
      beside('assay-node-preload.mjs'),
      '--test-reporter',
      beside('assay-node-reporter.mjs'),
    ];
    own.push('--test-reporter-destination', 'stdout');
    const absolute = path.join(config.root, file);
    const child = spawn(
      process.execPath,
      [...own, ...config.nodeArguments, absolute, ...config.fileArguments],
      {
        cwd: config.root,
        env: { ...process.env, ...config.env, ASSAY_FILE_FD: '3' },
        stdio: ['ignore', 'inherit', 'pipe', 'pipe'],
      },
    );
    const records = new FileRecords({ config, channel, file, nonce });
    const stderr = keepTail(child.stderr);
    child.stdio[3].on('error', () => {});
    child.stdio[3].on('data', (chunk) => records.feed(chunk));
    child.stdio[3].write(`${JSON.stringify(fileConfig({ config, nonce, file, worker, own: own.length }))}\n`);
    child.on('error', (error) => {
      problem(channel, file, { type: 'Error', message: `it could not be started: ${error.message}` });
      summary.code = cutShort;
      done();
    });
    child.on('close', (code, signal) => {
      conclude({ config, channel, summary, file, records, code, signal, stderr: stderr() });
      done();
    });
  });
}

function fileConfig({ config, nonce, file, worker, own }) {
  return {
    nonce,
    mode: config.mode,
    file,
    worker,
    tag: randomBytes(8).toString('hex'),
    ownArguments: own + config.optionArguments,
    nodeOptions: config.nodeOptions,
    only: config.only,
    filtered: config.filtered,
    places: placesOf(config),
  };
}

function placesOf({ root, environments }) {
  return { root, environments: environments.map((folder) => path.join(root, folder)) };
}

/** Passes standard error on and keeps its end, where node says why it died. */
function keepTail(stream) {
  let tail = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    process.stderr.write(text);
    tail = (tail + text).slice(-stderrKept);
  });
  return () => tail;
}

/** Says what a file came to as a whole, once its process is gone. */
function conclude({ config, channel, summary, file, records, code, signal, stderr }) {
  const collecting = config.mode === 'collect';
  if (records.count > 0) records.sendCollected();
  if (records.failed) summary.code = Math.max(summary.code, 1);
  if (records.finished) {
    for (const canary of records.canaries) {
      summary.canaries.set(canary.id, [...(summary.canaries.get(canary.id) ?? []), { ...canary, file }]);
    }
  }
  const exit = records.exit;
  if (records.ended || exit?.complete)
    return wholeFile({ config, channel, summary, file, records, code, signal, stderr });

  const crash = exit?.problem ?? null;
  const how = signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
  const text = `the process of ${file} ${how} before its tests had`;
  const trace = stderr.trim() === '' ? text : clip(stderr, 256 * 1024);
  if (crash !== null || stderrFrames(config, stderr).length > 0) {
    const found = crash ?? { type: errorType(stderr), message: text };
    const frames = found.frames?.length > 0 ? found.frames : stderrFrames(config, stderr);
    problem(channel, file, { ...found, trace: found.trace || trace, frames });
    summary.code = Math.max(summary.code, 1);
  } else {
    problem(channel, file, { type: 'EarlyExit', message: text, trace });
    summary.code = cutShort;
  }
  if (collecting) channel.send('collected', { ids: textIds(config, file), skipped: [], xfailed: [], file });
}

/** A file that came to its end. One without tests is itself a test, as under `node --test`: its exit code decides. */
function wholeFile({ config, channel, summary, file, records, code, signal, stderr }) {
  const collecting = config.mode === 'collect';
  if (records.count > 0) {
    if (collecting) return;
    // The harness makes the exit code 1 for failing tests; with none, it is the project's own doing.
    if (code === 0 || records.failed) return;
    const message = `its tests passed, but its process ended with ${signal ?? `exit code ${code}`}`;
    problem(channel, file, { type: 'ExitCode', message, trace: stderr });
    summary.code = Math.max(summary.code, 1);
    return;
  }
  channel.send('collected', { ids: [file], skipped: [], xfailed: [], file: null });
  if (collecting) return;
  const passed = code === 0;
  if (!passed) summary.code = Math.max(summary.code, 1);
  const message = `it ended with ${signal ?? `exit code ${code}`}`;
  const frames = stderrFrames(config, stderr);
  channel.send('test', {
    test: {
      id: file,
      file,
      line: null,
      status: passed ? 'passed' : 'failed',
      durationMs: records.durationMs,
      failure: passed ? null : { type: errorType(stderr), message, trace: stderr || message, frames },
      skipReason: null,
      stdout: '',
      stderr: '',
    },
  });
}

function problem(channel, file, { type, message, trace, frames }) {
  channel.send('problem', {
    file,
    problem: { type, message, trace: trace || message, frames: frames ?? [] },
  });
}

/** The project's own frames in what node printed when it died. */
function stderrFrames(config, stderr) {
  const start = stderr.search(/^(?:file:\/\/)?\/\S+:\d+$/m);
  if (start === -1) return [];
  return framesOf(stderr.slice(start), placesOf(config)).filter(({ inProject }) => inProject);
}

function errorType(stderr) {
  return /^(?:Uncaught )?([A-Z]\w*(?:Error|Exception))\b/m.exec(stderr)?.[1] ?? '';
}

await main();
