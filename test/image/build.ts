/** Executes the instructions of the Dockerfile's stages, each in a root folder of its own. */
import { mkdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { commandOf, type Instruction, type Stage } from '../deploy/dockerfile.ts'
import type { Base } from './base.ts'
import { type Context, copyFromContext, copyFromStage } from './copy.ts'
import { newContainer } from './enter.ts'
import { type Lent, runLong } from './host.ts'

/** What a container is started from. */
export type Image = Readonly<{
  root: string
  mounted: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  user: number
  entrypoint: readonly string[]
  cmd: readonly string[]
  healthcheck: readonly string[]
  volumes: readonly string[]
  stopSignal: string
}>

export type BuildOptions = Readonly<{
  /** Has room for all stages. */
  folder: string
  base: Base
  context: Context
  lent: Lent
  onStep: (text: string, millis: number) => void
}>

/** Returns the last stage. */
export async function build(stages: readonly Stage[], options: BuildOptions): Promise<Image> {
  const built = new Map<string, string>()
  let image: Image | undefined
  for (const [nth, stage] of stages.entries()) {
    image = await buildStage(stage, nth, built, options)
    built.set(stage.name, image.root)
  }
  if (image === undefined) throw new Error('there is no stage')
  return image
}

async function buildStage(
  stage: Stage,
  nth: number,
  built: ReadonlyMap<string, string>,
  { folder, base, context, lent, onStep }: BuildOptions,
): Promise<Image> {
  const root = join(folder, `stage-${nth}`)
  mkdirSync(root)
  const mounted = base.mount(root, join(folder, `changes-${nth}`))
  let image: Image = {
    ...{ root, mounted, env: base.env, cwd: '/', user: 0 },
    ...{ entrypoint: [], cmd: [], healthcheck: [], volumes: [], stopSignal: 'SIGTERM' },
  }
  for (const { name, rest } of stage.instructions) {
    const begunAt = performance.now()
    if (name === 'COPY') await copy(image, rest, built, context)
    else if (name === 'RUN') await runStep(image, rest, lent)
    else image = change(image, { name, rest })
    if (name === 'COPY' || name === 'RUN') onStep(`${name} ${rest}`, performance.now() - begunAt)
  }
  return image
}

async function copy(
  { root, cwd }: Image,
  rest: string,
  built: ReadonlyMap<string, string>,
  context: Context,
): Promise<void> {
  const [, stage, paths = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest) ?? []
  const sources = paths.split(/\s+/)
  const target = sources.pop() ?? ''
  if (sources.some((source) => source.startsWith('-'))) throw new Error(`COPY ${rest}: an option that is not replayed`)
  // `join` keeps a slash at the end.
  const to = posix.join(root, posix.resolve(cwd, target), target.endsWith('/') ? '/' : '')
  if (stage === undefined) return copyFromContext(context, sources, to)
  const from = built.get(stage)
  if (from === undefined) throw new Error(`COPY ${rest}: there is no stage ${stage}`)
  for (const source of sources) await copyFromStage(join(from, source), to)
}

async function runStep({ root, user, cwd, env }: Image, rest: string, lent: Lent): Promise<void> {
  const command = commandOf(rest)
  const inside = { root, user, cwd, env: { ...env, ...lent.env }, command }
  const files = { ...lent.files, '/etc/resolv.conf': '/etc/resolv.conf', '/etc/hosts': '/etc/hosts' }
  const [program = '', ...args] = newContainer(inside, { files })
  await runLong(program, args)
}

/** The instructions that change what later ones and containers start with. */
function change(image: Image, { name, rest }: Instruction): Image {
  switch (name) {
    case 'WORKDIR':
      mkdirSync(join(image.root, rest), { recursive: true })
      return { ...image, cwd: rest }
    case 'ENV':
      return { ...image, env: { ...image.env, ...Object.fromEntries(rest.split(/\s+/).map(toPair)) } }
    case 'USER':
      return { ...image, user: toId(rest) }
    case 'ENTRYPOINT':
      return { ...image, entrypoint: commandOf(rest) }
    case 'CMD':
      return { ...image, cmd: commandOf(rest) }
    case 'HEALTHCHECK':
      return { ...image, healthcheck: commandOf(rest.replace(/^.*?CMD /, '')) }
    case 'VOLUME':
      return { ...image, volumes: [...image.volumes, rest] }
    case 'STOPSIGNAL':
      return { ...image, stopSignal: rest }
    case 'EXPOSE':
      return image
    default:
      throw new Error(`${name} is not replayed; teach test/image/build.ts what it does`)
  }
}

function toPair(text: string): readonly [string, string] {
  const [, name = '', value = ''] = /^(\w+)=(\S*)$/.exec(text) ?? []
  if (name === '') throw new Error(`ENV ${text} is not replayed`)
  return [name, value]
}

function toId(text: string): number {
  const [, id] = /^(\d+):\1$/.exec(text) ?? []
  if (id === undefined) throw new Error(`USER ${text} is not replayed: user and group must be the same number`)
  return Number(id)
}
