/** Whether the broker can do what it is for: every stream answers, and those with replicas have a leader. */
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

export type Check = Readonly<{ ok: boolean; detail?: string }>

export async function checkHealth(js: JetStream, names: Names): Promise<Readonly<Record<string, Check>>> {
  const [log, keys, ...jobs] = await Promise.all([names.log, names.keys, ...names.jobs].map((name) => check(js, name)))
  return { log: log ?? OK, keys: keys ?? OK, queue: jobs.find(({ ok }) => !ok) ?? OK }
}

const OK: Check = { ok: true }

/** A stream without a leader does not answer at all. */
async function check(js: JetStream, stream: string): Promise<Check> {
  try {
    await js.api(`STREAM.INFO.${stream}`)
    return OK
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'it does not answer' }
  }
}
