import { describe, expect, it } from 'vitest';
import { elf, type Leaf, world } from './testing.ts';

describe('java and maven', () => {
  const jdk = { 'home/.sdkman/java/21/bin/java': elf, 'home/.sdkman/java/21/release': 'JAVA_VERSION="21"' };
  const maven = (version: string): Record<string, Leaf> => ({
    'opt/maven/bin/mvn': '#!/bin/sh\n',
    [`opt/maven/lib/maven-core-${version}.jar`]: '',
    'opt/maven/conf/settings.xml': '<password>secret</password>',
    'opt/maven/conf/logging/simplelogger.properties': '',
    'home/.m2/settings.xml': '<settings><password>secret</password></settings>',
    'home/.m2/repository/org/x/x.jar': '',
  });
  const PATH = '$ROOT/home/.sdkman/java/21/bin:$ROOT/opt/maven/bin';

  it('sets JAVA_HOME', async () => {
    const { at, resolve } = world(jdk, { PATH });
    expect(await resolve('java')).toEqual({
      program: at('home/.sdkman/java/21/bin/java'),
      prefixes: [at('home/.sdkman/java/21')],
      path: [at('home/.sdkman/java/21/bin')],
      env: { JAVA_HOME: at('home/.sdkman/java/21') },
    });
  });

  it('mounts the repository of Maven but no settings', async () => {
    const { at, resolve } = world({ ...jdk, ...maven('3.8.7') }, { PATH });
    const { program, prefixes, env } = await resolve('mvn');
    expect(program).toBe(at('opt/maven/bin/mvn'));
    expect(prefixes.sort()).toEqual(
      [
        'home/.m2/repository',
        'home/.sdkman/java/21',
        'opt/maven/bin',
        'opt/maven/conf/logging',
        'opt/maven/lib',
      ].map((path) => at(path)),
    );
    expect(env).toMatchObject({
      JAVA_HOME: at('home/.sdkman/java/21'),
      MAVEN_OPTS: `-Dmaven.repo.local=${at('home/.m2/repository')}`,
    });
  });

  it('puts the repository behind a writable one where Maven can', async () => {
    const { at, resolve } = world({ ...jdk, ...maven('3.9.6') }, { PATH });
    expect((await resolve('mvn')).env.MAVEN_OPTS).toContain(
      `-Dmaven.repo.local.tail=${at('home/.m2/repository')} `,
    );
  });

  it("runs a project's wrapper with the versions it has downloaded", async () => {
    const { at, resolve } = world(
      {
        ...jdk,
        ...maven('3.9.6'),
        'home/project/bin/mvnw': '#!/bin/sh\n',
        'home/.m2/wrapper/dists/apache-maven-3.9.6/x': '',
      },
      { PATH },
    );
    const { program, prefixes, env } = await resolve('bin/mvnw');
    expect(program).toBe(at('home/project/bin/mvnw'));
    expect(prefixes).toEqual([
      at('home/.m2/wrapper/dists'),
      at('home/.m2/repository'),
      at('home/.sdkman/java/21'),
    ]);
    expect(env.MAVEN_USER_HOME).toBe(at('home/.m2'));
  });

  it('says that Java is missing', async () => {
    const { error } = world(maven('3.9.6'), { PATH: '$ROOT/opt/maven/bin' });
    expect((await error('mvn')).message).toContain('Maven needs Java');
  });
});
