/**
 * Replaying: first a few seconds in which it can be undone, then one after another or all at once, then what came of
 * it. There is one run at a time, and it goes on while one looks at other pages.
 */
import { makeStore, useStore } from '../../store.ts'
import { TEXTS } from '../../texts.ts'
import { tell } from '../../ui/toast.tsx'
import { add, NOTHING, type Plan, replayPlan, type Tally } from './replay.ts'

export type Run = Readonly<{ plan: Plan; tally: Tally }> &
  (
    | Readonly<{ kind: 'waiting' }>
    | Readonly<{ kind: 'running'; stopping: boolean }>
    | Readonly<{ kind: 'over'; at: number; end: 'done' | 'stopped' }>
    | Readonly<{ kind: 'over'; at: number; end: 'failed'; failure: unknown }>
  )

export const UNDO_SECONDS = 5

const current = makeStore<Run | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

export const useRun = (): Run | undefined => useStore(current)

/** Calls whenever one begins, goes on or ends, until the answer is called. */
export const onRunChange = current.watch

export const isBusy = (one: Run | undefined): boolean => one?.kind === 'waiting' || one?.kind === 'running'

/** The index is written a moment after what it tells of. */
const INDEXED_MS = 500

/** Whether what was looked at then may still show what has been replayed. */
export const isOutdated = (one: Run | undefined, lookedAt: number): boolean =>
  one?.kind === 'over' && lookedAt < one.at + INDEXED_MS

export function begin(plan: Plan): void {
  if (isBusy(current.get())) return
  current.set({ kind: 'waiting', plan, tally: NOTHING })
  timer = setTimeout(() => void carryOut(plan), UNDO_SECONDS * 1000)
}

export function undo(): void {
  if (current.get()?.kind !== 'waiting') return
  clearTimeout(timer)
  current.set(undefined)
}

/** Nobody who is not there could undo it. */
export function leave(): void {
  if (current.get()?.kind !== 'waiting') return
  undo()
  tell(TEXTS.deadLetters.run.left)
}

export function stop(): void {
  const run = current.get()
  if (run?.kind === 'running') current.set({ ...run, stopping: true })
}

export const dismiss = (): void => current.set(undefined)

async function carryOut(plan: Plan): Promise<void> {
  let tally = NOTHING
  current.set({ kind: 'running', plan, tally, stopping: false })
  try {
    for await (const step of replayPlan(plan)) {
      tally = add(tally, step)
      if (isStopping()) return current.set({ kind: 'over', at: Date.now(), end: 'stopped', plan, tally })
      current.set({ kind: 'running', plan, tally, stopping: false })
    }
    current.set({ kind: 'over', at: Date.now(), end: 'done', plan, tally })
  } catch (failure) {
    current.set({ kind: 'over', at: Date.now(), end: 'failed', plan, tally, failure })
  }
}

function isStopping(): boolean {
  const run = current.get()
  return run?.kind === 'running' && run.stopping
}
