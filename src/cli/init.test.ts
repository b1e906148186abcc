import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadConfig } from '../config/config.ts'
import {
  ALWAYS,
  initialize,
  MODES,
  NEEDED,
  newFolder,
  readFile,
  SECRETS_OF_ALL,
  SETTINGS_OF_ALL,
  SIMULATOR,
} from './init.fixture.ts'
import { KIND_NAMES } from './init-providers.ts'
import { run } from './test-world.ts'
import type { World } from './world.ts'

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return String(typeof address === 'object' ? address?.port : '')
}

describe('init', () => {
  const needed = KIND_NAMES.map((kind) => ({ kinds: kind as string, ...NEEDED[kind] }))
  const all = {
    kinds: KIND_NAMES.join(','),
    argv: [...KIND_NAMES.flatMap((kind) => NEEDED[kind].argv), ...SETTINGS_OF_ALL],
    env: Object.assign({}, ...KIND_NAMES.map((kind) => NEEDED[kind].env), SECRETS_OF_ALL) as World['env'],
  }

  for (const { kinds, argv, env: given } of [...needed, all]) {
    test(`writes files with which a gateway for ${kinds} starts, and which doctor accepts`, async () => {
      const port = await freePort()
      const args = [...ALWAYS, '--provider', kinds, '--port', port, ...argv]
      const { ran, env, dir } = await initialize(newFolder(), args, { env: given })
      assert.equal(ran.code, 0, ran.err)

      const { providers, publicUrl, trustedProxies, warnings } = loadConfig(env, readFile)
      assert.deepEqual([providers.map(({ kind }) => kind).join(), warnings], [kinds, []])
      assert.deepEqual([publicUrl, trustedProxies], ['https://pombo.example.com', '127.0.0.1,::1'])
      const doctor = await run(['doctor'], { env, readFile })
      assert.equal(doctor.code, 0, doctor.out)

      const config = readFile(join(dir, 'config.json'))
      for (const secret of Object.values(given)) {
        assert.ok(Object.values(env).includes(secret ?? ''))
        assert.ok(!(config + ran.out + ran.err).includes(secret ?? ''), 'a secret is only in the environment file')
      }
    })
  }

  test('passes every setting on', async () => {
    const { env } = await initialize(newFolder(), [...ALWAYS, '--provider', all.kinds, ...all.argv], { env: all.env })
    const settings = Object.fromEntries(
      loadConfig(env, readFile).providers.map(({ kind, settings }) => [kind, settings]),
    )
    assert.deepEqual(settings['smtp'], {
      ...{ host: 'smtp.example', port: 465, user: 'acme', password: 'a "b" $c `d` \\e' },
      from: 'Acme <no-reply@acme.example>',
    })
    assert.deepEqual(settings['smpp'], {
      ...{ host: 'smsc.example', port: 2775, tls: true, system_id: 'pombo', password: 'smpp-secret', sender: 'Acme' },
    })
    assert.deepEqual((settings['ses'] as { topics?: unknown }).topics, ['arn:aws:sns:eu-west-1:123456789012:pombo'])
  })

  test('writes a file that sh reads like Pombo', async () => {
    const { dir, env } = await initialize(newFolder(), [...ALWAYS, '--provider', all.kinds, ...all.argv], {
      env: all.env,
    })
    const script = `set -a; . ${dir}/pombo.env; exec "$0" -p 'JSON.stringify(process.env)'`
    const read = JSON.parse(execFileSync('sh', ['-c', script, process.execPath], { env: {}, encoding: 'utf8' }))
    assert.deepEqual({ ...read, ...env }, read)
  })

  test('generates other secrets each time, and lets nobody else read them', async () => {
    const written = [await initialize(newFolder(), SIMULATOR), await initialize(newFolder(), SIMULATOR)]
    const keys = written.flatMap(({ env }) => [env['POMBO_MASTER_KEY'], env['POMBO_JWT_SECRET']])
    assert.equal(new Set(keys).size, 4)
    for (const { dir } of written) {
      const modes = readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)])
      assert.deepEqual(Object.fromEntries(modes), MODES)
    }
  })

  test('says what is not carried, and that a simulator sends nothing', async () => {
    const { ran } = await initialize(
      newFolder(),
      [...ALWAYS, '--provider', 'twilio', ...NEEDED.twilio.argv],
      NEEDED.twilio,
    )
    assert.equal(ran.err, 'Note: no provider carries email, so it cannot be sent\n')
    assert.match((await initialize(newFolder(), SIMULATOR)).ran.err, /^Note: the simulator sends nothing to anybody\n$/)
  })

  for (const [proxy, file] of [
    ['nginx', 'nginx.conf'],
    ['caddy', 'Caddyfile'],
    ['none', undefined],
  ] as const) {
    test(`with --proxy ${proxy} writes ${file ?? 'no proxy configuration'}, and names it in the next steps`, async () => {
      const url = ['--public-url', 'https://pombo.example.com', '--provider', 'simulator']
      const { dir, ran, env } = await initialize(newFolder(), [...url, '--proxy', proxy])
      const found = readdirSync(dir).filter((name) => ['nginx.conf', 'Caddyfile'].includes(name))
      assert.deepEqual(found, file === undefined ? [] : [file])
      assert.equal(ran.out.includes(`cp ${dir}/${file}`), file !== undefined)
      assert.equal(env['POMBO_TRUSTED_PROXIES'], file === undefined ? undefined : '127.0.0.1,::1')
    })
  }
})

describe('init without a terminal', () => {
  const MISSING: readonly [argv: readonly string[], names: string][] = [
    [[], '--provider, --public-url, --proxy'],
    [['--yes', '--provider', 'simulator'], '--public-url, --proxy'],
    [[...ALWAYS, '--provider', 'twilio'], '--twilio-account-sid, the environment variable TWILIO_AUTH_TOKEN'],
    [
      [...ALWAYS, '--provider', 'messagebird'],
      'the environment variable MESSAGEBIRD_ACCESS_KEY, the environment variable MESSAGEBIRD_SIGNING_KEY',
    ],
    [
      [...ALWAYS, '--provider', 'smtp', '--smtp-user', 'me'],
      '--smtp-host, the environment variable SMTP_PASSWORD, --smtp-from',
    ],
  ]
  for (const [argv, names] of MISSING) {
    test(`pombo init ${argv.slice(4).join(' ')} is a usage error that names what is missing`, async () => {
      const folder = newFolder()
      const { ran } = await initialize(folder, argv)
      assert.deepEqual([ran.code, readdirSync(folder)], [2, []])
      assert.ok(ran.err.startsWith(`pombo: missing: ${names}; without a terminal,`), ran.err)
    })
  }

  const WRONG: readonly [argv: readonly string[], message: RegExp][] = [
    [['--provider', 'twillio'], /^pombo: --provider must be one or more of simulator, .*, not "twillio"\n/],
    [['--provider', 'smtp,smtp'], /^pombo: --provider must be/],
    [[...SIMULATOR, '--proxy', 'apache'], /^pombo: --proxy must be caddy, nginx, none, not "apache"\n/],
    [[...SIMULATOR, '--public-url', 'http://pombo.example.com'], /^pombo: --public-url must be a URL without a path/],
    [[...SIMULATOR, '--public-url', 'https://pombo.example.com/sms'], /^pombo: --public-url must be/],
    [[...SIMULATOR, '--public-url', 'https://a:b@pombo.example.com'], /^pombo: --public-url must be/],
    [[...SIMULATOR, '--user', 'pombo; reboot'], /^pombo: --user must be the name of a system user/],
    [[...SIMULATOR, '--data-dir', '/srv/my data'], /^pombo: --data-dir must be the path of a folder/],
    [[...SIMULATOR, '--port', '0'], /^pombo: --port must be a whole number from 1 to 65535/],
    [['--provider', 'twilio', '--twilio-account-sid', 'AC1'], /^pombo: --twilio-account-sid must be AC and 32 hex/],
  ]
  for (const [argv, message] of WRONG) {
    test(`pombo init ${argv.join(' ')} is a usage error`, async () => {
      const { ran } = await initialize(newFolder(), argv)
      assert.equal(ran.code, 2)
      assert.match(ran.err, message)
    })
  }

  test('a wrong secret is not repeated', async () => {
    const env = { SMPP_PASSWORD: 'not one word' }
    const { ran } = await initialize(newFolder(), [...ALWAYS, '--provider', 'smpp', ...NEEDED.smpp.argv], { env })
    assert.equal(ran.code, 2)
    assert.equal(
      ran.err.split('\n')[0],
      'pombo: the environment variable SMPP_PASSWORD must be a secret without spaces, best given by a variable',
    )
  })
})
