/** One tenant burns all the CPU that templates may take; another one sends messages, and somebody asks whether we live. */

import type { LoadReport } from '../load.ts'
import { type LoadPlan, openLoad } from '../measure.ts'
import { BATCH_ITEMS, newRun } from '../messages.ts'
import type { Options } from '../options.ts'
import type { Request } from '../request.ts'
import { type Gateway, openGateway } from '../server.ts'
import { LIVENESS, saveTemplate, type Tenant, tenantOf, toTemplated, toText } from './tenants.ts'

/** The reports of what goes on beside the attack. */
export type Beside = Readonly<{ health: LoadReport; text: LoadReport; templated: LoadReport }>

export type Burning = Readonly<{
  /** As usual and beside the attack, in turns. */
  rounds: readonly Readonly<{ usual: Beside; attacked: Beside }>[]
}> &
  Answers

/** The answers that the attacker got meanwhile: to previews by status, and to the items of finished batches. */
type Answers = Readonly<{ previews: Record<string, number>; batchItems: Record<string, number> }>

const BURNING = '{% for i in (1..9000) %}{% for j in (1..9000) %}{{ i }}{% endfor %}{% endfor %}'
const SHORT = 'Hi {{ name }}, your order {{ order }} is on its way.'
const HEALTH_PER_SECOND = 50
const SENDS_PER_SECOND = 100
const CONNECTIONS = 64
const PREVIEWERS = 8

export async function measureBurning({ runs, seconds }: Pick<Options, 'runs' | 'seconds'>): Promise<Burning> {
  await using gateway = await openGateway()
  const [attacker, victim] = [tenantOf(gateway, 'attacker'), tenantOf(gateway, 'victim')]
  await saveTemplate(attacker, 'burning', BURNING)
  await saveTemplate(victim, 'short', SHORT)
  // Once more than is measured: a new gateway is slower.
  await measureBeside(gateway, victim, Math.ceil(seconds / 2))
  const rounds: { usual: Beside; attacked: Beside }[] = []
  const answers: Answers = { previews: {}, batchItems: {} }
  for (let nth = 0; nth < runs; nth += 1) {
    const usual = await measureBeside(gateway, victim, seconds)
    const attack = startAttack(attacker, answers)
    rounds.push({ usual, attacked: await measureBeside(gateway, victim, seconds) })
    await attack.stop()
  }
  return { rounds, ...answers }
}

async function measureBeside(gateway: Gateway, victim: Tenant, seconds: number): Promise<Beside> {
  const run = async (request: Request, rate: number): Promise<LoadReport> => {
    const pace: LoadPlan['pace'] = { kind: 'open', rate, arrivals: 'poisson' }
    const spec = { ports: gateway.ports, request, connections: CONNECTIONS, pace, warmUpSeconds: 1, seconds }
    await using load = await openLoad(spec)
    return await load.report
  }
  const [health, text, templated] = await Promise.all([
    run(LIVENESS, HEALTH_PER_SECOND),
    run(toText(victim), SENDS_PER_SECOND),
    run(toTemplated(victim, 'short'), SENDS_PER_SECOND),
  ])
  return { health, text, templated }
}

/** Until it is stopped; what is unanswered then is given up. */
function startAttack(attacker: Tenant, { previews, batchItems }: Answers) {
  const stopped = new AbortController()
  const { signal } = stopped
  const again = async (act: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) await act().catch(ignoreAbort)
  }
  const preview = async (): Promise<void> => {
    const { status } = await attacker.ask('POST', '/v1/templates/preview', { name: 'burning' }, signal)
    count(previews, String(status))
  }
  const batch = async (): Promise<void> => {
    const { status, body } = await attacker.ask('POST', '/v1/messages/batch', toBurningBatch(), signal)
    if (status !== 200) return count(batchItems, `batch refused with ${status}`)
    for (const { error } of body['results'] as readonly { error?: { error_code: string } }[]) {
      count(batchItems, error?.error_code ?? 'accepted')
    }
  }
  const all = [again(batch), ...Array.from({ length: PREVIEWERS }, () => again(preview))]
  return {
    async stop() {
      stopped.abort()
      await Promise.all(all)
    },
  }
}

function ignoreAbort(error: Error): void {
  if (error.name !== 'AbortError') throw error
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

function toBurningBatch(): object {
  const run = newRun()
  const items = Array.from({ length: BATCH_ITEMS }, (_, nth) => ({
    to: '+5511987654321',
    template: { name: 'burning' },
    idempotency_key: `burning-${run}-${nth}`,
  }))
  return { items }
}
