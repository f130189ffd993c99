/** dependency-cruiser rules. The floors of docs/architecture.md: imports go down only, never sideways, and only through a room's door. */
const floors = [
  ['core'],
  ['sandbox', 'patch'],
  ['store'],
  ['lab', 'kernel'],
  ['propose'],
  ['verify'],
  ['loop'],
  ['report'],
  ['cli', 'serve'],
];

const upOrSideways = floors.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const above = floors
      .slice(floor)
      .flat()
      .filter((other) => other !== room);
    return {
      name: `floor-${floor}-${room}`,
      severity: 'error',
      comment: `${room}/ is on floor ${floor}: it may import lower floors only`,
      from: { path: `(^|/)src/${room}/` },
      to: { path: `(^|/)src/(${above.join('|')})/` },
    };
  }),
);

export default {
  forbidden: [
    ...upOrSideways.filter((rule) => !rule.to.path.endsWith('()/')),
    {
      name: 'through-the-door',
      severity: 'error',
      comment: 'another room is entered through its index.ts only',
      from: { path: '(^|/)src/([^/]+)/' },
      to: { path: '(^|/)src/([^/]+)/(?!index\\.ts$).+', pathNot: '(^|/)src/$2/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-has-no-io',
      severity: 'error',
      comment: 'core/ holds shared words only: no I/O',
      from: { path: '(^|/)src/core/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'loop-machines-are-pure',
      severity: 'error',
      comment: 'the machines are folds of events: no process, no file, no clock',
      from: {
        path: '(^|/)src/loop/(machine|repair(-(state|steps|proposing|judging))?|standing|stagnation|budget|resume|feedback|result|view|suspicions|excerpt|visible|analysis/(?!analysis\\.fixture|made|run|ask|effects|crash|inputs|kernel-holder|read-file|watched-inbox|evidence-port|.*\\.test)[a-z-]+)\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
