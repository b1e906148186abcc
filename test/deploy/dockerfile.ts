/** The Dockerfile by instruction, and which paths .dockerignore keeps out of what it can copy. */
import { textOf } from './files.ts'

export type Instruction = Readonly<{ name: string; rest: string }>

export const readDockerfile = (): readonly Instruction[] =>
  textOf('deploy/Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1).trim() }))

/** As Docker does it: the last line that matches decides, and a folder that is left out takes all in it along. */
export function isLeftOut(path: string, ignored = textOf('.dockerignore')): boolean {
  const lines = ignored.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.reduce((out, line) => {
    const pattern = line.replace(/^!/, '')
    return matchesPath(path, pattern) ? !line.startsWith('!') : out
  }, false)
}

/** Unlike a shell, Docker lets a star stand for names that begin with a dot. */
function matchesPath(path: string, pattern: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${expression}(?:/|$)`).test(path)
}
