import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { SES } from '../../../test/support/fake-ses.ts'
import { TOPIC } from '../../../test/support/sns.ts'
import { readConfigFile } from '../../config/file.ts'
import { Settings, toCredentials } from './settings.ts'

const { access_key_id: _key, secret_access_key: _secret, ...WITHOUT_KEY } = SES
const schema = Compile(Settings)

test('accepts valid settings', () => {
  const all = {
    ...SES,
    configuration_set: 'acme',
    topics: [TOPIC],
    endpoint: 'http://127.0.0.1:1',
    max_per_second: 1.5,
  }
  for (const settings of [SES, WITHOUT_KEY, all]) assert.ok(schema.Check(settings))
})

for (const [what, wrong] of [
  ['an invalid sender', { from: 'Acme' }],
  ['no sender', { from: undefined }],
  ['a topic that is not an ARN', { topics: ['mail'] }],
  ['a queue instead of a topic', { topics: ['arn:aws:sqs:eu-west-1:123456789012:mail'] }],
  ['a rate of zero', { max_per_second: 0 }],
  ['an unknown setting', { topic: TOPIC }],
] as const) {
  test(`refuses ${what}`, () => {
    const { from, ...rest } = { ...SES, ...wrong }
    assert.ok(!schema.Check(from === undefined ? rest : { ...rest, from }))
  })
}

test('an incomplete key is a problem of the file, reported without the key', () => {
  const { access_key_id } = SES
  const file = { providers: [{ name: 'ses', kind: 'ses', settings: { ...WITHOUT_KEY, access_key_id } }] }
  const problems: string[] = []
  readConfigFile('p.json', {}, () => JSON.stringify(file), problems)
  assert.equal(problems.length, 1)
  assert.match(problems[0] ?? '', /providers\/0\/settings must be an object that has both access_key_id and secret_/)
  assert.ok(!problems[0]?.includes(access_key_id))
})

test('credentials are complete or left to the AWS SDK', () => {
  assert.deepEqual(toCredentials({ ...SES, session_token: 't' }), {
    accessKeyId: SES.access_key_id,
    secretAccessKey: SES.secret_access_key,
    sessionToken: 't',
  })
  assert.equal(toCredentials(WITHOUT_KEY), undefined)
  for (const half of [
    { access_key_id: 'a' },
    { secret_access_key: 'b' },
    { session_token: 'c' },
    { access_key_id: 'a', session_token: 'c' },
  ]) {
    assert.ok(!schema.Check({ ...WITHOUT_KEY, ...half }))
  }
  assert.ok(schema.Check({ ...SES, session_token: 'c' }))
})
