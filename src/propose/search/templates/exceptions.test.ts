import { describe, expect, it } from 'vitest';
import { exceptions } from './exceptions.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('exceptions', () => {
  it('another exception raised or caught', async () => {
    const source =
      'class Broken(Exception):\n    pass\n\ndef f(d):\n    try:\n        return d()\n    except ValueError:\n        raise RuntimeError("x")\n';
    const texts = await textsOf(exceptions, source);
    expect(texts).toContain(edited(source, 'except ValueError', 'except KeyError'));
    expect(texts).toContain(edited(source, 'raise RuntimeError', 'raise Broken'));
    expect(texts).toContain(edited(source, 'raise RuntimeError', 'raise TypeError'));
  });
});
