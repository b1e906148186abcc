/** The files of `pombo init`: the units before systemd's own checks, and the examples in deploy/single-node. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../support/command.ts'
import { type Folder, openFolder } from '../support/folder.ts'
import { skipUnavailable } from '../support/skip.ts'
import { EXAMPLES, exampleFiles } from './examples.ts'
import { findProgram, missingPrograms } from './programs.ts'

const UNITS = ['pombo.service', 'pombo-backup.service', 'pombo-backup.timer']
const NO_SYSTEMD = missingPrograms('systemd-analyze')
const analyze = (...args: readonly string[]) =>
  promisify(execFile)(findProgram('systemd-analyze') ?? '', [...args], { encoding: 'utf8' })

describe('what pombo init writes', () => {
  let folder: Folder
  let dir = ''
  before(async () => {
    folder = await openFolder()
    dir = join(folder.path, 'etc')
    const url = ['--public-url', 'https://pombo.example.com', '--provider', 'simulator', '--proxy', 'none']
    execFileSync(process.execPath, [join(ROOT, 'bin/pombo.cjs'), 'init', '--dir', dir, ...url], { stdio: 'pipe' })
  })
  after(() => folder[Symbol.asyncDispose]())

  test('the user of the service can read everything but the secrets', () => {
    const modes = readdirSync(dir).map((name) => [name, statSync(join(dir, name)).mode & 0o777] as const)
    const hidden = modes.filter(([, mode]) => (mode & 0o044) !== 0o044).map(([name]) => name)
    assert.deepEqual([hidden, statSync(dir).mode & 0o777], [['pombo.env'], 0o755])
  })

  test('systemd understands every line of the units', async (t) => {
    if (NO_SYSTEMD !== undefined) return skipUnavailable(t, NO_SYSTEMD)
    const { stderr } = await analyze('verify', '--man=no', ...UNITS.map((name) => join(dir, name)))
    assert.equal(stderr, '')
  })

  for (const [unit, worst] of [
    ['pombo.service', 17],
    ['pombo-backup.service', 8],
  ] as const) {
    test(`systemd finds ${unit} little exposed`, async (t) => {
      if (NO_SYSTEMD !== undefined) return skipUnavailable(t, NO_SYSTEMD)
      await analyze('security', '--offline=true', '--no-pager', `--threshold=${worst}`, join(dir, unit))
    })
  }

  test('the backup deletes backups of two weeks ago, and nothing else', () => {
    const unit = readFileSync(join(dir, 'pombo-backup.service'), 'utf8')
    const [, line = ''] = [...unit.matchAll(/^ExecStart=(.*)$/gm)].map(([, command = '']) => command)
    const backups = join(folder.path, 'backups')
    mkdirSync(join(backups, 'older'), { recursive: true })
    const ages = [
      ['pombo-3.db', 13],
      ['pombo-2.db', 14],
      ['pombo-1.db', 15],
      ['by-hand.db', 15],
      ['older/pombo-1.db', 15],
    ] as const
    for (const [name, days] of ages) {
      const at = Date.now() / 1_000 - days * 86_400
      writeFileSync(join(backups, name), '')
      utimesSync(join(backups, name), at, at)
    }
    const [program = '', ...args] = line.replace('/var/lib/pombo-backups', backups).split(' ')
    execFileSync(program, args)
    const left = readdirSync(backups, { recursive: true }).toSorted()
    assert.deepEqual(left, ['by-hand.db', 'older', 'older/pombo-1.db', 'pombo-3.db'])
  })

  test('the heap of the gateway is bounded as in bin/pombo.cjs', () => {
    const launcher = readFileSync(join(ROOT, 'bin/pombo.cjs'), 'utf8')
    const [, flags = ''] = /^const MEMORY = \[(.*)\]$/m.exec(launcher) ?? []
    const options = flags.replaceAll(/[',]/g, '')
    assert.ok(options.includes('--max-old-space-size='))
    assert.ok(
      readFileSync(join(dir, 'pombo.service'), 'utf8').includes(` ${options} ${join(ROOT, 'src/main.ts')} serve`),
    )
    assert.ok(exampleFiles().get('pombo.service')?.includes(` ${options} /opt/`))
  })
})

test('V8 does not start where memory that was written must not be executed', (t) => {
  const python = findProgram('python3')
  if (python === undefined) return skipUnavailable(t, 'there is no python3')
  // PR_SET_MDWE, which Linux has since 6.3 and newer releases of systemd use.
  const deny = `import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0: sys.exit(99)
os.execv(sys.argv[1], sys.argv[1:])`
  const run = (...args: readonly string[]) =>
    spawnSync(python, ['-c', deny, process.execPath, ...args], { encoding: 'utf8' })
  const { status, signal } = run('--eval', '0')
  if (status === 99) return t.skip('this kernel cannot deny it')
  assert.notEqual(signal, null, 'if it does one day, the units can set MemoryDenyWriteExecute')
  assert.equal(run('--jitless', '--eval', '0').status, 0, 'and only without its compiler')
})

test('deploy/single-node is what pombo init writes', () => {
  const files = readdirSync(EXAMPLES).map((name) => [name, readFileSync(join(EXAMPLES, name), 'utf8')] as const)
  const advice = 'run `node bin/node24.cjs test/single-node/write-examples.ts`'
  assert.deepEqual(Object.fromEntries(files), Object.fromEntries(exampleFiles()), advice)
})
