/** The code of a README, as one program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/command.ts'

/** The blocks of a language, one after the other: later ones use what earlier ones made. */
export function readBlocks(client: 'node' | 'python', language: 'js' | 'ts' | 'python'): string {
  const text = readFileSync(join(ROOT, 'clients', client, 'README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return blocks
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code)
    .join('\n')
}
