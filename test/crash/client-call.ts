/** A client of the API that repeats its call, at any process, until it is answered. */
import { Refusal } from '../../src/flows/errors.ts'
import type { Cluster, Deps } from './cluster.ts'
import type { Simulation } from './simulation.ts'

export type ClientCall<Answer> = Readonly<{
  name: string
  ask: (deps: Deps) => Promise<Answer>
  /** Called for every answer, including one that arrives after the client's timeout. */
  answered: (answer: Answer) => void
  refused?: (refusal: Refusal) => void
  onRetry?: () => void
}>

const NO_ANSWER_MS = 8_000
const NO_PROCESS_MS = 3_000

export function callUntilAnswered<Answer>(sim: Simulation, cluster: Cluster, call: ClientCall<Answer>): void {
  const { scheduler, random } = sim
  const { name, ask, answered, refused, onRetry } = call
  let isOver = false
  sim.pending += 1

  function end(how: string): void {
    sim.note(`${name}: ${how}`)
    if (!isOver) sim.pending -= 1
    isOver = true
  }

  function retryCall(): void {
    if (isOver) return
    onRetry?.()
    attempt()
  }

  function attempt(): void {
    const api = cluster.any('api')
    sim.note(`${name} asks ${api?.process.name ?? 'nobody'}`)
    const retry = scheduler.after(api === undefined ? NO_PROCESS_MS : NO_ANSWER_MS, retryCall)
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
        sim.reportFault(name, error)
        if (scheduler.cancel(retry)) scheduler.after(random.integer(100, 2_000), retryCall)
      },
    )
  }

  attempt()
}
