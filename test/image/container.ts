/** Runs an image as a container engine does: read-only except its volumes, as its user, without capabilities. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { until } from '../support/until.ts'
import type { Image } from './build.ts'
import { type Inside, inContainer, newContainer } from './enter.ts'

export type Ended = Readonly<{ code: number | null; out: string; err: string }>

export type Container = Readonly<{
  /** The first process of the container. */
  pid: number
  /** Runs a command in the container. */
  exec: (...command: readonly string[]) => Promise<Ended>
  /** Stops it as `docker stop` does. */
  stop: () => Promise<Ended>
  hasEnded: () => boolean
  output: () => string
}>

export type ContainerOptions = Readonly<{
  env: Readonly<Record<string, string>>
  /** Folders of this machine, by the path of the volume. */
  volumes: Readonly<Record<string, string>>
}>

/** How long `docker stop` waits. */
const STOP_WITHIN_MS = 10_000

export async function startContainer(image: Image, { env, volumes }: ContainerOptions): Promise<Container> {
  const { root, user, cwd, entrypoint, cmd } = image
  const inside: Inside = { root, user, cwd, env: { ...image.env, ...env }, command: [...entrypoint, ...cmd] }
  const child = start(newContainer(inside, { files: volumes, readOnly: image.mounted }))
  const ended = endOf(child)
  const pid = await until('the first process of the container', () => firstProcessOf(child.pid))
  return {
    pid,
    exec: (...command) => endOf(start(inContainer(pid, { ...inside, command }))).end,
    async stop() {
      process.kill(pid, image.stopSignal)
      const timer = setTimeout(() => process.kill(pid, 'SIGKILL'), STOP_WITHIN_MS)
      return ended.end.finally(() => clearTimeout(timer))
    },
    hasEnded: () => child.exitCode !== null,
    output: ended.output,
  }
}

function start([program = '', ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

function endOf(child: ChildProcess): Readonly<{ end: Promise<Ended>; output: () => string }> {
  const chunks: { isError: boolean; text: string }[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => chunks.push({ isError: false, text }))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => chunks.push({ isError: true, text }))
  const textOf = (wanted: (isError: boolean) => boolean): string =>
    chunks.flatMap(({ isError, text }) => (wanted(isError) ? [text] : [])).join('')
  const end = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    out: textOf((isError) => !isError),
    err: textOf((isError) => isError),
  }))
  return { end, output: () => textOf(() => true) }
}

/** The child of `unshare`, which becomes the first process of the container. */
function firstProcessOf(unshare = 0): number | undefined {
  const [pid] = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8').trim().split(' ')
  return pid === undefined || pid === '' ? undefined : Number(pid)
}
