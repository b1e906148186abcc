/** A release: `npm version` in a repository with the files that name the version. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'

const FILES = ['package.json', 'package-lock.json', '.npmrc', '.gitignore', 'CHANGELOG.md', 'README.md']
/** They name the version in one line. */
const CLIENT_VERSIONS = ['clients/node/src/generated/version.ts', 'clients/python/pombo_client/_version.py']
const MANIFESTS = ['console/package.json', 'clients/node/package.json']
const COPIED = [...FILES, ...MANIFESTS, ...CLIENT_VERSIONS, 'bin', 'package', 'deploy', 'docs/operations.md']
const { version: OLD } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const NEW = '98.76.54'

async function openRepository() {
  const folder = await openFolder()
  const path = (name: string): string => join(folder.path, name)
  for (const name of COPIED) cpSync(join(ROOT, name), path(name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), path('node_modules'))
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(program, args, { cwd: folder.path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  writeFileSync(path('.gitignore'), `${readFileSync(path('.gitignore'), 'utf8')}node_modules\n`)
  run('git', 'init', '--quiet')
  for (const [key, value] of [
    ['user.name', 'Ana'],
    ['user.email', 'ana@acme.example'],
  ])
    run('git', 'config', `${key}`, `${value}`)
  const commit = (): void => {
    run('git', 'add', '--all')
    run('git', 'commit', '--quiet', '--message', 'all: begin')
  }
  return {
    path,
    run,
    commit,
    text: (name: string) => readFileSync(path(name), 'utf8'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

test('`npm version` sets the version everywhere, dates the changelog, commits and tags', async () => {
  await using repository = await openRepository()
  const { run, commit, text, path } = repository
  commit()
  run('npm', 'version', NEW, '--message', 'release: publish %s')

  const [subject, tag] = [
    run('git', 'log', '-1', '--format=%s').trim(),
    run('git', 'tag', '--points-at', 'HEAD').trim(),
  ]
  assert.deepEqual([subject, tag, run('git', 'status', '--porcelain')], [`release: publish ${NEW}`, `v${NEW}`, ''])
  const today = new Date().toISOString().slice(0, 10)
  assert.match(text('CHANGELOG.md'), new RegExp(`^## Unreleased\n\n## ${NEW} - ${today}\n\n### Added$`, 'm'))
  assert.match(text('README.md'), new RegExp(`\\bIt is ${NEW},? and tested`))
  for (const name of ['package.json', ...MANIFESTS]) assert.equal(JSON.parse(text(name)).version, NEW)
  for (const name of CLIENT_VERSIONS) assert.match(text(name), new RegExp(`^.*VERSION = (['"])${NEW}\\1$`, 'm'))
  const { version, packages } = JSON.parse(text('package-lock.json'))
  assert.deepEqual([version, packages[''].version, packages['console'].version], [NEW, NEW, NEW])

  const deployed = globSync('deploy/**/*', { cwd: path('.'), withFileTypes: true }).filter((entry) => entry.isFile())
  const left = [
    'docs/operations.md',
    ...deployed.map(({ parentPath, name }) => join(parentPath, name).slice(path('.').length)),
  ]
  const images = left.flatMap((name) => text(name).match(/\bpombo:\d[\w.]*|newTag: \S+/g) ?? [])
  assert.ok(images.length > 5)
  assert.deepEqual(
    images.filter((image) => !image.endsWith(NEW)),
    [],
  )
})

test('a release of which the changelog says nothing is refused', async () => {
  await using repository = await openRepository()
  const { run, commit, path } = repository
  writeFileSync(path('CHANGELOG.md'), `# Changelog\n\n## Unreleased\n\n## ${OLD} - 2030-01-31\n\n- SMS.\n`)
  commit()
  assert.throws(() => run('npm', 'version', NEW), /none of CHANGELOG\.md has/)
  assert.equal(run('git', 'tag'), '')
})
