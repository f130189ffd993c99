import { expect, it } from 'vitest';
import { encode, give, jump } from './bpf.ts';

it('refuses a jump beyond the end', () => {
  expect(() => encode([jump('jumpIfEqual', { k: 1, jt: 0, jf: 1 }), give(0)])).toThrow(/out of range/);
  expect(() =>
    encode([jump('jumpIfEqual', { k: 1, jt: 256, jf: 0 }), ...Array.from({ length: 300 }, () => give(0))]),
  ).toThrow(/out of range/);
});

it('refuses a program longer than the kernel takes', () => {
  expect(() => encode(Array.from({ length: 4097 }, () => give(0)))).toThrow(/too many/);
});

it('lays instructions out as struct sock_filter', () => {
  const program = [jump('jumpIfAnySet', { k: 0x7e020000, jt: 1, jf: 0 }), give(0x7fff0000), give(0x80000000)];
  expect(Buffer.from(encode(program)).toString('hex')).toBe(
    '450001000000027e060000000000ff7f0600000000000080',
  );
});
