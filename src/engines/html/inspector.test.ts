import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openHtmlInspector } from './inspector.ts'

const SHORT = '<p onclick=x>Hi'
const FLAWS = [{ detail: 'an event handler (onclick)', line: 1 }]
const ROW = '<tr><td style="padding:4px"><a href="https://x.example">Text</a></td></tr>\n'
const NEWSLETTER = `<table>${ROW.repeat((500 * 1024) / ROW.length)}</table>`
const LONG = `${SHORT}${NEWSLETTER}`

test('short and long html give the same result', async () => {
  await using inspector = openHtmlInspector()
  assert.deepEqual(await inspector.inspect(SHORT), FLAWS)
  assert.deepEqual(await inspector.inspect(LONG), FLAWS)
  assert.deepEqual(await inspector.inspect(NEWSLETTER), [])
  assert.deepEqual(await inspector.inspect('<p>Hi'), [])
})

test('each call gets the flaws of its own html', async () => {
  await using inspector = openHtmlInspector({ short: 0 })
  const lines = Array.from({ length: 50 }, (_, index) => index + 1)
  const found = await Promise.all(lines.map((line) => inspector.inspect(`${'\n'.repeat(line - 1)}<script>`)))
  assert.deepEqual(
    found,
    lines.map((line) => [{ detail: 'a script element', line }]),
  )
})

test('the flaws of a named message are cached', async () => {
  await using inspector = openHtmlInspector({ short: 0 })
  const [one, other] = ['one', 'other'] as MessageId[]
  assert.deepEqual(await inspector.inspect(SHORT, one), FLAWS)
  assert.deepEqual(await inspector.inspect('<p>', one), FLAWS)
  assert.deepEqual(await inspector.inspect('<p>', other), [])
  assert.deepEqual(await inspector.inspect('<p>'), [])
})

test('long html does not block the main thread', async () => {
  await using inspector = openHtmlInspector()
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 1)
  for (let round = 0; round < 3; round += 1) await inspector.inspect(NEWSLETTER)
  clearInterval(timer)
  assert.ok(ticks >= 5, `${ticks} ticks`)
})

test('calls are refused when too many wait, and the others are served', async () => {
  await using inspector = openHtmlInspector({ short: 0, waiting: 3 })
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => inspector.inspect(SHORT)))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.ok(refused.every(({ reason }) => reason instanceof Unavailable))
  // The thread has one, and three wait.
  assert.equal(outcomes.length - refused.length, 4)
  assert.deepEqual(await inspector.inspect(SHORT), FLAWS)
})

test('a thread that dies fails only the html it was parsing, and is replaced', async () => {
  await using inspector = openHtmlInspector({ short: 0, memoryMb: 16 })
  const [died, ...others] = await Promise.allSettled([LONG, SHORT, SHORT].map((html) => inspector.inspect(html)))
  assert.ok(died?.status === 'rejected' && died.reason instanceof Unavailable)
  assert.deepEqual(
    others.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
    [FLAWS, FLAWS],
  )
})

test('closing rejects waiting and later calls', async () => {
  const inspector = openHtmlInspector()
  const outcomes = Promise.allSettled(Array.from({ length: 5 }, () => inspector.inspect(NEWSLETTER)))
  await inspector[Symbol.asyncDispose]()
  assert.ok((await outcomes).every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unavailable))
  await assert.rejects(inspector.inspect(NEWSLETTER), Unavailable)
})

test('the parser is not loaded before there is html', () => {
  const inspectorUrl = new URL('./inspector.ts', import.meta.url).href
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { openHtmlInspector } = await import(${JSON.stringify(inspectorUrl)})
    await using inspector = openHtmlInspector()
    const before = loaded.some((url) => url.includes('parse5'))
    await inspector.inspect('<p>')
    console.log(before, loaded.some((url) => url.includes('parse5')))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(output.trim(), 'false true')
})
