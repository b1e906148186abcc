import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadConfig, SETTINGS } from './config.ts'
import { EXAMPLE_FILE, renderConfigurationDocs } from './docs.ts'

describe('docs/configuration.md', () => {
  test('is up to date', () => {
    const path = join(import.meta.dirname, '../../docs/configuration.md')
    assert.equal(readFileSync(path, 'utf8'), renderConfigurationDocs(), 'stale: run npm run docs')
  })

  test('describes every setting', () => {
    const docs = renderConfigurationDocs()
    for (const [, { env, description }] of SETTINGS) assert(docs.includes(env) && docs.includes(description))
  })

  test('has an example that loads', () => {
    const env = {
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'token',
      KAFKA_PASSWORD: 'password',
      CRM_AMQP_URL: 'amqps://pombo:password@broker.example',
      POMBO_PUBLIC_URL: 'https://pombo.example',
    }
    const config = { POMBO_CONFIG: 'pombo.json', ...env }
    const { providers, routes, sinks } = loadConfig(config, () => JSON.stringify(EXAMPLE_FILE))
    assert.deepEqual([providers.length, routes.length, sinks.length], [2, 2, 2])
  })
})
