/** A DNS server for tests: unbound on a free loopback port, with records that tests change while it runs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { promises as dns } from 'node:dns'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'
import { START_WITHIN_MS, until } from './until.ts'

/** Debian installs it where users other than root do not look. */
const PATH = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin${delimiter}/usr/local/sbin`
const ANSWER_WITHIN_MS = 2_000
/** A TXT record consists of strings of at most this length. */
const LONGEST_STRING = 255
/** Its value changes with every change of the records. */
const REVISION = 'revision.test.example'

export const findUnbound = (): string | undefined =>
  PATH.split(delimiter)
    .map((folder) => join(folder, 'unbound'))
    .find(isUnbound)

function isUnbound(program: string): boolean {
  try {
    return execFileSync(program, ['-V'], { encoding: 'utf8', stdio: 'pipe' }).startsWith('Version')
  } catch {
    return false
  }
}

/** Why there is no server; undefined if there is one. */
export const missingUnbound = (): string | undefined =>
  findUnbound() === undefined ? 'unbound is not installed' : undefined

const running = new Set<ChildProcess>()
const folders = new Set<string>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** It knows only what tests publish: every other name under `example` does not exist. */
export class DnsServer implements AsyncDisposable {
  /** As POMBO_DNS_SERVERS takes it. */
  readonly address: string
  readonly #program: string
  readonly #folder: string
  readonly #port: number
  readonly #records = new Map<string, readonly string[]>()
  readonly #refused = new Set<string>()
  #child: ChildProcess | undefined
  #revision = 0

  constructor(program: string, folder: string, port: number) {
    this.#program = program
    this.#folder = folder
    this.#port = port
    this.address = `127.0.0.1:${port}`
  }

  /** Replaces the TXT records of a name; resolves once the server answers with them. */
  async publish(name: string, ...values: readonly string[]): Promise<void> {
    this.#records.set(name, values)
    await this.#reload()
  }

  async withdraw(name: string): Promise<void> {
    this.#records.delete(name)
    await this.#reload()
  }

  /** The server refuses questions about a name and everything below it. */
  async refuse(name: string): Promise<void> {
    this.#refused.add(name)
    await this.#reload()
  }

  async start(): Promise<void> {
    this.#writeConfig()
    const child = spawn(this.#program, ['-d', '-p', '-c', this.#configPath], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    this.#child = child
    await this.#untilCurrent(() => said)
  }

  /** Questions get no answer, and connections are refused. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  /** The server takes questions and answers none. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
    folders.delete(this.#folder)
  }

  get #configPath(): string {
    return join(this.#folder, 'unbound.conf')
  }

  async #reload(): Promise<void> {
    this.#writeConfig()
    this.#child?.kill('SIGHUP')
    await this.#untilCurrent(() => '')
  }

  async #untilCurrent(said: () => string): Promise<void> {
    const resolver = new dns.Resolver({ timeout: ANSWER_WITHIN_MS, tries: 1 })
    resolver.setServers([this.address])
    const isCurrent = async (): Promise<boolean> => {
      if (this.#child?.exitCode !== null) throw new Error(`unbound ended: ${said()}`)
      const [[revision] = []] = await resolver.resolveTxt(REVISION).catch(() => [])
      return revision === String(this.#revision)
    }
    await until('unbound to answer', isCurrent, { withinMs: START_WITHIN_MS, everyMs: 10 })
  }

  #writeConfig(): void {
    this.#revision += 1
    const known = [...this.#records].filter(([name]) => !this.#isRefused(name))
    const records = [...known, [REVISION, [String(this.#revision)]] as const]
    const data = records.flatMap(([name, values]) =>
      values.map((value) => `  local-data: '${name}. 0 IN TXT ${toStrings(value)}'`),
    )
    const refused = [...this.#refused].map((name) => `  local-zone: "${name}." refuse`)
    writeFileSync(this.#configPath, [...this.#settings(), ...refused, ...data, ''].join('\n'))
  }

  #isRefused(name: string): boolean {
    return [...this.#refused].some((refused) => name === refused || name.endsWith(`.${refused}`))
  }

  #settings(): readonly string[] {
    return [
      'server:',
      `  interface: 127.0.0.1@${this.#port}`,
      `  port: ${this.#port}`,
      `  directory: "${this.#folder}"`,
      '  username: ""',
      '  chroot: ""',
      '  pidfile: ""',
      '  use-syslog: no',
      '  do-ip6: no',
      '  num-threads: 1',
      // Without DNSSEC it needs no trust anchor.
      '  module-config: "iterator"',
      '  local-zone: "example." static',
    ]
  }
}

const toStrings = (value: string): string =>
  (value.match(new RegExp(`.{1,${LONGEST_STRING}}`, 'g')) ?? ['']).map((part) => `"${part}"`).join(' ')

export async function openDnsServer(): Promise<DnsServer> {
  const program = findUnbound()
  if (program === undefined) throw new Error(missingUnbound())
  const folder = mkdtempSync(join(tmpdir(), 'pombo-unbound-'))
  folders.add(folder)
  const server = new DnsServer(program, folder, await freePort())
  await server.start()
  return server
}
