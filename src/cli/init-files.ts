/** The files that `pombo init` writes. */
import { randomBytes } from 'node:crypto'
import type { Answers } from './init-answers.ts'
import { caddyfile, nginxSite } from './init-proxies.ts'
import { BACKUP_TIMER, backupUnit, gatewayUnit } from './init-units.ts'

export type NewFile = Readonly<{ name: string; about: string; mode: number; text: string }>

export const ENV_FILE = 'pombo.env'
const [PRIVATE, PUBLIC, EXECUTABLE] = [0o600, 0o644, 0o755]

/** What a gateway that is replaced or was tried out already has. Another master key could not read its messages. */
export type Kept = Readonly<{
  masterKey?: string | undefined
  jwtSecret?: string | undefined
  /** They are files in the data folder. */
  areInDataDir?: boolean
}>

export function toFiles(answers: Answers, program: readonly string[], kept: Kept = {}): readonly NewFile[] {
  const parts = { ...answers, program }
  return [
    { name: 'config.json', about: 'providers', mode: PUBLIC, text: toConfig(answers) },
    { name: ENV_FILE, about: 'settings and secrets', mode: PRIVATE, text: toEnvText(toSettings(answers, kept)) },
    { name: 'pombo', about: 'runs commands as the service does', mode: EXECUTABLE, text: toWrapper(answers, program) },
    { name: 'pombo.service', about: 'the gateway', mode: PUBLIC, text: gatewayUnit(parts) },
    { name: 'pombo-backup.service', about: 'a backup', mode: PUBLIC, text: backupUnit(parts) },
    { name: 'pombo-backup.timer', about: 'when backups are made', mode: PUBLIC, text: BACKUP_TIMER },
    ...toProxyFiles(answers),
  ]
}

function toProxyFiles(answers: Answers): readonly NewFile[] {
  switch (answers.proxy) {
    case 'caddy':
      return [{ name: 'Caddyfile', about: 'TLS', mode: PUBLIC, text: caddyfile(answers) }]
    case 'nginx':
      return [{ name: 'nginx.conf', about: 'TLS', mode: PUBLIC, text: nginxSite(answers) }]
    case 'none':
      return []
  }
}

function toConfig({ providers }: Answers): string {
  const config = { providers: providers.map(({ kind, settings }) => ({ name: kind, kind, settings })) }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

/** A comment, or a variable with its value. */
type EnvLine = string | readonly [name: string, value: string]

const newSecret = (encoding: 'hex' | 'base64url'): string => randomBytes(32).toString(encoding)

function toSettings(answers: Answers, { masterKey, jwtSecret, areInDataDir }: Kept): readonly EnvLine[] {
  const secrets: readonly EnvLine[] =
    areInDataDir === true
      ? ['The keys are in the data folder: master.key, jwt.secret.']
      : [
          'Without this key no message can be read, not even from a backup. Keep a copy away from this machine.',
          ['POMBO_MASTER_KEY', masterKey ?? newSecret('hex')],
          'Signs the tokens of callers.',
          ['POMBO_JWT_SECRET', jwtSecret ?? newSecret('base64url')],
        ]
  return [
    'The settings of Pombo, which docs/configuration.md lists. systemd and sh read this file.',
    ['POMBO_CONFIG', `${answers.dir}/config.json`],
    ['POMBO_DATA_DIR', answers.dataDir],
    ['POMBO_PORT', String(answers.port)],
    ['POMBO_PUBLIC_URL', answers.publicUrl.origin],
    ...(answers.proxy === 'none' ? [] : [['POMBO_TRUSTED_PROXIES', '127.0.0.1,::1'] as const]),
    ...secrets,
    ...answers.providers.flatMap((provider) => Object.entries(provider.secrets)),
  ]
}

const toEnvText = (lines: readonly EnvLine[]): string =>
  lines.map((line) => (typeof line === 'string' ? `# ${line}\n` : `${line[0]}=${quoted(line[1])}\n`)).join('')

/** In double quotes, systemd and sh agree on what a backslash escapes. */
const quoted = (value: string): string => `"${value.replace(/["\\$`]/g, '\\$&')}"`

const ENV_LINE = /^(\w+)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']*))[ \t]*$/gm

/** The values in a file that `toEnvText` has written, also if somebody has changed some of them. */
export const parseEnvText = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(ENV_LINE)].map(([, name = '', double, single, bare = '']) => [
      name,
      double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? bare,
    ]),
  )

const toWrapper = ({ dir, user }: Answers, program: readonly string[]): string => `#!/bin/sh
# Runs a command of Pombo as the user and with the settings of the service: pombo doctor
# Settings before the command replace those of the service: pombo POMBO_LOG_LEVEL=debug doctor
set -eu
if [ "$(id -u)" != 0 ]; then
  echo 'pombo: only root may read the settings of the service' >&2
  exit 77
fi
set -a
. ${dir}/${ENV_FILE}
while case "\${1-}" in POMBO_*=*) true ;; *) false ;; esac; do
  export "$1"
  shift
done
exec setpriv --reuid=${user} --regid="$(id -g ${user})" --init-groups ${program.join(' ')} "$@"
`
