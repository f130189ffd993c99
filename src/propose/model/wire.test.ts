import { describe, expect, it } from 'vitest';
import { modelOverHttp } from './scripted-server/ask.fixture.ts';
import { asStream } from './whole-reply.ts';
import { openWire, WireError } from './wire.ts';

const { serve } = modelOverHttp();

describe('openWire', () => {
  it('stops a body that is over its limit', async () => {
    const server = await serve([
      { status: 200, body: 'x'.repeat(300_000), headers: { 'content-type': 'text/event-stream' } },
    ]);
    const wire = openWire({ onBytes: () => {}, maxBytes: 100_000 });
    const response = await wire.fetch(server.url);
    await expect(response.text()).rejects.toSatisfy(
      (error) => error instanceof WireError && error.reason === 'too_long',
    );
  });

  it('sees that a stream began, that it is done, and how it looks', async () => {
    const server = await serve([
      { status: 200, body: 'data: {}\n\ndata: [DONE]\n\n', headers: { 'content-type': 'text/event-stream' } },
      { status: 500, body: 'data: [DONE]', headers: { 'content-type': 'text/event-stream' } },
    ]);
    let pieces = 0;
    const wire = openWire({
      onBytes: () => {
        pieces += 1;
      },
    });
    expect([wire.sent, wire.begun, wire.done]).toEqual([false, false, false]);
    await (await wire.fetch(server.url)).text();
    expect([wire.sent, wire.begun, wire.done]).toEqual([true, true, true]);
    expect(wire.head).toBe('data: {}\n\ndata: [DONE]\n\n');
    expect(pieces).toBeGreaterThan(0);
    const failed = openWire({ onBytes: () => {} });
    await (await failed.fetch(server.url)).text();
    expect(failed.begun).toBe(false);
  });
});

describe('asStream', () => {
  it('takes completions and errors, and nothing else', () => {
    expect(asStream('{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}')).toContain(
      '"delta":{"content":"x"',
    );
    expect(asStream('{"error":{"message":"no"}}')).toBe('data: {"error":{"message":"no"}}\n\n');
    for (const other of ['', '[]', '{}', '{"choices":[]}', '{"error":null}', 'null', '<html>']) {
      expect(asStream(other)).toBeNull();
    }
  });
});
