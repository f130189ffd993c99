import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bridgeMime } from './bridge-source.ts';
import { changeOf } from './output-change.ts';

const result = (raw: Record<string, unknown>, isMainResult = false) => changeOf({ raw, isMainResult });
const noted = (note: unknown, raw: Record<string, unknown> = {}) =>
  result({ ...raw, extra: { [bridgeMime]: note } });

describe('changeOf', () => {
  it('gives every form its MIME type, those that the SDK does not know too', () => {
    const raw = {
      text: 't',
      png: 'aaaa',
      json: [1],
      data: { a: [1] },
      chart: {},
      extra: { 'application/vnd.plotly.v1+json': { data: [] }, 'text/x-own': 'o' },
    };
    expect(result(raw)).toEqual({
      kind: 'put',
      output: {
        output_type: 'display_data',
        metadata: {},
        data: {
          'text/plain': 't',
          'image/png': 'aaaa',
          'application/json': [1],
          'application/vnd.plotly.v1+json': { data: [] },
          'text/x-own': 'o',
        },
      },
    });
  });

  it('takes text, metadata, display id and count from the bridge', () => {
    const note = { text: "'a'", metadata: { 'text/plain': { b: 1 } }, displayId: 'd', count: 3 };
    expect(changeOf({ raw: { text: 'a', extra: { [bridgeMime]: note } }, isMainResult: true })).toEqual({
      kind: 'put',
      output: {
        output_type: 'execute_result',
        execution_count: 3,
        data: { 'text/plain': "'a'" },
        metadata: { 'text/plain': { b: 1 } },
        displayId: 'd',
      },
    });
  });

  it('knows updates, clears, ends and hellos', () => {
    expect(noted({ update: true, displayId: 'd' }, { html: 'new' })).toEqual({
      kind: 'update',
      update: { displayId: 'd', data: { 'text/html': 'new' }, metadata: {} },
    });
    expect(noted({ clear: true, wait: true })).toEqual({ kind: 'clear', wait: true });
    expect(noted({ end: true })).toEqual({ kind: 'end' });
    const hello = { pid: 7, user: 'root', languageVersion: '3.13.1', implementation: 'ipykernel 7.1.0' };
    expect(noted({ hello })).toEqual({ kind: 'hello', hello });
  });

  it('takes whatever the code may send in place of the bridge', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (note, extra) => {
        expect(['put', 'update', 'clear', 'end', 'hello']).toContain(noted(note).kind);
        expect(result({ text: 'x', extra }).kind).toBe('put');
      }),
    );
    expect(noted({ hello: { pid: '1; rm -rf /' } }).kind).toBe('put');
  });
});
