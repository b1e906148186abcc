/** Whoever calls our API from outside: asks, and when no answer comes, asks again, whichever process answers. */
import { Refusal } from '../../src/flows/errors.ts'
import type { Cluster, Deps } from './cluster.ts'
import type { Simulation } from './simulation.ts'

export type Errand<Answer> = Readonly<{
  name: string
  ask: (deps: Deps) => Promise<Answer>
  /** Called for every answer, also for one that comes when nobody waits for it any more. */
  answered: (answer: Answer) => void
  refused?: (refusal: Refusal) => void
  onRetry?: () => void
}>

const NO_ANSWER_MS = 8_000
const NOBODY_THERE_MS = 3_000

export function insist<Answer>(sim: Simulation, cluster: Cluster, errand: Errand<Answer>): void {
  const { agenda, chance } = sim
  const { name, ask, answered, refused, onRetry } = errand
  let isOver = false
  sim.outstanding += 1

  function end(how: string): void {
    sim.note(`${name}: ${how}`)
    if (!isOver) sim.outstanding -= 1
    isOver = true
  }

  function again(): void {
    if (isOver) return
    onRetry?.()
    turn()
  }

  function turn(): void {
    const api = cluster.any('api')
    sim.note(`${name} asks ${api?.process.name ?? 'nobody'}`)
    const retry = agenda.after(api === undefined ? NOBODY_THERE_MS : NO_ANSWER_MS, again)
    if (api === undefined) return
    ask(api.deps).then(
      (answer) => {
        end('answered')
        answered(answer)
      },
      (error) => {
        if (error instanceof Refusal) {
          end(`refused ${error.code}`)
          refused?.(error)
          return
        }
        sim.faulted(name, error)
        if (agenda.cancel(retry)) agenda.after(chance.between(100, 2_000), again)
      },
    )
  }

  turn()
}
