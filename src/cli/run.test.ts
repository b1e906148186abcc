import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestGateway, run } from './test-world.ts'

const NAMES =
  'serve send otp tail search show resend erase erasures dlq token rebuild migrate import doctor simulator bench version'.split(
    ' ',
  )

describe('help', () => {
  test('names every command', async () => {
    const { code, out } = await run(['help'])
    assert.equal(code, 0)
    for (const name of NAMES) assert.match(out, new RegExp(`^  ${name} +[A-Z]`, 'm'))
  })

  for (const name of NAMES.filter((name) => name !== 'bench')) {
    test(`of ${name} is the same asked either way`, async () => {
      const [one, other] = [await run([name, '--help']), await run(['help', name])]
      assert.equal(one.code, 0)
      assert.match(one.out, new RegExp(`^pombo ${name}`, 'm'))
      assert.deepEqual(one, other)
    })
  }

  test('is what one gets without a command, as a usage error', async () => {
    const { code, out, err } = await run([])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /pombo COMMAND/)
  })
})

const ID = '01978d5e-0000-7000-8000-000000000001'
const WRONG: readonly [argv: readonly string[], sentence: RegExp][] = [
  [['serach'], /^pombo: there is no such command; did you mean search\?\nTry `pombo help`\.\n$/],
  [['toString'], /^pombo: there is no such command\n/],
  [['send'], /^pombo: --to is missing\nTry `pombo send --help`\.\n$/],
  [['send', '--to', '+15005550100'], /^pombo: --message is missing\n/],
  [['send', '--to', '15005550100', '--message', 'x'], /^pombo: --to must be a number in E\.164/],
  [['send', '--timeout', 'x', '--to', '+15005550100', '--message', 'x'], /^pombo: --timeout must be a whole number/],
  [['send', '--to', '+15005550100', '--email'], /^pombo: --to must be an email address, such as ann@example\.com\n/],
  [['send', '--to', 'ann@', '--subject', 'x', '--html', 'x'], /^pombo: --to must be an email address/],
  [['send', '--to', 'ann@example.com'], /^pombo: --subject is missing\n/],
  [['send', '--to', 'ann@example.com', '--subject', 'x'], /^pombo: --html is missing\n/],
  [['send', '--to', 'ann@example.com', '--message', 'x'], /^pombo: --message is not for a mail/],
  [['send', '--to', 'ann@example.com', '--flash'], /^pombo: --flash is not for a mail/],
  [['send', '--to', '+15005550100', '--message', 'x', '--html', 'x'], /^pombo: --html is not for an SMS/],
  [['send', '--tow', 'x'], /^pombo: Unknown option '--tow'/],
  [['show'], /^pombo: the command reads: pombo show ID \[options\]\n/],
  [['show', 'x'], /^pombo: ID must be a whole message id/],
  [['show', ID, ID], /^pombo: the command reads/],
  [['erase'], /^pombo: name either an ID or --to RECIPIENT\n/],
  [['erase', ID, '--to', '+15005550100'], /^pombo: name either an ID or --to RECIPIENT\n/],
  [['erase', '--to', 'ann'], /^pombo: --to must be a number in E\.164, such as \+15005550100, or an email address\n/],
  [['search', '--limit', '0'], /^pombo: --limit must be a whole number from 1 to 100000\n/],
  [['dlq', 'burn'], /^pombo: the command reads: pombo dlq list, /],
  [['dlq', 'replay'], /^pombo: the command reads: pombo dlq list, /],
  [['dlq', 'replay', ID, '--all'], /^pombo: the command reads: pombo dlq list, /],
  [['tail', '--url', 'ftp://x'], /^pombo: --url must be an address/],
  [['token', '--days', '1.5'], /^pombo: --days must be a whole number from 1 to 3650\n/],
  [['token', '--tenant', 'a b'], /^pombo: --tenant must be a name/],
  [['serve', 'now'], /^pombo: the command reads: pombo serve \[options\]\n/],
]

describe('a wrong command line is a sentence and exit code 2', () => {
  for (const [argv, sentence] of WRONG) {
    test(`pombo ${argv.join(' ')}`, async () => {
      const { code, out, err } = await run(argv)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, sentence)
    })
  }
})

describe('what goes wrong otherwise', () => {
  test('a wrong setting ends with 78', async () => {
    const { code, err } = await run(['serve'], { env: { POMBO_PORT: 'x' } })
    assert.equal(code, 78)
    assert.match(err, /^pombo: POMBO_PORT must be a whole number/)
  })

  test('a fault ends with 1, and with its stack only for the curious', async () => {
    const rebuildIndex = async (): Promise<never> => {
      throw new Error('it broke')
    }
    const { code, err } = await run(['rebuild'], { rebuildIndex })
    assert.deepEqual([code, err], [1, 'pombo: it broke\n'])
    const curious = await run(['rebuild'], { rebuildIndex, env: { POMBO_LOG_LEVEL: 'debug' } })
    assert.match(curious.err, /^pombo: it broke\nError: it broke\n +at /)
  })

  test('an exit code an error carries is honoured, also in its cause', async () => {
    const cause = Object.assign(new Error('a newer schema'), { exitCode: 78 })
    const rebuildIndex = async (): Promise<never> => {
      throw new Error('cannot open', { cause })
    }
    assert.equal((await run(['rebuild'], { rebuildIndex })).code, 78)
  })

  test('where no gateway answers the command ends with 69', async () => {
    const gone = await openTestGateway(() => ({}))
    await gone[Symbol.asyncDispose]()
    const { code, err } = await run(['search'], { env: gone.env })
    assert.equal(code, 69)
    assert.match(err, /^pombo: no gateway answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\); start one with/)
  })
})

describe('the small commands', () => {
  test('bench passes everything on and answers with its exit code', async () => {
    const calls: unknown[] = []
    const runScript = async (...call: unknown[]): Promise<number> => {
      calls.push(call)
      return 7
    }
    assert.equal((await run(['bench', '--peers', '-h'], { runScript })).code, 7)
    assert.deepEqual(calls, [['bench/main.ts', ['--peers', '-h']]])
  })

  test('version reads the manifest', async () => {
    const readFile = () => '{"version":"1.2.3"}'
    assert.match((await run(['version'], { readFile })).out, /^pombo 1\.2\.3 \(node \d+/)
    assert.equal(JSON.parse((await run(['--version', '--json'], { readFile })).out).pombo, '1.2.3')
  })

  test('rebuild tells how much it read', async () => {
    const rebuildIndex = async (_config: unknown, onProgress: (done: number, total: number) => void) => {
      onProgress(1, 2)
      onProgress(2, 2)
      return { events: 2 }
    }
    assert.equal((await run(['rebuild'], { rebuildIndex })).out, 'the index is made again from 2 events in 0 ms\n')
    assert.deepEqual(JSON.parse((await run(['rebuild', '--json'], { rebuildIndex })).out), { events: 2, took_ms: 0 })
  })
})
