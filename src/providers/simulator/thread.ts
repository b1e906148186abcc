/**
 * The thread that owns the simulator's file. Whatever waits when a commit ends goes into the next
 * one, and all of it is answered in one message: group commit without a timer.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { attempt, SimulatorStore } from './store.ts'
import type { Answer, Asked, Place, Ready, Reply, Request, ThreadData, Written } from './wire.ts'

if (parentPort === null) throw new Error('simulator-thread.ts runs as a worker thread')
const port = parentPort
const store = new SimulatorStore(workerData as ThreadData)
const settled = new Map<string, Place>()

port.on('message', (first: readonly Asked[]) => {
  const asked = [...first]
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    asked.push(...(next.message as readonly Asked[]))
  }
  const written = write(asked)
  const replies = asked.map((one) => replyTo(one, written))
  const closing = asked.some(({ request }) => request.kind === 'close')
  if (closing) store.close()
  port.postMessage(replies)
  if (!closing) store.fileChapter()
})
port.postMessage({ owed: store.owed() } satisfies Ready)

function write(asked: readonly Asked[]): Written {
  const receptions = asked.flatMap(({ request }) => (request.kind === 'receive' ? [request] : []))
  for (const { request } of asked) {
    if (request.kind === 'collect') settled.set(request.callback, request.settled)
    if (request.kind === 'close') for (const [callback, place] of request.settled) settled.set(callback, place)
  }
  return store.write(receptions, settled)
}

function replyTo({ id, request }: Asked, written: Written): Reply {
  let answer: Answer
  const failed = attempt(() => {
    answer = answerTo(request, written)
  })
  return failed === undefined ? { id, answer } : { id, failure: failed.errstr }
}

/** Reads come after the commit, so that nothing is told that a failed commit takes back. */
function answerTo(request: Request, written: Written): Answer {
  switch (request.kind) {
    case 'receive':
      return written
    case 'collect':
      return store.collect(request.callback, request.now, request.settled)
    case 'find':
      return store.find(request.attemptId)
    case 'inbox':
      return store.inbox(request.query)
    case 'mail':
      return store.mail(request.query)
    case 'doubles':
      return store.doubles()
    case 'close':
      return undefined
  }
}
