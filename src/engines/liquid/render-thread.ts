/** A thread that renders templates. Several travel together; what takes long goes back, so that the others need not wait. */
import { workerData } from 'node:worker_threads'
import type { TemplateData } from '../../domain/directory/template-data.ts'
import { ownThreadId } from '../../lib/thread-cpu.ts'
import { serveThread } from '../../lib/thread-rpc.ts'
import { cpuMillis } from './budget.ts'
import {
  BEGUN,
  IDLE,
  JOB,
  type JobDone,
  type RenderJob,
  type RenderMethods,
  type RenderThreadData,
  THREAD,
} from './render-jobs.ts'
import { openRendering, type Rendering } from './rendering.ts'

/** A turn ends after this much CPU time, or this many rendered characters. */
const TURN_MS = 5
const TURN_CHARACTERS = 1024 * 1024

const { niceness, progress } = workerData as RenderThreadData

const lengthOf = ({ result }: Pick<JobDone, 'result'>): number =>
  'texts' in result ? result.texts.text.length + (result.texts.html?.length ?? 0) : 0

function open() {
  const rendering = openRendering()

  function perform({ texts, key, data }: RenderJob, millis: number): Omit<JobDone, 'millis'> {
    if (data === undefined) return { result: rendering.check(texts), isTime: false }
    return rendering.render(texts, JSON.parse(data) as TemplateData, { key, millis })
  }

  function work(jobs: readonly RenderJob[], millis: number): readonly JobDone[] {
    const done: JobDone[] = []
    const begunAt = cpuMillis()
    let [before, characters] = [begunAt, 0]
    for (const [nth, job] of jobs.entries()) {
      if (before - begunAt >= TURN_MS || characters >= TURN_CHARACTERS) break
      Atomics.store(progress, JOB, nth)
      Atomics.add(progress, BEGUN, 1)
      const performed = perform(job, millis)
      const now = cpuMillis()
      done.push({ ...performed, millis: now - before })
      before = now
      characters += lengthOf(performed)
    }
    Atomics.store(progress, JOB, IDLE)
    return done
  }

  Atomics.store(progress, THREAD, ownThreadId() ?? 0)
  warmUp(rendering)
  return { methods: { work } }
}

/** The first renders take many times as long as later ones. */
function warmUp({ render }: Rendering): void {
  const text = '{% if name %}{{ name | upcase }}{% endif %}{% for one in all %}{{ one.id }}{% endfor %}'
  for (let time = 0; time < 20; time += 1) render({ text, html: text }, { name: 'Ana', all: [{ id: time }] })
}

await serveThread<RenderMethods>(open, {
  niceness,
  // Not its message, which could quote the data.
  encodeError: (error) => error.name,
})
