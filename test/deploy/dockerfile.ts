/** Parses the instructions of the Dockerfile and the rules of .dockerignore. */
import { textOf } from './files.ts'

export type Instruction = Readonly<{ name: string; rest: string }>

/** One `FROM` and what follows it. */
export type Stage = Readonly<{ base: string; name: string; instructions: readonly Instruction[] }>

export const readDockerfile = (text = textOf('deploy/Dockerfile')): readonly Instruction[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1).trim() }))

export function stagesOf(instructions: readonly Instruction[]): readonly Stage[] {
  const starts = instructions.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []))
  return starts.map((start, nth) => {
    const [base = '', , name = ''] = instructions[start]?.rest.split(/\s+/) ?? []
    return { base, name, instructions: instructions.slice(start + 1, starts[nth + 1]) }
  })
}

/** The words of a command in JSON, or the shell that runs it. */
export const commandOf = (rest: string): readonly string[] =>
  rest.startsWith('[') ? (JSON.parse(rest) as string[]) : ['/bin/sh', '-c', rest]

/** Like Docker: the last matching line decides, and an excluded folder excludes its content. */
export function isLeftOut(path: string, ignored = textOf('.dockerignore')): boolean {
  const lines = ignored.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.reduce((out, line) => {
    const pattern = line.replace(/^!/, '')
    return matchesPath(path, pattern) ? !line.startsWith('!') : out
  }, false)
}

/** Unlike in a shell, a star also matches names that begin with a dot. */
function matchesPath(path: string, pattern: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${expression}(?:/|$)`).test(path)
}
