/** `pombo send`: sends an SMS or an email, and with --wait follows it until it is delivered or has failed. */
import { randomUUID } from 'node:crypto'
import { millis, seconds } from '../lib/time.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, whole } from './command.ts'
import { EXIT, failure } from './exit.ts'
import { type Json, textIn } from './json.ts'
import { OUTGOING_OPTIONS, toOutgoing } from './outgoing.ts'
import { paintStatus } from './render.ts'
import { drawStep, toSteps } from './timeline.ts'
import type { World } from './world.ts'

const OPTIONS = {
  ...OUTGOING_OPTIONS,
  key: { value: 'KEY', about: 'idempotency key: the same key never sends twice' },
  wait: { about: 'show each step until the message is delivered, failed or expired; exits with 1 unless delivered' },
  timeout: { value: 'SECONDS', about: 'maximum time to wait (120)' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

export const send = defineCommand({
  name: 'send',
  summary: 'Send an SMS or an email.',
  options: OPTIONS,
  async run(world, values) {
    const { resource, body } = await toOutgoing(world, values)
    const timeout = seconds(whole('timeout', values.timeout, 120, 86_400))
    const client = toClient(world, values)
    const headers = { 'idempotency-key': values.key ?? randomUUID() }
    const accepted = await client.call('POST', `${resource}/send`, { body, headers })
    const id = textIn(accepted, 'id')
    if (id === undefined) throw failure('the gateway accepted the message without returning its id')
    const path = `${resource}/${id}`
    if (values.wait === true) return await follow(world, client, { id, path, timeout, json: values.json === true })

    world.out.write(values.json === true ? `${JSON.stringify(accepted)}\n` : `${id}\n`)
    return EXIT.ok
  },
})

const FINAL = ['delivered', 'failed', 'expired']
const FIRST_WAIT = 50
const MAX_WAIT = 1000

type Following = Readonly<{ id: string; path: string; timeout: number; json: boolean }>

async function follow(world: World, client: Client, { id, path, timeout, json }: Following): Promise<number> {
  const startedAt = world.clock()
  if (!json) world.out.write(`${id}\n`)
  let shown = 0
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, MAX_WAIT)) {
    const message = await client.call('GET', path)
    const status = textIn(message, 'status') ?? 'unknown'
    if (!json) shown = showNew(world, message, shown)
    if (FINAL.includes(status)) {
      world.out.write(json ? `${JSON.stringify(message)}\n` : `${paintStatus(world.out, status)}\n`)
      return status === 'delivered' ? EXIT.ok : EXIT.failure
    }
    if (world.clock() - startedAt >= timeout)
      throw failure(`${id} is still ${status}; check it again with \`pombo show\``)
    await world.pause(millis(wait))
  }
}

/** Shows the steps that were not shown before; returns the number of all steps. */
function showNew(world: World, message: Json, shown: number): number {
  const steps = toSteps(message)
  for (const [nth, step] of steps.entries()) {
    if (nth >= shown) world.out.write(drawStep(world.out, step, steps[nth - 1]))
  }
  return steps.length
}
