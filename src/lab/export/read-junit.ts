import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { AssayError } from '../../core/index.ts';

export type ReadJunitOptions = {
  /** Default 16 MiB. */
  maxBytes?: number;
  /** Deepest nesting of elements. Default 64. */
  maxDepth?: number;
  /** Default 200,000. */
  maxCases?: number;
};

/** One `<testcase>`. */
export type JunitCase = {
  /** Names of the `<testsuite>` elements around it, outermost first. */
  suites: string[];
  classname: string;
  name: string;
  file: string | null;
  line: number | null;
  status: 'passed' | 'failed' | 'error' | 'skipped';
  /** null where the file gives none, or no number. */
  durationMs: number | null;
  /** Of the first `<failure>`, `<error>` or `<skipped>`; empty for a passed case. */
  type: string;
  message: string;
  trace: string;
  stdout: string;
  stderr: string;
};

export type JunitDocument = {
  cases: JunitCase[];
  /** `<property>` elements of all suites, later ones win. */
  properties: Map<string, string>;
  stdout: string;
  stderr: string;
};

/** Saxes is fed in pieces, so that a file which is wrong early costs little. */
const pieceLength = 64 * 1024;

/**
 * Reads JUnit XML that may be hostile: size, depth and number of cases are capped, a DOCTYPE (and with it every entity
 * bomb and external reference) is refused, and no element outside the JUnit vocabulary has any effect.
 * @throws AssayError `input`.
 */
export function readJunit(xml: string | Uint8Array, options: ReadJunitOptions = {}): JunitDocument {
  const { maxBytes = 16 * 1024 * 1024, maxDepth = 64, maxCases = 200_000 } = options;
  const bytes = typeof xml === 'string' ? Buffer.byteLength(xml) : xml.byteLength;
  if (bytes > maxBytes) throw badJunit(`it has ${bytes} bytes; at most ${maxBytes} are read`);
  const text = (typeof xml === 'string' ? xml : decode(xml)).replace(/^\u{feff}/u, '');

  const builder = new Builder({ maxDepth, maxCases });
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw badJunit(error.message);
  });
  parser.on('doctype', () => {
    throw badJunit('it has a DOCTYPE, which JUnit never needs and which can define entity bombs');
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-?8|us-ascii|ascii)$/i.test(encoding))
      throw badJunit(`its encoding is ${encoding.slice(0, 40)}; only UTF-8 is read`);
  });
  parser.on('opentag', (tag) => builder.open(tag));
  parser.on('closetag', (tag) => builder.close(tag.name));
  parser.on('text', (piece) => builder.text(piece));
  parser.on('cdata', (piece) => builder.text(piece));
  for (let at = 0; at < text.length; at += pieceLength) parser.write(text.slice(at, at + pieceLength));
  parser.close();
  return builder.document;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badJunit('it is not valid UTF-8');
  }
}

/** Builds the document from the stream of tags. The open tags are its only state beside the document. */
class Builder {
  readonly document: JunitDocument = { cases: [], properties: new Map(), stdout: '', stderr: '' };
  readonly #limits: { maxDepth: number; maxCases: number };
  readonly #openTags: string[] = [];
  readonly #suites: string[] = [];
  #current: JunitCase | null = null;

  constructor(limits: { maxDepth: number; maxCases: number }) {
    this.#limits = limits;
  }

  open(tag: SaxesTagPlain): void {
    const parent = this.#openTags.at(-1);
    if (parent === undefined && tag.name !== 'testsuites' && tag.name !== 'testsuite')
      throw badJunit(`its root is <${tag.name.slice(0, 40)}>, not <testsuites> or <testsuite>`);
    if (this.#openTags.length >= this.#limits.maxDepth)
      throw badJunit(`it is nested deeper than ${this.#limits.maxDepth} elements`);
    this.#openTags.push(tag.name);
    const { attributes } = tag;
    if (tag.name === 'testsuite') this.#suites.push(attributes.name ?? '');
    else if (tag.name === 'testcase') this.#openCase(attributes);
    else if (tag.name === 'property' && attributes.name !== undefined)
      this.document.properties.set(attributes.name, attributes.value ?? '');
    else if (parent === 'testcase') this.#openOutcome(tag.name, attributes);
  }

  close(name: string): void {
    this.#openTags.pop();
    if (name === 'testsuite') this.#suites.pop();
    if (name !== 'testcase' || this.#current === null) return;
    if (this.document.cases.length >= this.#limits.maxCases)
      throw badJunit(`it has more than ${this.#limits.maxCases} test cases`);
    this.document.cases.push(this.#current);
    this.#current = null;
  }

  text(piece: string): void {
    const [parent, tag] = this.#openTags.slice(-2);
    const sink = this.#current !== null && parent === 'testcase' ? this.#current : null;
    if (tag === 'system-out') {
      (sink ?? this.document).stdout += piece;
    } else if (tag === 'system-err') {
      (sink ?? this.document).stderr += piece;
    } else if (sink !== null && tag !== undefined && Object.hasOwn(outcomes, tag)) sink.trace += piece;
  }

  #openCase(attributes: Record<string, string>): void {
    if (this.#current !== null) throw badJunit('a <testcase> stands inside another');
    this.#current = {
      suites: [...this.#suites],
      classname: attributes.classname ?? '',
      name: attributes.name ?? '',
      file: attributes.file ?? null,
      line: wholeNumber(attributes.line),
      status: 'passed',
      durationMs: milliseconds(attributes.time),
      type: '',
      message: '',
      trace: '',
      stdout: '',
      stderr: '',
    };
  }

  #openOutcome(name: string, attributes: Record<string, string>): void {
    const status = Object.hasOwn(outcomes, name) ? outcomes[name] : undefined;
    if (status === undefined || this.#current === null) return;
    // An error after a failure (pytest writes one when the teardown fails as well) is still one red case.
    if (this.#current.status !== 'passed') return;
    this.#current.status = status;
    this.#current.type = attributes.type ?? '';
    this.#current.message = attributes.message ?? '';
  }
}

const outcomes: Readonly<Record<string, Exclude<JunitCase['status'], 'passed'>>> = {
  failure: 'failed',
  error: 'error',
  skipped: 'skipped',
};

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** `time` is in seconds. Some writers group thousands with commas. */
function milliseconds(time: string | undefined): number | null {
  const plain = time?.replaceAll(',', '').trim() ?? '';
  const value = /^\d+(\.\d+)?([eE][-+]?\d+)?$/.test(plain) ? Number(plain) * 1000 : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

function badJunit(because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: 'this JUnit report cannot be read',
    because: because.length > 300 ? `${because.slice(0, 300)}…` : because,
    fix: 'give a complete JUnit XML file within the limits',
  });
}
