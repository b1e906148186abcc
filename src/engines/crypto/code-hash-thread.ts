/**
 * A thread that does nothing but bcrypt, at the lowest priority there is: it uses what is left of the
 * cores, and whoever sends goes first.
 */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/bcrypt'

/** `keyed` is what is left of a code under the pepper; it is compared with `hash`, or hashed at `cost`. */
export type Task = Readonly<{ keyed: string } & ({ hash: string } | { cost: number })>
export type Done = Readonly<{ result: string | boolean } | { failure: string }>

const LOWEST_PRIORITY = 19

if (parentPort === null) throw new Error('code-hash-thread.ts runs as a worker thread')
const port = parentPort
stepBack()
port.on('message', (task: Task) => port.postMessage(perform(task)))

function perform(task: Task): Done {
  try {
    return { result: 'hash' in task ? verifySync(task.keyed, task.hash) : hashSync(task.keyed, task.cost) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Linux knows a priority of each thread, by the number that it has for itself. Elsewhere all stay as they are. */
function stepBack(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number.parseInt(readFileSync('/proc/thread-self/stat', 'utf8'), 10), LOWEST_PRIORITY)
  } catch {
    // It hashes as well at the priority it has.
  }
}
