/** The demo, for a few seconds on its own gateway. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions } from '../../demo/options.ts'
import { runDemo } from '../../demo/run.ts'

test('runs, prints a console link and ends when stopped', { timeout: 120_000 }, async () => {
  let output = ''
  const options = parseOptions(['--pace', '10'])
  assert.ok(options !== undefined)
  const stop = new AbortController()
  const write = (text: string): void => {
    output += text
    if (text.includes('#token=')) setTimeout(() => stop.abort(), 3_000)
  }
  const { accepted, refused } = await runDemo(options, write, stop.signal)
  assert.match(output, /^Console {3}http:\/\/127\.0\.0\.1:\d+\/console\/#token=ey\S+$/m)
  assert.ok(accepted > 20, `${accepted} accepted`)
  assert.ok(refused < accepted / 4, `${refused} refused`)
})

test('rejects invalid options with a reason', () => {
  assert.throws(() => parseOptions(['--url', 'http://127.0.0.1:8080']), /--url and --token must be used together/)
  assert.throws(() => parseOptions(['--seconds', 'soon']), /--seconds must be a whole number/)
  assert.throws(
    () => parseOptions(['--url', 'http://x', '--token', 'y', '--port', '1']),
    /cannot be combined with --url/,
  )
  assert.equal(parseOptions(['--help']), undefined)
})
