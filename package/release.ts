/**
 * `npm version` runs this once it has set the version in package.json: it sets it wherever else it is named, and gives
 * what is unreleased in the changelog its version and date. Fails where a place has moved.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const today = new Date().toISOString().slice(0, 10)

type Place = Readonly<{ files: readonly string[]; named: RegExp; become: string }>

const PLACES: readonly Place[] = [
  {
    files: ['console/package.json', 'package-lock.json'],
    named: /("name": "pombo-console",\s+"version": ")[^"]+/g,
    become: `$1${version}`,
  },
  {
    files: ['clients/node/package.json'],
    named: /("name": "pombo-client",\s+"version": ")[^"]+/g,
    become: `$1${version}`,
  },
  {
    files: ['clients/node/src/generated/version.ts', 'clients/python/pombo_client/_version.py'],
    named: /\bVERSION = (['"])[^'"]+/g,
    become: `VERSION = $1${version}`,
  },
  {
    files: globSync('deploy/**/*.{yaml,yml}', { cwd: ROOT }),
    named: /(\bimage: pombo:|\bnewTag: )[\d.]+/g,
    become: `$1${version}`,
  },
  { files: ['deploy/Dockerfile', 'docs/operations.md'], named: /\bpombo:\d+\.\d+\.\d+/g, become: `pombo:${version}` },
  { files: ['README.md'], named: /\bIt is \d+\.\d+\.\d+(?:, unreleased)?/g, become: `It is ${version}` },
  {
    files: ['CHANGELOG.md'],
    named: /^## Unreleased\n(?=\n+(?!## ).)/gm,
    become: `## Unreleased\n\n## ${version} - ${today}\n`,
  },
]

for (const { files, named, become } of PLACES) {
  const found = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').search(named) >= 0)
  if (found.length === 0) throw new Error(`none of ${files.join(', ')} has ${named}`)
  for (const file of found) {
    const path = join(ROOT, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(named, become))
  }
}
const changelog = join(ROOT, 'CHANGELOG.md')
writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(' Nothing has been released yet.', ''))
