import { describe, expect, it } from 'vitest';
import { SetupReader, StatusReader } from './reports.ts';

describe('StatusReader', () => {
  it('reads what bwrap tells, in whatever pieces', () => {
    const text = '{ "child-pid": 41, "pid-namespace": 4026532180 }\n{ "exit-code": 7 }\n';
    for (const size of [1, 5, 1000]) {
      const reader = new StatusReader();
      for (let at = 0; at < text.length; at += size) reader.push(Buffer.from(text.slice(at, at + size)));
      expect([reader.childPid, reader.exitCode]).toEqual([41, 7]);
    }
  });

  it('keeps the first word and ignores what is none', () => {
    const reader = new StatusReader();
    reader.push(Buffer.from('{ "child-pid": 41 }\n{"child-pid": 1}\nnonsense\n{"exit-code": "0"}\n'));
    expect([reader.childPid, reader.exitCode]).toEqual([41, null]);
  });
});

describe('SetupReader', () => {
  const stateOf = (...parts: string[]) => {
    const reader = new SetupReader();
    for (const part of parts) reader.push(Buffer.from(part));
    return reader.state;
  };

  it('follows the preparation', () => {
    expect(stateOf()).toEqual({ kind: 'building' });
    expect(stateOf('!rea')).toEqual({ kind: 'building' });
    expect(stateOf('!rea', 'dy\n')).toEqual({ kind: 'preparing', said: '' });
    expect(stateOf('!ready\n', '!running\n')).toEqual({ kind: 'running' });
  });

  it('tells what failed, with what was said about it', () => {
    expect(stateOf('!ready\n', 'tar: x: Cannot open\n', '!fill\n')).toEqual({
      kind: 'failed',
      step: 'fill',
      said: 'tar: x: Cannot open',
    });
    expect(stateOf('!ready\n!running\n!exec\n')).toMatchObject({ kind: 'failed', step: 'exec' });
  });

  it('does not take a file name for a word', () => {
    expect(stateOf('!ready\ntar: a\\n!fill: Cannot open\n')).toMatchObject({ kind: 'preparing' });
  });

  it('sees the end of very long complaints', () => {
    expect(stateOf('!ready\n', `${'tar: something\n'.repeat(20_000)}!fill\n`)).toMatchObject({
      step: 'fill',
    });
  });
});
