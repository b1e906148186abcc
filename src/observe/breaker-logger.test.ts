import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { ProviderName } from '../domain/ids.ts'
import { breakerLogger } from './breaker-logger.ts'

test('logs manual transitions as such', () => {
  const lines: Record<string, unknown>[] = []
  const log = breakerLogger(pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }))
  const provider = 'one' as ProviderName
  log({ provider, from: 'closed', to: 'open', failures: 0, forced: true })
  log({ provider, from: 'open', to: 'closed', failures: 0, forced: true })
  assert.deepEqual(
    lines.map(({ forced, msg }) => [forced, msg]),
    [
      [true, 'circuit breaker opened manually'],
      [true, 'circuit breaker closed manually'],
    ],
  )
})

test('warns when a breaker opens, and logs the other transitions at info', () => {
  const lines: Record<string, unknown>[] = []
  const log = breakerLogger(pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }))
  const provider = 'one' as ProviderName
  log({ provider, from: 'closed', to: 'open', failures: 5, forced: false })
  log({ provider, from: 'open', to: 'half_open', failures: 5, forced: false })
  log({ provider, from: 'half_open', to: 'closed', failures: 0, forced: false })
  const [WARN, INFO] = [40, 30]
  assert.deepEqual(
    lines.map(({ level, provider, breaker, breaker_before, consecutive_failures }) => [
      ...[level, provider, breaker, breaker_before, consecutive_failures],
    ]),
    [
      [WARN, 'one', 'open', 'closed', 5],
      [INFO, 'one', 'half_open', 'open', 5],
      [INFO, 'one', 'closed', 'half_open', 0],
    ],
  )
})
