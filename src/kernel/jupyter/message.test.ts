import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MessageCodec } from './message.ts';
import { outputChange } from './output-message.ts';

const key = 'a-key';

function signed(parts: readonly unknown[], by = key): Buffer[] {
  const frames = parts.map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)));
  const hmac = createHmac('sha256', by);
  for (const frame of frames) hmac.update(frame);
  return [Buffer.from('<IDS|MSG>'), Buffer.from(hmac.digest('hex')), ...frames];
}

describe('MessageCodec', () => {
  const codec = new MessageCodec({ key });

  it('reads what it writes, with identities before and buffers behind', () => {
    const { id, frames } = codec.encode('execute_request', { code: '中' });
    const read = codec.decode([Buffer.from('identity'), ...frames, Buffer.from('buffer')]);
    expect(read).toEqual({ type: 'execute_request', parentId: null, content: { code: '中' } });
    expect(id).not.toBe(codec.encode('x', {}).id);
  });

  it('reads the parent', () => {
    const frames = signed([{ msg_type: 'stream' }, { msg_id: 'p' }, {}, { text: 'a' }]);
    expect(codec.decode(frames)).toEqual({ type: 'stream', parentId: 'p', content: { text: 'a' } });
  });

  it.each<[string, Buffer[]]>([
    ['signed with another key', signed([{ msg_type: 'stream' }, {}, {}, {}], 'another')],
    ['without a delimiter', signed([{ msg_type: 'stream' }, {}, {}, {}]).slice(1)],
    ['cut short', signed([{ msg_type: 'stream' }, {}, {}, {}]).slice(0, 5)],
    ['that is no JSON', signed(['{', {}, {}, {}])],
    ['whose content is a list', signed([{ msg_type: 'stream' }, {}, {}, []])],
    ['without a type', signed([{}, {}, {}, {}])],
    ['whose signature is cut', signed([{ msg_type: 'stream' }, {}, {}, {}]).with(1, Buffer.from('ab'))],
    ['of nothing', []],
  ])('takes no message %s', (_, frames) => {
    expect(codec.decode(frames)).toBeNull();
  });

  it('believes nothing of what a message holds', () => {
    const of = (type: string, content: Record<string, unknown>) =>
      outputChange({ type, parentId: null, content });
    expect(of('stream', { name: 7, text: null })).toEqual({
      kind: 'put',
      output: { output_type: 'stream', name: 'stdout', text: '' },
    });
    expect(of('display_data', { data: [], metadata: 'x', transient: 1 })).toMatchObject({
      output: { data: {}, metadata: {} },
    });
    expect(of('error', { traceback: 'no list' })).toMatchObject({ output: { ename: '', traceback: [] } });
    expect(of('update_display_data', { data: {} })).toBeNull();
    expect(of('status', {})).toBeNull();
  });
});
