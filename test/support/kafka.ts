/**
 * Kafka for tests: a mock cluster of librdkafka, in a program of its own, and kcat to read from it. Both speak the
 * protocol, and neither shares code with the client under test.
 */
import { type ChildProcessByStdio, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { findCompiler } from '../power/compiler.ts'
import { findProgram } from '../single-node/programs.ts'

const SOURCE = join(import.meta.dirname, 'kafka-cluster.c')
const HEADERS = ['/usr/include/librdkafka/rdkafka_mock.h', '/usr/local/include/librdkafka/rdkafka_mock.h']

export const missingKafka = (): string | undefined =>
  [
    findCompiler() === undefined ? 'no C compiler' : undefined,
    HEADERS.some((path) => existsSync(path)) ? undefined : 'no librdkafka-dev',
    findProgram('kcat') === undefined ? 'no kcat' : undefined,
  ].find((missing) => missing !== undefined)

/** A record, with its headers as kcat prints them: `name=value,…`. */
export type KafkaRecord = Readonly<{ partition: number; key: string; headers: string; value: string }>

type Program = ChildProcessByStdio<Writable, Readable, null>

export async function startKafka(): Promise<Kafka> {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-kafka-'))
  const program = join(folder, 'cluster')
  execFileSync(findCompiler() ?? 'cc', ['-O1', '-Wall', '-Werror', '-o', program, SOURCE, '-lrdkafka'])
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'ignore'] })
  process.once('exit', () => child.kill('SIGKILL'))
  rmSync(folder, { recursive: true })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return new Kafka(child, lines, String((await lines.next()).value))
}

export class Kafka implements AsyncDisposable {
  readonly broker: string
  readonly #child: Program
  readonly #lines: AsyncIterator<string>

  constructor(child: Program, lines: AsyncIterator<string>, broker: string) {
    this.broker = broker
    this.#child = child
    this.#lines = lines
  }

  /** The broker closes its connections and refuses new ones; its records stay. */
  down(): Promise<void> {
    return this.#tell('down')
  }

  up(): Promise<void> {
    return this.#tell('up')
  }

  /** Everything in a topic, partition by partition. */
  async read(topic: string): Promise<readonly KafkaRecord[]> {
    const format = '%p\\t%k\\t%h\\t%s\\n'
    const args = ['-C', '-b', this.broker, '-t', topic, '-o', 'beginning', '-e', '-q', '-f', format]
    const { stdout } = await promisify(execFile)('kcat', args, { maxBuffer: 64 * 1024 * 1024 })
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [partition, key = '', headers = '', value = ''] = line.split('\t')
        return { partition: Number(partition), key, headers, value }
      })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin.end()
    await ended
  }

  async #tell(command: 'down' | 'up'): Promise<void> {
    this.#child.stdin.write(`${command}\n`)
    await this.#lines.next()
  }
}
