/** Reads what the process of one test file says, and passes its tests on under ids of the whole project. */
import { StringDecoder } from 'node:string_decoder';

/** Longest line taken from a test file: a record's texts are clipped far below it. */
const maxLine = 4 * 1024 * 1024;

export class FileRecords {
  #config;
  #channel;
  #file;
  #nonce;
  #decoder = new StringDecoder('utf8');
  #rest = '';
  #next = 0;
  #names = new Map();
  #collected = { ids: [], skipped: [], xfailed: [] };
  #startedAt = performance.now();
  canaries = [];
  /** Tests reported. */
  count = 0;
  failed = false;
  /** The record that closes the descriptor came. */
  ended = false;
  /** How the process said it ended, where it ended early. */
  exit = null;
  /** The last error that nothing caught: why the process ended, where it ended early. */
  uncaught = null;

  constructor({ config, channel, file, nonce }) {
    this.#config = config;
    this.#channel = channel;
    this.#file = file;
    this.#nonce = nonce;
  }

  get finished() {
    return this.ended || this.exit?.complete === true;
  }

  get durationMs() {
    return performance.now() - this.#startedAt;
  }

  feed(chunk) {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > maxLine) {
      this.#irregular('sent a line without end');
      this.#rest = '';
    }
    for (const line of lines) this.#line(line);
  }

  #line(line) {
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      return this.#irregular('wrote to the result channel what is no record');
    }
    if (record?.n !== this.#nonce || record.i !== this.#next || this.ended) {
      return this.#irregular('sent a record that is not its turn or lacks the nonce');
    }
    this.#next += 1;
    this.#take(record);
  }

  #irregular(what) {
    this.#channel.send('irregular', { text: `the process of ${this.#file} ${what}` });
  }

  #take(record) {
    switch (record.t) {
      case 'test':
        this.#test(record);
        break;
      case 'problem':
        this.failed = true;
        this.#channel.send('problem', { file: this.#file, problem: record.problem });
        break;
      case 'canary':
        this.canaries.push({ id: record.id, outcome: record.outcome, detail: record.detail });
        break;
      case 'uncaught':
        this.uncaught = record.problem;
        break;
      case 'exit':
        this.exit = record;
        break;
      case 'end':
        this.ended = true;
        break;
    }
  }

  #test({ path, line, status, durationMs, failure, skipReason }) {
    this.count += 1;
    const id = this.#idOf(path);
    this.#collected.ids.push(id);
    if (this.#config.mode === 'collect') {
      if (status === 'skipped') this.#collected.skipped.push(id);
      else if (status === 'xfailed' || status === 'xpassed') this.#collected.xfailed.push(id);
      return;
    }
    if (status === 'failed' || status === 'error') this.failed = true;
    const test = {
      id,
      file: this.#file,
      line,
      status,
      durationMs,
      failure,
      skipReason,
      stdout: '',
      stderr: '',
    };
    this.#channel.send('test', { test });
  }

  /** `file > suite > name`; a second test of the same name in the same suite is `file > suite > name#2`. */
  #idOf(path) {
    const plain = [this.#file, ...path].join(' > ');
    const seen = (this.#names.get(plain) ?? 0) + 1;
    this.#names.set(plain, seen);
    return seen === 1 ? plain : `${plain}#${seen}`;
  }

  sendCollected() {
    this.#channel.send('collected', { ...this.#collected, file: null });
  }
}
