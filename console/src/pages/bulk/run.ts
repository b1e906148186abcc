/**
 * Sends the items of a file in batches, a few at a time. It waits when the gateway asks for it, repeats what was not
 * answered or not possible at the moment, and can be paused. Repeating is safe: the idempotency keys stay the same.
 */
export type Outcome =
  | Readonly<{ kind: 'accepted'; id: string }>
  | Readonly<{ kind: 'refused'; code: string; detail: string }>
  /** No answer came: it may have been accepted. */
  | Readonly<{ kind: 'unconfirmed'; detail: string }>

export type RunItem = Readonly<{ line: number; body: Readonly<Record<string, unknown>> }>

type ItemError = Readonly<{ status?: number; error_code?: string; detail?: string; retry_after?: number }> &
  Readonly<{ details?: readonly Readonly<{ path: string; message: string }>[] }>

/** The answer of the gateway to a batch. `lost`: none came, or none that says what became of the items. */
export type Answer =
  | Readonly<{ kind: 'results'; results: readonly Readonly<{ index: number; id?: string; error?: ItemError }>[] }>
  | Readonly<{ kind: 'later'; seconds: number }>
  | Readonly<{ kind: 'refused'; error: ItemError }>
  | Readonly<{ kind: 'lost'; detail: string }>

export type RunDeps = Readonly<{
  post: (items: readonly RunItem['body'][]) => Promise<Answer>
  sleep: (ms: number) => Promise<void>
  onOutcomes: (outcomes: ReadonlyMap<number, Outcome>) => void
  /** Seconds until it goes on; zero once it does. */
  onWait: (seconds: number) => void
  /** Resolves once the run is not paused; false if it was cancelled. */
  mayGoOn: () => Promise<boolean>
}>

const MOST_ITEMS = 1000
/** A batch has at most 8 MiB. */
const MOST_CHARACTERS = 2 * 1024 * 1024
const IN_FLIGHT = 3
const MOST_TRIES = 6
const LONGEST_WAIT_SECONDS = 60

export async function run(deps: RunDeps, items: readonly RunItem[]): Promise<void> {
  const batches = toBatches(items).values()
  const sendNext = async (): Promise<void> => {
    for (const batch of batches) if (!(await sendBatch(deps, batch))) return
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendNext))
}

/** In characters, of which none takes more than four bytes. */
export function toBatches(items: readonly RunItem[]): readonly (readonly RunItem[])[] {
  const batches: RunItem[][] = []
  let size = 0
  for (const item of items) {
    const own = JSON.stringify(item.body).length + 1
    const last = batches.at(-1)
    if (last === undefined || last.length === MOST_ITEMS || size + own > MOST_CHARACTERS) {
      batches.push([item])
      size = own
    } else {
      last.push(item)
      size += own
    }
  }
  return batches
}

/** False if the run was cancelled. */
async function sendBatch(deps: RunDeps, batch: readonly RunItem[]): Promise<boolean> {
  let rest = batch
  let tries = 0
  while (rest.length > 0) {
    if (!(await deps.mayGoOn())) return false
    const answer = await deps.post(rest.map(({ body }) => body))
    // Being asked to wait is no failure.
    if (answer.kind !== 'later') tries += 1
    const { outcomes, again, waitSeconds } = read(answer, rest, tries)
    deps.onOutcomes(outcomes)
    rest = again
    if (rest.length > 0) await wait(deps, waitSeconds)
  }
  return true
}

async function wait({ sleep, onWait }: RunDeps, seconds: number): Promise<void> {
  onWait(seconds)
  await sleep(seconds * 1000)
  onWait(0)
}

type Read = Readonly<{ outcomes: ReadonlyMap<number, Outcome>; again: readonly RunItem[]; waitSeconds: number }>

function read(answer: Answer, items: readonly RunItem[], tries: number): Read {
  const isLast = tries >= MOST_TRIES
  const all = (outcome: Outcome): Read['outcomes'] => new Map(items.map(({ line }) => [line, outcome]))
  const backOff = Math.min(LONGEST_WAIT_SECONDS, 2 ** (tries - 1))
  switch (answer.kind) {
    case 'results':
      return readResults(answer.results, items, isLast, backOff)
    case 'refused':
      return { outcomes: all(toRefused(answer.error)), again: [], waitSeconds: 0 }
    case 'later':
      // The gateway says when: it has not taken anything, and waiting costs nothing.
      return { outcomes: new Map(), again: items, waitSeconds: Math.max(1, answer.seconds) }
    case 'lost':
      return isLast
        ? { outcomes: all({ kind: 'unconfirmed', detail: answer.detail }), again: [], waitSeconds: 0 }
        : { outcomes: new Map(), again: items, waitSeconds: backOff }
  }
}

export type Results = Extract<Answer, { kind: 'results' }>['results']

function readResults(results: Results, items: readonly RunItem[], isLast: boolean, backOff: number): Read {
  const outcomes = new Map<number, Outcome>()
  const again: RunItem[] = []
  let waitSeconds = backOff
  for (const { index, id, error } of results) {
    const item = items[index]
    if (item === undefined) continue
    if (id !== undefined) outcomes.set(item.line, { kind: 'accepted', id })
    else if (error !== undefined && !isLast && isTemporary(error)) {
      again.push(item)
      waitSeconds = Math.max(waitSeconds, error.retry_after ?? 0)
    } else outcomes.set(item.line, toRefused(error ?? {}))
  }
  return { outcomes, again, waitSeconds }
}

/** Not a quota of a day: whoever sends decides what to do about it. */
const isTemporary = ({ status = 0, retry_after: seconds = 0 }: ItemError): boolean =>
  status >= 500 && status !== 507 ? true : status === 429 && seconds > 0 && seconds <= LONGEST_WAIT_SECONDS

function toRefused({ error_code: code = 'UNKNOWN', detail = '', details = [] }: ItemError): Outcome {
  const fields = details.map(({ path, message }) => `${path} ${message}`).join('; ')
  return { kind: 'refused', code, detail: fields === '' ? detail : fields }
}
