/** Finds the programs of Debian that a gateway on one machine runs with. Installs nothing. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export type Program =
  | 'nginx'
  | 'caddy'
  | 'systemd-notify'
  | 'systemd-analyze'
  | 'python3'
  | 'promtool'
  | 'kcat'
  | 'swaks'
  | 'postfix'
  | 'bearerbox'
  | 'smsbox'

/** Debian installs servers where users other than root do not look. */
const PATH = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin`

/** The path of a program; undefined if it is not installed. */
export const findProgram = (program: Program): string | undefined =>
  PATH.split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Which of these are missing, for `skipUnavailable`; undefined if none is. */
export function missingPrograms(...programs: readonly Program[]): string | undefined {
  const missing = programs.filter((program) => findProgram(program) === undefined)
  return missing.length === 0 ? undefined : `there is no ${missing.join(' and no ')}`
}
