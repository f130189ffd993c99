import { describe, expect, it } from 'vitest';
import { elf, world } from './testing.ts';

describe('go', () => {
  const goroot = {
    'opt/go/bin/go': elf,
    'opt/go/src/runtime/proc.go': '',
    'home/go/pkg/mod/github.com/a/b@v1/b.go': '',
  };

  it('brings its distribution and the module cache, offline', async () => {
    const { at, resolve } = world(goroot);
    const { program, prefixes, env } = await resolve('$ROOT/opt/go/bin/go');
    expect(program).toBe(at('opt/go/bin/go'));
    expect(prefixes).toEqual([at('opt/go'), at('home/go/pkg/mod')]);
    expect(env).toMatchObject({
      GOPROXY: 'off',
      GOENV: 'off',
      GOMODCACHE: at('home/go/pkg/mod'),
      GOFLAGS: '-mod=mod -buildvcs=false',
    });
  });

  it('reads where the cache is from what `go env -w` wrote', async () => {
    const { at, resolve } = world({
      ...goroot,
      'home/.config/go/env':
        'GOPATH=$ROOT/data/go\nGOFLAGS=-tags=x\nGOPROXY=https://user:secret@example.org\n',
      'data/go/pkg/mod/cache/download/x': '',
      'data/go/pkg/mod/cache/vcs/1/config': 'url = https://secret@example.org',
      'data/go/pkg/mod/x@v1/x.go': '',
    });
    const { prefixes, env } = await resolve('$ROOT/opt/go/bin/go');
    expect(prefixes.sort()).toEqual(
      ['data/go/pkg/mod/cache/download', 'data/go/pkg/mod/x@v1', 'opt/go'].map((path) => at(path)),
    );
    expect(env.GOFLAGS).toBe('-tags=x -mod=mod -buildvcs=false');
    expect(JSON.stringify(env)).not.toContain('secret');
  });

  it('lets a vendor folder be', async () => {
    const { resolve } = world({ ...goroot, 'home/project/vendor/modules.txt': '' });
    expect((await resolve('$ROOT/opt/go/bin/go')).env.GOFLAGS).toBe('-buildvcs=false');
  });
});
