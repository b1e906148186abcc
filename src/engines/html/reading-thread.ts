/** A thread that does nothing but read html, behind those who answer callers and send. */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import { findFlaws } from './flaws.ts'

export type Read = Readonly<{ flaws: readonly HtmlFlaw[] } | { failure: string }>

/** Low, and not the lowest: mail waits for it. */
const LOW_PRIORITY = 10

if (parentPort === null) throw new Error('reading-thread.ts runs as a worker thread')
const port = parentPort
stepBack()
port.on('message', (html: string) => port.postMessage(read(html)))

/** What went wrong is told by its name: a message could quote the html. */
function read(html: string): Read {
  try {
    return { flaws: findFlaws(html) }
  } catch (error) {
    return { failure: error instanceof Error ? error.name : typeof error }
  }
}

/** On Linux each thread has a priority of its own. It reads as well at the one it has. */
function stepBack(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number.parseInt(readFileSync('/proc/thread-self/stat', 'utf8'), 10), LOW_PRIORITY)
  } catch {
    return
  }
}
