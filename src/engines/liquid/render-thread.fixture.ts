/** A thread for tests that obeys the texts it gets instead of rendering them. */
import { workerData } from 'node:worker_threads'
import { serveThread } from '../../lib/thread-rpc.ts'
import { BEGUN, IDLE, JOB, type JobDone, type RenderMethods, type RenderThreadData } from './render-jobs.ts'

const { progress, niceness } = workerData as RenderThreadData

function obey(text: string, millis: number): JobDone {
  const [order, value = ''] = text.split(' ')
  switch (order) {
    case 'hang':
      for (;;);
    case 'exit':
      return process.exit()
    case 'throw':
      throw new TypeError('a bug')
    case 'work':
      // Takes as much CPU as it says, or as much as it may.
      return {
        result: Number(value) > millis ? { kind: 'too-much', part: 'text' } : { kind: 'ok', texts: { text } },
        isTime: Number(value) > millis,
        millis: Math.min(Number(value), millis),
      }
    default:
      return { result: { kind: 'ok', texts: { text: `${text} at ${niceness}` } }, isTime: false, millis: 0.1 }
  }
}

await serveThread<RenderMethods>(() => ({
  methods: {
    work(jobs, millis) {
      const done: JobDone[] = []
      for (const [nth, { texts }] of jobs.entries()) {
        Atomics.store(progress, JOB, nth)
        Atomics.add(progress, BEGUN, 1)
        const last = obey(texts.text, millis)
        done.push(last)
        if (last.millis >= 5) break
      }
      Atomics.store(progress, JOB, IDLE)
      return done
    },
  },
}))
