/** A thread that dies of the first message, for tests. */
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', () => {
  throw new Error('broken')
})
