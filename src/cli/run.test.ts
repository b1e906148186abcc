import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestGateway, run } from './test-world.ts'

const NAMES =
  'serve init send otp tail search show resend resolve erase erasures dlq token tenants keys backup restore rebuild migrate import doctor simulator bench version'.split(
    ' ',
  )

describe('help', () => {
  test('lists every command', async () => {
    const { code, out } = await run(['help'])
    assert.equal(code, 0)
    for (const name of NAMES) assert.match(out, new RegExp(`^  ${name} +[A-Z]`, 'm'))
  })

  for (const name of NAMES.filter((name) => name !== 'bench')) {
    test(`of ${name} is the same with --help and with help`, async () => {
      const [one, other] = [await run([name, '--help']), await run(['help', name])]
      assert.equal(one.code, 0)
      assert.match(one.out, new RegExp(`^pombo ${name}`, 'm'))
      assert.deepEqual(one, other)
    })
  }

  test('is printed as a usage error when no command is given', async () => {
    const { code, out, err } = await run([])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /pombo COMMAND/)
  })
})

const ID = '01978d5e-0000-7000-8000-000000000001'
const WRONG: readonly [argv: readonly string[], message: RegExp][] = [
  [['serach'], /^pombo: unknown command: serach; did you mean search\?\nTry `pombo help`\.\n$/],
  [['toString'], /^pombo: unknown command: toString\n/],
  [['send'], /^pombo: --to is required\nTry `pombo send --help`\.\n$/],
  [['send', '--to', '+15005550100'], /^pombo: --message is required\n/],
  [['send', '--to', '15005550100', '--message', 'x'], /^pombo: --to must be a phone number in E\.164/],
  [['send', '--timeout', 'x', '--to', '+15005550100', '--message', 'x'], /^pombo: --timeout must be a whole number/],
  [['send', '--to', '+15005550100', '--email'], /^pombo: --to must be an email address, such as ann@example\.com\n/],
  [['send', '--to', 'ann@', '--subject', 'x', '--html', 'x'], /^pombo: --to must be an email address/],
  [['send', '--to', 'ann@example.com'], /^pombo: --subject is required\n/],
  [['send', '--to', 'ann@example.com', '--subject', 'x'], /^pombo: --html is required\n/],
  [['send', '--to', 'ann@example.com', '--message', 'x'], /^pombo: --message does not apply to an email/],
  [['send', '--to', 'ann@example.com', '--flash'], /^pombo: --flash does not apply to an email/],
  [['send', '--to', '+15005550100', '--message', 'x', '--html', 'x'], /^pombo: --html does not apply to an SMS/],
  [['send', '--tow', 'x'], /^pombo: Unknown option '--tow'/],
  [['show'], /^pombo: usage: pombo show ID \[options\]\n/],
  [['show', 'x'], /^pombo: ID must be a full message id/],
  [['show', ID, ID], /^pombo: usage/],
  [['erase'], /^pombo: pass either an ID or --to RECIPIENT\n/],
  [['erase', ID, '--to', '+15005550100'], /^pombo: pass either an ID or --to RECIPIENT\n/],
  [
    ['erase', '--to', 'ann'],
    /^pombo: --to must be a phone number in E\.164 format, such as \+15005550100, or an email address\n/,
  ],
  [['search', '--limit', '0'], /^pombo: --limit must be a whole number from 1 to 100000\n/],
  [['keys'], /^pombo: usage: pombo keys list \| create \|/],
  [['keys', 'burn'], /^pombo: usage: pombo keys list \| create \|/],
  [['keys', 'list', 'x'], /^pombo: usage: pombo keys list \| create \|/],
  [['keys', 'show'], /^pombo: usage: pombo keys list \| create \|/],
  [['keys', 'revoke', 'x'], /^pombo: ID must be the id of an API key/],
  [['keys', 'create', '--scope', 'otp'], /^pombo: --name is required\n/],
  [['keys', 'create', '--name', 'x', '--scope', 'otp,send'], /^pombo: --scope: unknown send; use sms:send, /],
  [
    ['keys', 'create', '--name', 'x', '--scope', 'otp', '--network', 'home'],
    /^pombo: --network must be networks such as 203\.0\.113\.0\/24, separated by commas\n/,
  ],
  [['dlq', 'burn'], /^pombo: usage: pombo dlq list, /],
  [['dlq', 'replay'], /^pombo: usage: pombo dlq list, /],
  [['dlq', 'replay', ID, '--all'], /^pombo: usage: pombo dlq list, /],
  [['tail', '--url', 'ftp://x'], /^pombo: --url must be a URL/],
  [['token', '--days', '1.5'], /^pombo: --days must be a whole number from 1 to 3650\n/],
  [['token', '--tenant', 'a b'], /^pombo: --tenant may contain/],
  [['serve', 'now'], /^pombo: usage: pombo serve \[options\]\n/],
]

describe('a wrong command line is a usage error', () => {
  for (const [argv, message] of WRONG) {
    test(`pombo ${argv.join(' ')}`, async () => {
      const { code, out, err } = await run(argv)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
    })
  }
})

describe('exit codes', () => {
  test('a wrong setting exits with 78', async () => {
    const { code, err } = await run(['serve'], { env: { POMBO_PORT: 'x' } })
    assert.equal(code, 78)
    assert.match(err, /^pombo: POMBO_PORT must be a whole number/)
  })

  test('an unexpected error exits with 1, and prints its stack at log level debug', async () => {
    const rebuildIndex = async (): Promise<never> => {
      throw new Error('it broke')
    }
    const { code, err } = await run(['rebuild'], { rebuildIndex })
    assert.deepEqual([code, err], [1, 'pombo: it broke\n'])
    const verbose = await run(['rebuild'], { rebuildIndex, env: { POMBO_LOG_LEVEL: 'debug' } })
    assert.match(verbose.err, /^pombo: it broke\nError: it broke\n +at /)
  })

  test('the exit code of an error or its cause is used', async () => {
    const cause = Object.assign(new Error('a newer schema'), { exitCode: 78 })
    const rebuildIndex = async (): Promise<never> => {
      throw new Error('cannot open', { cause })
    }
    assert.equal((await run(['rebuild'], { rebuildIndex })).code, 78)
  })

  test('an unreachable gateway exits with 69', async () => {
    const gone = await openTestGateway(() => ({}))
    await gone[Symbol.asyncDispose]()
    const { code, err } = await run(['search'], { env: gone.env })
    assert.equal(code, 69)
    assert.match(err, /^pombo: no gateway at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\); start one with/)
  })
})

describe('small commands', () => {
  test('bench passes its arguments on and returns the exit code of the script', async () => {
    const calls: unknown[] = []
    const runScript = async (...call: unknown[]): Promise<number> => {
      calls.push(call)
      return 7
    }
    assert.equal((await run(['bench', '--peers', '-h'], { runScript })).code, 7)
    assert.deepEqual(calls, [['bench/main.ts', ['--peers', '-h']]])
  })

  test('version prints the version in package.json', async () => {
    const readFile = () => '{"version":"1.2.3"}'
    assert.match((await run(['version'], { readFile })).out, /^pombo 1\.2\.3 \(node \d+/)
    assert.equal(JSON.parse((await run(['--version', '--json'], { readFile })).out).pombo, '1.2.3')
  })

  test('rebuild prints the number of events', async () => {
    const rebuildIndex = async (_config: unknown, onProgress: (done: number, total: number) => void) => {
      onProgress(1, 2)
      onProgress(2, 2)
      return { events: 2 }
    }
    assert.equal((await run(['rebuild'], { rebuildIndex })).out, 'rebuilt the index from 2 events in 0 ms\n')
    assert.deepEqual(JSON.parse((await run(['rebuild', '--json'], { rebuildIndex })).out), { events: 2, took_ms: 0 })
  })
})
