/**
 * The send of a file, kept outside the page: its results stay when somebody leaves the page and comes back. It belongs
 * to the session that started it.
 */
import { api, toErrorText } from '../../api/client.ts'
import { currentSession, onSessionChange } from '../../api/session.ts'
import { makeStore, useStore } from '../../store.ts'
import type { Row } from './rows.ts'
import { type Answer, type Outcome, type Results, type RunItem, run } from './run.ts'

export type RunState = Readonly<{
  kind: 'running' | 'paused' | 'done' | 'cancelled'
  id: string
  batchId: string
  fileName: string
  rows: readonly Row[]
  items: readonly RunItem[]
  outcomes: ReadonlyMap<number, Outcome>
  waitSeconds: number
}>

const current = makeStore<RunState | undefined>(undefined)
let owner: string | undefined
let waiting: (() => void)[] = []

export const useRun = (): RunState | undefined => useStore(current)

export type Start = Pick<RunState, 'id' | 'batchId' | 'fileName' | 'rows' | 'items'>

export function startRun(start: Start): void {
  const session = currentSession()
  owner = session && toOwner(session)
  current.set({ ...start, kind: 'running', outcomes: new Map(), waitSeconds: 0 })
  void sendAll(start, start.items)
}

/** What was refused for a while, not confirmed, or not sent. */
export function sendRest(): void {
  const state = current.get()
  if (state === undefined) return
  change({ kind: 'running' })
  void sendAll(state, restOf(state))
}

export const restOf = ({ items, outcomes }: RunState): readonly RunItem[] =>
  items.filter(({ line }) => outcomes.get(line) === undefined || outcomes.get(line)?.kind === 'unconfirmed')

export const pauseRun = (): void => changeIf('running', 'paused')
export const resumeRun = (): void => changeIf('paused', 'running')

export function cancelRun(): void {
  changeIf('running', 'cancelled')
  changeIf('paused', 'cancelled')
}

export const clearRun = (): void => {
  cancelRun()
  current.set(undefined)
}

/** Of another tenant, or of another account of it. */
onSessionChange(() => {
  const session = currentSession()
  if (session !== undefined && toOwner(session) !== owner) clearRun()
})

const toOwner = ({ tenantId, accountId }: Readonly<{ tenantId: string; accountId: string }>): string =>
  `${tenantId}/${accountId}`

async function sendAll({ id, batchId }: Pick<RunState, 'id' | 'batchId'>, items: readonly RunItem[]): Promise<void> {
  const isCurrent = (): boolean => current.get()?.id === id
  await run(
    {
      post: (bodies) => post(batchId, bodies),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onOutcomes: (outcomes) => {
        const state = current.get()
        if (isCurrent() && state !== undefined) change({ outcomes: new Map([...state.outcomes, ...outcomes]) })
      },
      onWait: (waitSeconds) => isCurrent() && change({ waitSeconds }),
      mayGoOn: async () => {
        while (isCurrent() && current.get()?.kind === 'paused') {
          await new Promise<void>((resolve) => waiting.push(resolve))
        }
        return isCurrent() && current.get()?.kind === 'running'
      },
    },
    items,
  )
  if (isCurrent()) changeIf('running', 'done')
}

function change(changes: Partial<RunState>): void {
  const state = current.get()
  if (state === undefined) return
  current.set({ ...state, ...changes })
  const woken = waiting
  waiting = []
  for (const wake of woken) wake()
}

function changeIf(from: RunState['kind'], to: RunState['kind']): void {
  if (current.get()?.kind === from) change({ kind: to })
}

async function post(batchId: string, items: readonly RunItem['body'][]): Promise<Answer> {
  try {
    const { data, error, response } = await api.POST('/v1/messages/batch', {
      body: { batch_id: batchId, items: items as never },
    })
    if (data !== undefined) return { kind: 'results', results: data.results as Results }
    const { status, headers } = response
    const { detail = '', ...rest }: Partial<typeof error> = error
    if (status === 429 || status === 503) return { kind: 'later', seconds: secondsOf(headers.get('retry-after')) }
    if (status === 401) return askToSignIn()
    return status >= 500 ? { kind: 'lost', detail } : { kind: 'refused', error: { ...rest, detail } }
  } catch (error) {
    return { kind: 'lost', detail: toErrorText(error) }
  }
}

/** The session has ended: the run goes on when somebody of the tenant signs in again and resumes it. */
function askToSignIn(): Answer {
  pauseRun()
  return { kind: 'later', seconds: 1 }
}

/** Seconds, or a date. */
function secondsOf(header: string | null): number {
  const seconds = Number(header ?? 1)
  const until = Number.isNaN(seconds) ? (Date.parse(header ?? '') - Date.now()) / 1000 : seconds
  return Number.isFinite(until) ? Math.ceil(until) : 1
}
