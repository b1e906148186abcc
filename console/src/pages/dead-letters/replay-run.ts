/**
 * Replaying: first a few seconds in which it can be undone, then one after another or all at once, then what came of
 * it. There is one run at a time, and it goes on while one looks at other pages.
 */
import { useSyncExternalStore } from 'react'
import { TEXTS } from '../../texts.ts'
import { tell } from '../../ui/toast.tsx'
import { add, NOTHING, type Plan, replayPlan, type Tally } from './replay.ts'

export type Run = Readonly<{ plan: Plan; tally: Tally }> &
  (
    | Readonly<{ kind: 'waiting' }>
    | Readonly<{ kind: 'running'; stopping: boolean }>
    | Readonly<{ kind: 'over'; end: 'done' | 'stopped' }>
    | Readonly<{ kind: 'over'; end: 'failed'; failure: unknown }>
  )

export const UNDO_SECONDS = 5

const watchers = new Set<() => void>()
let run: Run | undefined
let timer: ReturnType<typeof setTimeout> | undefined

function change(next: Run | undefined): void {
  run = next
  for (const watcher of watchers) watcher()
}

export const isBusy = (one: Run | undefined): boolean => one?.kind === 'waiting' || one?.kind === 'running'

export function begin(plan: Plan): void {
  if (isBusy(run)) return
  change({ kind: 'waiting', plan, tally: NOTHING })
  timer = setTimeout(() => void carryOut(plan), UNDO_SECONDS * 1000)
}

export function undo(): void {
  if (run?.kind !== 'waiting') return
  clearTimeout(timer)
  change(undefined)
}

/** Nobody who is not there could undo it. */
export function leave(): void {
  if (run?.kind !== 'waiting') return
  undo()
  tell(TEXTS.deadLetters.run.left)
}

export function stop(): void {
  if (run?.kind === 'running') change({ ...run, stopping: true })
}

export const dismiss = (): void => change(undefined)

async function carryOut(plan: Plan): Promise<void> {
  let tally = NOTHING
  change({ kind: 'running', plan, tally, stopping: false })
  try {
    for await (const step of replayPlan(plan)) {
      tally = add(tally, step)
      if (isStopping()) return change({ kind: 'over', end: 'stopped', plan, tally })
      change({ kind: 'running', plan, tally, stopping: false })
    }
    change({ kind: 'over', end: 'done', plan, tally })
  } catch (failure) {
    change({ kind: 'over', end: 'failed', plan, tally, failure })
  }
}

const isStopping = (): boolean => run?.kind === 'running' && run.stopping

export const useRun = (): Run | undefined =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => run,
  )
