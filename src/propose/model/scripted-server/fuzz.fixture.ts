import fc from 'fast-check';
import type { RawAnswer, ReplyAnswer, ScriptedAnswer } from './answers.fixture.ts';
import { wireOf } from './wires.fixture.ts';

const reply: fc.Arbitrary<ReplyAnswer> = fc
  .record(
    {
      text: fc.string({ unit: 'binary', maxLength: 60 }),
      toolCalls: fc.array(
        fc.record({
          name: fc.oneof(fc.constant('propose_patch'), fc.string({ maxLength: 12 })),
          arguments: fc.json({ maxDepth: 2 }),
        }),
        { maxLength: 3 },
      ),
      reasoning: fc.string({ maxLength: 20 }),
      finish: fc.constantFrom('stop', 'tool_calls', 'length', 'refused', null),
      usage: fc.option(fc.record({ input: fc.integer(), output: fc.double() })),
      stopAfter: fc.record({
        events: fc.nat({ max: 12 }),
        how: fc.constantFrom('cut' as const, 'end' as const),
      }),
      whole: fc.boolean(),
    },
    { requiredKeys: ['text', 'usage'] },
  )
  .map((answer) => ({ ...answer, usage: answer.usage ?? null }));

/** A change of one place of a valid stream: of its bytes, or of a value in its JSON. */
type Damage =
  | { at: number; cut: number; insert: Uint8Array }
  | { at: number; value: unknown; key: string | null };

/** How far into the stream, as a share of it. */
const place = fc.integer({ min: 0, max: 999 }).map((n) => n / 1000);

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({
    at: place,
    cut: fc.nat({ max: 200 }),
    insert: fc.uint8Array({ maxLength: 20 }),
  }),
  fc.record({
    at: place,
    value: fc.jsonValue({ maxDepth: 2 }),
    key: fc.option(
      fc.constantFrom(
        'type',
        'index',
        'error',
        'choices',
        'delta',
        'tool_calls',
        'usage',
        'content',
        'parts',
      ),
    ),
  }),
);

const status = fc.constantFrom(
  200,
  200,
  200,
  201,
  204,
  301,
  307,
  400,
  401,
  402,
  404,
  413,
  418,
  429,
  500,
  503,
  529,
);
const type = fc.constantFrom('text/event-stream', 'application/json', 'text/html', '', 'nonsense');
const raw: fc.Arbitrary<RawAnswer> = fc.record({
  status,
  body: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.json({ maxDepth: 3 }),
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => `data: ${text}\n\n`),
    fc
      .record({ error: fc.anything({ maxDepth: 2 }) })
      .map((value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v))),
  ),
  headers: fc.record({ 'content-type': type, 'retry-after': fc.stringMatching(/^[ -~]{0,20}$/) }),
  cut: fc.boolean(),
});

export type FuzzedAnswer =
  | { kind: 'as it is'; answer: ScriptedAnswer }
  | { kind: 'damaged'; reply: ReplyAnswer; damages: Damage[] };

/** Replies, garbage, cuts, and valid streams with something wrong in them. */
export const fuzzedAnswer: fc.Arbitrary<FuzzedAnswer> = fc.oneof(
  { weight: 2, arbitrary: reply.map((answer): FuzzedAnswer => ({ kind: 'as it is', answer })) },
  { weight: 2, arbitrary: raw.map((answer): FuzzedAnswer => ({ kind: 'as it is', answer })) },
  {
    weight: 5,
    arbitrary: fc
      .record({ reply, damages: fc.array(damage, { minLength: 1, maxLength: 3 }) })
      .map((fuzzed): FuzzedAnswer => ({ kind: 'damaged', ...fuzzed })),
  },
);

/** What to answer on this path. */
export function answerFor(fuzzed: FuzzedAnswer, path: string): ScriptedAnswer {
  if (fuzzed.kind === 'as it is') return fuzzed.answer;
  const wire = wireOf(path.split('?')[0] ?? '');
  const events = wire === null ? [] : wire(fuzzed.reply, 'm').events;
  const body = fuzzed.damages.reduce(damaged, Buffer.from(events.join('')));
  return { status: 200, body, headers: { 'content-type': 'text/event-stream' } };
}

function damaged(body: Buffer, harm: Damage): Buffer {
  if ('cut' in harm) {
    const at = Math.floor(harm.at * body.length);
    return Buffer.concat([body.subarray(0, at), harm.insert, body.subarray(at + harm.cut)]);
  }
  const lines = body.toString('utf8').split('\n');
  const data = lines.flatMap((line, at) => (line.startsWith('data: {') ? [at] : []));
  const at = data[Math.floor(harm.at * data.length)];
  const line = at === undefined ? undefined : lines[at];
  if (at === undefined || line === undefined) return body;
  lines[at] = `data: ${withValue(line.slice(6), harm)}`;
  return Buffer.from(lines.join('\n'));
}

/** The JSON with another value: at every key of that name, or at one leaf. */
function withValue(text: string, harm: { at: number; value: unknown; key: string | null }): string {
  try {
    let leaves = Math.floor(harm.at * 20);
    return JSON.stringify(
      JSON.parse(text, (key: string, value: unknown) => {
        if (harm.key !== null) return key === harm.key ? harm.value : value;
        leaves -= 1;
        return leaves === 0 ? harm.value : value;
      }),
    );
  } catch {
    return text;
  }
}
