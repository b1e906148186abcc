/** What the streams occupy at the broker, without replicas. */
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

type Info = Readonly<{ state: Readonly<{ bytes: number }> }>
export type StreamBytes = Readonly<Record<'log' | 'keys' | 'contents' | 'receipts' | 'jobs', number>>

export async function streamBytes(js: JetStream, names: Names): Promise<StreamBytes> {
  const of = async (...streams: readonly string[]): Promise<number> => {
    const all = await Promise.all(streams.map((stream) => js.api<Info>(`STREAM.INFO.${stream}`)))
    return all.reduce((sum, { state }) => sum + state.bytes, 0)
  }
  const [log, keys, contents, receipts, jobs] = await Promise.all([
    of(names.log),
    of(names.keys),
    of(names.contents),
    of(names.receipts),
    of(...names.jobs),
  ])
  return { log, keys, contents, receipts, jobs }
}
