/**
 * Files that hold credentials by their name, wherever they stand in a project. They are neither sent to a model nor read
 * for it, be they ignored by git or not; docs/fix.md names them. One for others to fill in (`.env.example`) is none.
 */
const names: readonly RegExp[] = [
  /^\.env(?:rc|\..+)?$|\.env$/,
  /^\.(?:npmrc|yarnrc|pypirc|netrc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|s3cfg|boto|vault-token)$|^_netrc$/,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|identity)$/,
  /\.(?:pem|key|p12|pfx|pkcs12|p8|ppk|jks|keystore|kdbx|gpg|asc|ovpn|tfvars|tfstate)$/,
  /^(?:credentials?|secrets?|client_secrets?|service[-_]?account.*|application_default_credentials)\.(?:json|ya?ml|toml|ini|cfg|conf|txt|xml|properties)$/,
  /^\.?(?:secrets|credentials)$/,
];
const folders = /(?:^|\/)(?:\.aws|\.ssh|\.gnupg|\.azure|\.kube|\.docker|\.config\/gcloud)\//;
const forOthers = /\.(?:example|sample|template|tmpl|dist|defaults?)$/;

/** @param path relative to the project, with `/` */
export function holdsCredentials(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (forOthers.test(name)) return false;
  return folders.test(lower) || names.some((pattern) => pattern.test(name));
}

/** The same files without those, which cannot be read then either. */
export function withoutCredentials<T extends { files: readonly string[]; read(path: string): string | null }>(
  tools: T,
): T {
  const { read } = tools;
  return {
    ...tools,
    files: tools.files.filter((path) => !holdsCredentials(path)),
    read: (path: string) => (holdsCredentials(path) ? null : read.call(tools, path)),
  };
}
