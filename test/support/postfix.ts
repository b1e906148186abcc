/**
 * Postfix with a spool of its own on a free port of loopback, which relays everything to a gateway. Postfix must be
 * started by root; its programs run as the user `postfix`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../single-node/programs.ts'
import { openFolder } from './folder.ts'
import { freePort } from './free-port.ts'
import { START_WITHIN_MS, until } from './until.ts'

const run = promisify(execFile)
const DAEMONS = '/usr/lib/postfix/sbin'
const SASL_PLAIN = ['/usr/lib/x86_64-linux-gnu/sasl2/libplain.so', '/usr/lib/aarch64-linux-gnu/sasl2/libplain.so']

/** Why there is none; undefined if it can be started. */
export function missingPostfix(): string | undefined {
  if (process.getuid?.() !== 0) return 'Postfix needs root'
  const isThere = findProgram('postfix') !== undefined && existsSync(join(DAEMONS, 'master'))
  return isThere && SASL_PLAIN.some((path) => existsSync(path)) ? undefined : 'there is no Postfix with SASL'
}

export type Relay = Readonly<{
  port: number
  key: string
  /** The certificate that it must present, if the connection is to be encrypted. */
  certificate?: string
}>

export type Postfix = AsyncDisposable &
  Readonly<{
    port: number
    /** Gives it so many mails, each to another recipient at this domain, over several connections. */
    inject: (count: number, domain: string) => Promise<void>
    log: () => Promise<string>
    /** How many mails wait in its queues. */
    waiting: () => Promise<number>
  }>

/** Their configurations: Postfix outlives the process that starts it. */
const running = new Set<string>()
process.once('exit', () => {
  for (const etc of running)
    execFileSync(findProgram('postfix') ?? 'postfix', ['-c', etc, 'abort'], { stdio: 'ignore' })
})

const SERVICES = [
  'pickup unix n - n 60 1 pickup',
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'tlsmgr unix - - n 1000? 1 tlsmgr',
  'rewrite unix - - n - - trivial-rewrite',
  'bounce unix - - n - 0 bounce',
  'defer unix - - n - 0 bounce',
  'trace unix - - n - 0 bounce',
  'smtp unix - - n - - smtp',
  'showq unix n - n - - showq',
  'proxymap unix - - n - - proxymap',
  'error unix - - n - - error',
  'retry unix - - n - - error',
  'anvil unix - - n - 1 anvil',
  'postlog unix-dgram n - n - 1 postlogd',
]

export async function openPostfix(relay: Relay): Promise<Postfix> {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await openFolder())
  // Its programs leave the rights of root behind.
  await chmod(path, 0o755)
  const port = await freePort()
  const [etc, spool, data] = [join(path, 'etc'), join(path, 'spool'), join(path, 'data')]
  await Promise.all([etc, spool, data].map((folder) => mkdir(folder)))
  await chown(data, Number(execFileSync('id', ['-u', 'postfix'], { encoding: 'utf8' })), 0)
  await writeFile(join(etc, 'master.cf'), `127.0.0.1:${port} inet n - n - - smtpd\n${SERVICES.join('\n')}\n`)
  await writeFile(join(etc, 'sasl'), `[127.0.0.1]:${relay.port} apikey:${relay.key}\n`, { mode: 0o600 })
  if (relay.certificate !== undefined) await writeFile(join(etc, 'ca.pem'), relay.certificate)
  await writeFile(join(etc, 'main.cf'), toMain({ etc, spool, data, path }, relay))
  const postfix = (...args: readonly string[]) => run(findProgram('postfix') ?? 'postfix', ['-c', etc, ...args])
  running.add(etc)
  await postfix('start')
  opened.defer(async () => {
    running.delete(etc)
    await postfix('abort').catch(() => undefined)
  })
  const log = () => readFile(join(path, 'mail.log'), 'utf8').catch(() => '')
  await until('Postfix to listen', async () => (await log()).includes('daemon started'), { withinMs: START_WITHIN_MS })
  const closing = opened.move()
  return {
    port,
    log,
    async inject(count, domain) {
      const numbered = ['-N', '-f', 'shop@acme.example', '-t', `@${domain}`, '-l', '600']
      const source = ['-c', '-s', '4', '-m', String(count), ...numbered, `127.0.0.1:${port}`]
      await run('/usr/sbin/smtp-source', source, { timeout: 120_000 })
    },
    async waiting() {
      const { stdout } = await run('/usr/sbin/postqueue', ['-c', etc, '-j'], { maxBuffer: 64 * 1024 * 1024 })
      return stdout.split('\n').filter((line) => line !== '').length
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

type Places = Readonly<{ etc: string; spool: string; data: string; path: string }>

const toMain = ({ etc, spool, data, path }: Places, { port, certificate }: Relay): string => `
compatibility_level = 3.6
queue_directory = ${spool}
data_directory = ${data}
daemon_directory = ${DAEMONS}
maillog_file = ${join(path, 'mail.log')}
maillog_file_prefixes = ${path}
myhostname = relay.acme.example
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
mynetworks = 127.0.0.0/8
local_recipient_maps =
alias_maps =
alias_database =
smtpd_relay_restrictions = permit_mynetworks, reject
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
smtp_connection_cache_on_demand = no
relayhost = [127.0.0.1]:${port}
smtp_sasl_auth_enable = yes
smtp_sasl_password_maps = texthash:${join(etc, 'sasl')}
smtp_sasl_security_options = noanonymous
smtp_sasl_tls_security_options = noanonymous
smtp_tls_security_level = ${certificate === undefined ? 'none' : 'verify'}
smtp_tls_verify_cert_match = nexthop
smtp_tls_CAfile = ${certificate === undefined ? '' : join(etc, 'ca.pem')}
`
