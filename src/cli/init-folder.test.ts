import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { initialize, MODES, newFolder, readFile, SIMULATOR } from './init.fixture.ts'
import { parseEnvText } from './init-files.ts'
import type { World } from './world.ts'

describe('init in a folder with files', () => {
  test('replaces nothing', async () => {
    const folder = newFolder()
    const before = await initialize(folder, SIMULATOR)
    const { ran } = await initialize(folder, SIMULATOR)
    assert.equal(ran.code, 73)
    assert.match(ran.err, /^pombo: \S+ already has config\.json, pombo\.env, .*; replace them with --force, or pass/)
    assert.deepEqual(parseEnvText(readFile(join(before.dir, 'pombo.env'))), before.env)
  })

  test('with --force keeps the old files aside, and the keys', async () => {
    const folder = newFolder()
    const before = await initialize(folder, SIMULATOR)
    const { ran, env, dir } = await initialize(folder, [...SIMULATOR, '--proxy', 'nginx', '--force'])
    assert.equal(ran.code, 0, ran.err)
    assert.deepEqual(env, before.env)
    const [aside = ''] = readdirSync(dir).filter((name) => name.startsWith('replaced-'))
    assert.match(ran.out, new RegExp(`^The previous files are in ${join(dir, aside)}\\.$`, 'm'))
    assert.deepEqual(readdirSync(join(dir, aside)).toSorted(), Object.keys(MODES).toSorted())
    assert.equal(statSync(join(dir, aside)).mode & 0o777, 0o700)
    assert.ok(!readdirSync(dir).includes('Caddyfile'), 'no file of an earlier choice is left')
  })

  const KEY = 'ab'.repeat(32)
  for (const line of [`POMBO_MASTER_KEY='${KEY}'`, `POMBO_MASTER_KEY=${KEY}`, `POMBO_MASTER_KEY="${KEY}"  `]) {
    test(`keeps the key of a line like ${line.replace(KEY, 'KEY')}`, async () => {
      const folder = newFolder()
      mkdirSync(join(folder, 'etc'))
      writeFileSync(join(folder, 'etc', 'pombo.env'), `# by hand\n${line}\n`)
      assert.equal((await initialize(folder, [...SIMULATOR, '--force'])).env['POMBO_MASTER_KEY'], KEY)
    })
  }

  test('leaves the keys of a data folder where they are', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'data', 'master.key'), 'x')
    const { env } = await initialize(folder, SIMULATOR)
    assert.deepEqual([env['POMBO_MASTER_KEY'], env['POMBO_JWT_SECRET']], [undefined, undefined])
  })

  test('a folder that cannot be created is an error with its reason', async () => {
    const { ran } = await initialize(join(newFolder(), 'not', 'there'), SIMULATOR)
    assert.equal(ran.code, 73)
    assert.match(ran.err, /^pombo: cannot write to \S+ \(ENOENT\); create the folder, or run this as root\n/)
  })
})

/** Answers the questions that contain these words; fails on any other. */
function answering(answers: Readonly<Record<string, string | readonly string[]>>) {
  const asked: { question: string; isSecret: boolean }[] = []
  const left = new Map(Object.entries(answers).map(([words, replies]) => [words, [replies].flat()]))
  const ask: World['ask'] = async (question, { isSecret }) => {
    asked.push({ question, isSecret })
    const [, replies = []] = [...left].find(([words]) => question.includes(words)) ?? []
    return replies.shift() ?? assert.fail(`unexpected question: ${question}`)
  }
  return { ask, asked }
}

describe('init at a terminal', () => {
  const SMTP = {
    'Providers:': 'smtp',
    'name of the mail server': 'smtp.example',
    'smtp: The port': '',
    'sender of email': 'a@acme.example',
  }
  const REST = { 'public URL': 'https://pombo.example.com', 'reverse proxy': '', 'Write the files': '' }

  test('asks for what the options do not say, and not for secrets that the environment has', async () => {
    const { ask, asked } = answering({ ...SMTP, ...REST, 'user name': 'me' })
    const { ran, env, dir } = await initialize(newFolder(), [], { ask, env: { SMTP_PASSWORD: 'known' } })
    assert.equal(ran.code, 0, ran.err)
    assert.equal(env['SMTP_PASSWORD'], 'known')
    assert.ok(readdirSync(dir).includes('Caddyfile'), 'an empty answer takes the suggestion')
    assert.deepEqual(
      asked.filter(({ isSecret }) => isSecret),
      [],
    )
  })

  test('asks for a password only with a user name, and does not show it', async () => {
    const { ask, asked } = answering({ ...SMTP, ...REST, 'user name': 'me', 'The password': 'typed' })
    assert.equal((await initialize(newFolder(), [], { ask })).env['SMTP_PASSWORD'], 'typed')
    assert.deepEqual(
      asked.filter(({ isSecret }) => isSecret).map(({ question }) => question),
      ['smtp: The password.\n> '],
    )
    const without = answering({ ...SMTP, ...REST, 'user name': '' })
    assert.equal((await initialize(newFolder(), [], { ask: without.ask })).ran.code, 0)
  })

  test('asks again after a wrong answer, and says what is right', async () => {
    const { ask } = answering({ ...REST, 'public URL': ['pombo', '', 'https://pombo.example.com'] })
    const { ran } = await initialize(newFolder(), ['--provider', 'simulator'], { ask })
    assert.equal(ran.code, 0)
    assert.equal(ran.err.match(/^It must be a URL without a path/gm)?.length, 2)
  })

  test('writes nothing without consent', async () => {
    const folder = newFolder()
    const { ask } = answering({ 'Write the files': 'no' })
    const { ran } = await initialize(folder, SIMULATOR, { ask })
    assert.deepEqual([ran.code, ran.err.split('\n')[0], readdirSync(folder)], [1, 'pombo: nothing was written', []])
  })

  test('asks nothing with --yes', async () => {
    const { ask } = answering({})
    assert.equal((await initialize(newFolder(), [...SIMULATOR, '--yes'], { ask })).ran.code, 0)
    assert.equal((await initialize(newFolder(), ['--yes'], { ask })).ran.code, 2)
  })
})

describe('the units of init', () => {
  test('name the link `current` beside the folder of the release, and not the release', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, '0.1.0'))
    symlinkSync('0.1.0', join(folder, 'current'))
    const program = [`${folder}/0.1.0/bin/node`, '--max-old-space-size=512', `${folder}/0.1.0/src/main.ts`]
    const { dir } = await initialize(folder, SIMULATOR, { program })
    const start = `${folder}/current/bin/node --max-old-space-size=512 ${folder}/current/src/main.ts`
    assert.match(readFile(join(dir, 'pombo.service')), new RegExp(`^ExecStart=${start} serve$`, 'm'))
    assert.ok(readFile(join(dir, 'pombo')).includes(` --init-groups ${start} "$@"`))
  })

  test('name the release where another one is current', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, '0.1.0'))
    mkdirSync(join(folder, '0.2.0'))
    symlinkSync('0.2.0', join(folder, 'current'))
    const { dir } = await initialize(folder, SIMULATOR, { program: [`${folder}/0.1.0/bin/node`] })
    assert.match(readFile(join(dir, 'pombo.service')), new RegExp(`^ExecStart=${folder}/0.1.0/bin/node serve$`, 'm'))
  })

  test('have a state folder below /var/lib, and otherwise name the path', async () => {
    const inState = await initialize(newFolder(), [...SIMULATOR, '--data-dir', '/var/lib/pombo'])
    assert.match(readFile(join(inState.dir, 'pombo-backup.service')), /^StateDirectory=pombo pombo-backups$/m)
    const { dir } = await initialize(newFolder(), [...SIMULATOR, '--data-dir', '/srv/pombo'])
    assert.match(readFile(join(dir, 'pombo-backup.service')), /^ReadWritePaths=\/srv\/pombo \/srv\/pombo-backups$/m)
    assert.doesNotMatch(readFile(join(dir, 'pombo.service')), /^StateDirectory/m)
  })

  test('a path that a unit cannot start is refused, and one that it cannot see is noted', async () => {
    const odd = await initialize(newFolder(), SIMULATOR, { program: ['/opt/my pombo/node'] })
    assert.deepEqual(
      [odd.ran.code, odd.ran.err],
      [73, 'pombo: units cannot start "/opt/my pombo/node"; install Pombo in /opt/pombo\n'],
    )
    const { ran } = await initialize(newFolder(), SIMULATOR, { program: ['/home/ana/node'] })
    assert.match(ran.err, /Note: the units cannot see \/home\/ana\/node \(ProtectHome\); install Pombo in \/opt\n/)
  })
})
