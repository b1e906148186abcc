/**
 * One replay at a time: a few seconds to undo it, then the run, then the result. It continues while other pages are
 * open.
 */
import { makeStore, useStore } from '../../store.ts'
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import { showToast } from '../../ui/toast.tsx'
import { add, EMPTY_TALLY, type Plan, replayPlan, type Tally } from './replay.ts'

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

/** Calls the watcher on every change, until the returned function is called. */
export const onRunChange = current.watch

export const isBusy = (one: Run | undefined): boolean => one?.kind === 'waiting' || one?.kind === 'running'

/** The index lags the log by a moment. */
const INDEXED_MS = 500

/** Whether data fetched at that time may still show replayed messages. */
export const isOutdated = (one: Run | undefined, fetchedAt: number): boolean =>
  one?.kind === 'over' && fetchedAt < one.at + INDEXED_MS

export function startReplay(plan: Plan): void {
  if (isBusy(current.get())) return
  current.set({ kind: 'waiting', plan, tally: EMPTY_TALLY })
  timer = setTimeout(() => void runPlan(plan), UNDO_SECONDS * 1000)
}

export function undo(): void {
  if (current.get()?.kind !== 'waiting') return
  clearTimeout(timer)
  current.set(undefined)
}

/** Cancels a replay that has not started: undo is only available on this page. */
export function cancelOnLeave(): void {
  if (current.get()?.kind !== 'waiting') return
  undo()
  showToast(DEAD_LETTERS_TEXTS.run.left)
}

export function stop(): void {
  const run = current.get()
  if (run?.kind === 'running') current.set({ ...run, stopping: true })
}

export const dismiss = (): void => current.set(undefined)

async function runPlan(plan: Plan): Promise<void> {
  let tally = EMPTY_TALLY
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
