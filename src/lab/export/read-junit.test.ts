import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { readJunit } from './read-junit.ts';

function refusal(xml: string | Uint8Array, options = {}): AssayError {
  try {
    readJunit(xml, options);
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('readJunit', () => {
  it('reads what pytest writes', () => {
    const xml = `<?xml version="1.0" encoding="utf-8"?>
      <testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3" time="0.036">
      <testcase classname="tests.test_a" name="test_ok" time="0.001" />
      <testcase classname="tests.test_a" name="test_bad[&lt;1&gt;]" time="0.002"><failure message="assert 1 == 2">def test_bad():
&gt;       assert 1 == 2</failure></testcase>
      <testcase classname="tests.test_a" name="test_skip" time="0"><skipped type="pytest.skip" message="later">x</skipped></testcase>
      </testsuite></testsuites>`;
    const { cases } = readJunit(xml);
    expect(cases.map(({ name, status }) => [name, status])).toEqual([
      ['test_ok', 'passed'],
      ['test_bad[<1>]', 'failed'],
      ['test_skip', 'skipped'],
    ]);
    expect(cases[1]).toMatchObject({
      suites: ['pytest'],
      message: 'assert 1 == 2',
      trace: 'def test_bad():\n>       assert 1 == 2',
      durationMs: 2,
    });
  });

  it('reads nested suites, CDATA and grouped thousands as node, jest and gradle write them', () => {
    const xml = `<testsuites><testsuite name="outer"><testsuite name="inner">
      <testcase name="slow" time="1,234.5" file="/p/a.test.js"><error type="Error"><![CDATA[a < b && c]]></error>
      <system-out><![CDATA[hello]]></system-out></testcase></testsuite></testsuite></testsuites>`;
    expect(readJunit(xml).cases).toMatchObject([
      {
        suites: ['outer', 'inner'],
        durationMs: 1_234_500,
        status: 'error',
        trace: 'a < b && c',
        stdout: 'hello',
        file: '/p/a.test.js',
      },
    ]);
  });

  it('takes the first of a failure and an error as the status: one red case', () => {
    const xml =
      '<testsuite><testcase name="t"><failure message="f"/><error message="e"/></testcase></testsuite>';
    expect(readJunit(xml).cases).toMatchObject([{ status: 'failed', message: 'f' }]);
  });

  it.each([
    ['an empty file', '', 'a root element'],
    ['no XML', 'not ok 1 - forged', 'text'],
    ['a cut file', '<testsuite><testcase name="a">', 'unclosed tag'],
    ['another root', '<html></html>', 'its root is <html>'],
    ['a case in a case', '<testsuite><testcase><testcase/></testcase></testsuite>', 'inside another'],
    ['another encoding', '<?xml version="1.0" encoding="UTF-16"?><testsuite/>', 'UTF-16'],
    ['an undefined entity', '<testsuite>&boom;</testsuite>', 'undefined entity'],
    ['a raw control character', '<testsuite>\u0001</testsuite>', 'disallowed character'],
  ])('refuses %s', (_what, xml, because) => {
    const error = refusal(xml);
    expect(error.code).toBe('input');
    expect(error.because).toContain(because);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from('<testsuite name="\xff"/>', 'latin1')).because).toContain('UTF-8');
  });

  it('returns or refuses with a typed error, whatever the text', () => {
    const pieces = fc.constantFrom(
      '<testsuite>',
      '</testsuite>',
      '<testcase name="a">',
      '</testcase>',
      '<failure>',
      '</failure>',
      '<constructor/>',
      '<property name="__proto__" value="x"/>',
      '<![CDATA[',
      ']]>',
      '&amp;',
      '<!--',
      '-->',
      'text',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((all) => all.join('')),
        ),
        (xml) => {
          try {
            readJunit(xml);
          } catch (error) {
            expect(AssayError.is(error) && error.code).toBe('input');
          }
        },
      ),
    );
  });
});

describe('readJunit under attack (case 16)', () => {
  it('refuses an entity bomb at its DOCTYPE', () => {
    const entities = Array.from(
      { length: 20 },
      (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`,
    );
    const bomb = `<!DOCTYPE x [<!ENTITY e0 "boom">${entities.join('')}]><testsuite>&e20;</testsuite>`;
    expect(bomb).toContain('&e19;');
    expect(refusal(bomb).because).toContain('DOCTYPE');
  });

  it('refuses an external entity', () => {
    const xml = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite name="&f;"/>';
    expect(refusal(xml).because).toContain('DOCTYPE');
  });

  it('refuses 100 MB without reading it', () => {
    const huge = Buffer.alloc(100 * 1024 * 1024, ' ');
    expect(refusal(huge).because).toContain(`${huge.byteLength} bytes`);
  });

  it('refuses elements nested 100,000 deep', () => {
    const deep = `${'<testsuite>'.repeat(100_000)}${'</testsuite>'.repeat(100_000)}`;
    expect(refusal(deep).because).toContain('nested deeper than 64');
  });

  it('refuses more cases than its cap, and one over is already too many', () => {
    const xml = (count: number) => `<testsuite>${'<testcase name="a"/>'.repeat(count)}</testsuite>`;
    expect(readJunit(xml(10), { maxCases: 10 }).cases).toHaveLength(10);
    expect(refusal(xml(11), { maxCases: 10 }).because).toContain('more than 10');
  });

  it('ends in reasonable time on the largest file it takes, however that is filled', {
    timeout: 120_000,
  }, () => {
    const size = 12 * 1024 * 1024;
    const long = 'a'.repeat(size);
    expect(readJunit(`<testsuite><testcase name="${long}"/></testsuite>`).cases[0]?.name).toHaveLength(size);
    const attributes = Array.from({ length: 400_000 }, (_, index) => `a${index}="${index}"`).join(' ');
    expect(readJunit(`<testsuite><testcase ${attributes}/></testsuite>`).cases).toHaveLength(1);
    const escaped = '&amp;'.repeat(size / 5);
    expect(readJunit(`<testsuite><system-out>${escaped}</system-out></testsuite>`).stdout).toHaveLength(
      Math.floor(size / 5),
    );
  });
});
