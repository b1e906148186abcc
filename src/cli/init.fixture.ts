/** Runs `pombo init` in temporary folders. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { parseEnvText } from './init-files.ts'
import type { Kind } from './init-providers.ts'
import { type Ran, run } from './test-world.ts'
import type { World } from './world.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder whose path has no symbolic link in it. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pombo-init-')))
  folders.push(folder)
  return folder
}

const SID = `AC${'0'.repeat(32)}`
/** What each kind needs at least. */
export const NEEDED: Readonly<Record<Kind, Readonly<{ argv: readonly string[]; env: World['env'] }>>> = {
  simulator: { argv: [], env: {} },
  twilio: { argv: ['--twilio-account-sid', SID], env: { TWILIO_AUTH_TOKEN: 'twilio-secret' } },
  messagebird: {
    argv: [],
    env: { MESSAGEBIRD_ACCESS_KEY: 'access-secret', MESSAGEBIRD_SIGNING_KEY: 'signing-secret' },
  },
  smpp: {
    argv: ['--smpp-host', 'smsc.example', '--smpp-port', '2775', '--smpp-system-id', 'pombo'],
    env: { SMPP_PASSWORD: 'smpp-secret' },
  },
  ses: { argv: ['--ses-region', 'eu-west-1', '--ses-from', 'no-reply@acme.example'], env: {} },
  smtp: { argv: ['--smtp-host', 'smtp.example', '--smtp-from', 'Acme <no-reply@acme.example>'], env: {} },
}
export const SETTINGS_OF_ALL = [
  ['--twilio-from', '+15005550006', '--messagebird-originator', 'Acme', '--smpp-tls', 'true', '--smpp-sender', 'Acme'],
  ['--ses-configuration-set', 'pombo', '--ses-topics', 'arn:aws:sns:eu-west-1:123456789012:pombo'],
  ['--smtp-port', '465', '--smtp-user', 'acme'],
].flat()
export const SECRETS_OF_ALL = {
  SES_ACCESS_KEY_ID: 'ses-id',
  SES_SECRET_ACCESS_KEY: 'ses-secret',
  SMTP_PASSWORD: 'a "b" $c `d` \\e',
}

export const ALWAYS = ['--public-url', 'https://pombo.example.com', '--proxy', 'caddy'] as const

export type Written = Readonly<{ dir: string; ran: Ran; env: Readonly<Record<string, string>> }>

export async function initialize(
  folder: string,
  argv: readonly string[],
  changes: Partial<World> = {},
): Promise<Written> {
  const dir = join(folder, 'etc')
  const ran = await run(['init', '--dir', dir, '--data-dir', join(folder, 'data'), ...argv], changes)
  return { dir, ran, env: ran.code === 0 ? parseEnvText(readFileSync(join(dir, 'pombo.env'), 'utf8')) : {} }
}

export const readFile = (path: string): string => readFileSync(path, 'utf8')

export const SIMULATOR = [...ALWAYS, '--provider', 'simulator']

/** Of the files that it writes with these options. */
export const MODES = {
  Caddyfile: '644',
  'config.json': '644',
  pombo: '755',
  'pombo-backup.service': '644',
  'pombo-backup.timer': '644',
  'pombo.env': '600',
  'pombo.service': '644',
}
