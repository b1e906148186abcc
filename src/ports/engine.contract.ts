/** The tests of every log and queue. An engine's own test file only opens the engine. */
import { eventLogContract } from './event-log.contract.ts'
import { queueContract } from './queue.contract.ts'
import type { OpenEngine } from './samples.contract.ts'

export function engineContract(engine: string, open: OpenEngine): void {
  eventLogContract(engine, open)
  queueContract(engine, open)
}
