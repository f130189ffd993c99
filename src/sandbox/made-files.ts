/** A file of /etc that is made up, so that nothing of the host's users and names shows. */
export type MadeFile = { path: string; content: string };

/** `uid`: the one the code runs under, named as a user and a group. */
export function madeFiles(uid: number): MadeFile[] {
  return [
    {
      path: '/etc/passwd',
      content: [
        'root:x:0:0:root:/root:/bin/sh',
        'nobody:x:65534:65534:nobody:/nonexistent:/bin/false',
        `assay:x:${uid}:${uid}:assay:/tmp:/bin/sh`,
        '',
      ].join('\n'),
    },
    { path: '/etc/group', content: `root:x:0:\nnogroup:x:65534:\nassay:x:${uid}:\n` },
    { path: '/etc/hosts', content: '127.0.0.1 localhost assay\n::1 localhost assay\n' },
    // Without it glibc asks a DNS server for `localhost` first.
    { path: '/etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
  ];
}
