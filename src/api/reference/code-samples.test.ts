/** test/console/reference.test.ts runs samples against a gateway. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { renderOpenApi } from '../http/openapi.ts'
import { withCodeSamples } from './code-samples.ts'
import { type OpenApi, operationsOf } from './open-api.ts'

const document: OpenApi = JSON.parse(await renderOpenApi())

type Sample = Readonly<{ lang: string; label: string; source: string }>
const samples = operationsOf(document).flatMap(({ path, method, operation }) =>
  (operation as unknown as { 'x-codeSamples': readonly Sample[] })['x-codeSamples'].map((sample) => ({
    ...sample,
    ...operation,
    path,
    method,
  })),
)
const of = (language: string) => samples.filter(({ label }) => label === language)

test('every operation has a sample in each language, with its URL and its token', () => {
  assert.equal(samples.length, 4 * operationsOf(document).length)
  for (const { label, source, path, security } of samples) {
    const parts = path.split(/\{\w+\}/)
    assert.ok(parts.every((part) => source.includes(part)) && !source.includes('{id}'), `${label} ${path}`)
    assert.equal(source.includes('TOKEN'), security === undefined, `${label} ${path}`)
  }
})

test('the samples for Node and curl are valid code', () => {
  for (const { source } of of('Node')) new Script(`async () => {${source}}`)
  const commands = of('curl').map(({ source }) => source)
  execFileSync('sh', ['-n'], { input: commands.join('\n') })
})

test('an example with quotes and constants is the same value in every language', () => {
  const example = { text: "it's `so`", flag: true, nothing: null, list: [1] }
  const operation = {
    operationId: 'x',
    tags: [],
    requestBody: { content: { 'application/json': { example } } },
    responses: {},
  }
  const { post } = withCodeSamples({ paths: { '/x': { post: operation } } }).paths['/x'] ?? {}
  const made = (post as unknown as { 'x-codeSamples': readonly Sample[] })['x-codeSamples']
  const [curl = '', node = '', python = '', go = ''] = made.map(({ source }) => source)
  const printed = execFileSync('sh', ['-c', curl.replace(/^curl/, `printf '%s\n'`)], { encoding: 'utf8' })
  assert.deepEqual(JSON.parse(printed.slice(printed.indexOf('{'))), example)
  assert.ok(node.includes(`"text": "it's \`so\`"`))
  assert.match(python, /"flag": True,\s+"nothing": None,\s+"list": \[\s+1,\s+\],/)
  assert.match(go, /strings\.NewReader\("\{\\n/)
})
