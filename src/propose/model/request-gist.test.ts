import { describe, expect, it } from 'vitest';
import { requestGist } from './request-gist.ts';
import { request } from './scripted-server/ask.fixture.ts';

const said = (text: string) => requestGist({ ...request, messages: [{ role: 'user', text }] });

describe('requestGist', () => {
  it.each([
    ['where the project lies', 'File "/home/a/shop.py", line 3', 'File "/srv/work/shop.py", line 3'],
    ['that it lies in a temporary folder', 'at file:///work/a/shop.ts:3:1', 'at file:///tmp/b-1/shop.ts:3:1'],
    ['how long it took', 'failed after 1.25 s', 'failed after 380 ms'],
    ['when', 'at 2026-11-30T23:13:19.632Z', 'at 2027-01-01T00:00:00.000Z'],
    ['the rounds left', '4 more patches can be tested. x', 'This is the last patch that will be tested. x'],
    ['the word of a fence', '<<DATA-0123456789ab a\n', '<<DATA-ba9876543210 a\n'],
    ['an address', '<Shop at 0x7f00aa>', '<Shop at 0x7f11bb>'],
  ])('does not see %s', (_, one, other) => {
    expect(said(one)).toBe(said(other));
  });

  it.each([
    ['a number in the code', 'if total < 100:', 'if total < 200:'],
    ['the indentation', '  return 1', '    return 1'],
    ['a relative path', 'src/shop.py', 'lib/shop.py'],
    ['another file of a folder', 'at /tmp/b-1/shop.ts', 'at /tmp/b-1/price.ts'],
    ['another failing test', 'test_a failed', 'test_b failed'],
  ])('sees %s', (_, one, other) => {
    expect(said(one)).not.toBe(said(other));
  });

  it('sees what was read, and neither instructions nor limits', () => {
    const read = (text: string) =>
      requestGist({
        ...request,
        messages: [
          { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'read_file', input: '{}' }] },
          { role: 'tool', results: [{ callId: 'a', tool: 'read_file', text }] },
        ],
      });
    expect(read('x = 1')).not.toBe(read('x = 2'));
    expect(requestGist({ ...request, system: 'other', maxOutputTokens: 7 })).toBe(requestGist(request));
  });
});
