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
import { conclude, cutShort, placesOf, problem, textIds } from './assay-node-conclude.mjs';
import { FileRecords } from './assay-node-records.mjs';

const stderrKept = 64 * 1024;
/** In milliseconds: for what is between two tests, and for node to end a test by itself. */
const silenceSlack = 3000;
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
    // Node's own limit ends a test that waits. The project's, in its command or its tests, comes later and counts.
    if (hasTestTimeout()) own.push(`--test-timeout=${Math.ceil(config.testLimit * 1000)}`);
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
    const silence = watchSilence(child, config.testLimit);
    child.stdio[3].on('error', () => {});
    child.stdio[3].on('data', (chunk) => {
      silence.broken();
      records.feed(chunk);
    });
    child.stdio[3].write(`${JSON.stringify(fileConfig({ config, nonce, file, worker, own: own.length }))}\n`);
    child.on('error', (error) => {
      silence.stop();
      problem(channel, file, { type: 'Error', message: `it could not be started: ${error.message}` });
      summary.code = cutShort;
      done();
    });
    child.on('close', (code, signal) => {
      silence.stop();
      const { hung } = silence;
      conclude({ config, channel, summary, file, records, code, signal, hung, stderr: stderr() });
      done();
    });
  });
}

/** The option came with Node 20.11. */
function hasTestTimeout() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 11);
}

/** Kills a file that no test of comes to an end: what neither waits nor ends cannot be stopped from inside. */
function watchSilence(child, limit) {
  const watch = {
    hung: false,
    stop: () => clearTimeout(timer),
    broken() {
      clearTimeout(timer);
      timer = setTimeout(expire, limit * 1000 + silenceSlack);
    },
  };
  const expire = () => {
    watch.hung = true;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(expire, limit * 1000 + silenceSlack);
  return watch;
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

await main();
