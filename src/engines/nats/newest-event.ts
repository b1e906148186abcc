/**
 * The newest event that is still stored. The broker counts on when the last events of the log are deleted, so a reader
 * that waits for the log's tip would wait for the next event.
 */
import { type Position, START } from '../../ports/event-log.ts'
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

type Info = Readonly<{ state: Readonly<{ messages: number; first_seq: number; last_seq: number }> }>

/** Usually the first guess is right; otherwise it halves the range between an event and the deleted end of the log. */
export async function newestEvent({ js, names }: Readonly<{ js: JetStream; names: Names }>): Promise<Position> {
  const { state } = await js.api<Info>(`STREAM.INFO.${names.log}`)
  if (state.messages === 0) return START
  let [stored, end] = [state.first_seq, state.last_seq + 1]
  for (let guess = state.last_seq; stored + 1 < end; guess = Math.floor((stored + end) / 2)) {
    const next = await js.get(names.log, { seq: guess, next_by_subj: names.event('*') })
    if (next === undefined) end = guess
    else stored = next.seq
  }
  return stored as Position
}
