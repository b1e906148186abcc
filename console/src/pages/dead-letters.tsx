/** Messages given up on after their last attempt: why, which, and sending them again. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useLive } from '../api/live.ts'
import { may, useSession } from '../api/session.ts'
import '../styles/dead-letters.css'
import { TEXTS } from '../texts.ts'
import { useKeys } from '../ui/keys.ts'
import { Button, Empty, Failure, Loading, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Filters } from './dead-letters/filters.tsx'
import { LetterList } from './dead-letters/letter-list.tsx'
import { countOf, lookAgain, type Reason, SOUGHT, type Sought, timesOf, useReasons } from './dead-letters/letters.ts'
import { Reasons } from './dead-letters/reasons.tsx'
import { ReplayPanel } from './dead-letters/replay-panel.tsx'
import { begin, isBusy, isOutdated, leave, onRunChange, undo, useRun } from './dead-letters/replay-run.ts'

const T = TEXTS.deadLetters

export function DeadLetters() {
  const [sought, change] = useParams(SOUGHT)
  const run = useRun()
  const mayReplay = may(useSession(), 'messages:write')
  const { data, error, isPending, dataUpdatedAt } = useReasons(sought)
  const isOld = isOutdated(run, dataUpdatedAt)
  const busy = isBusy(run) || isOld
  const reasons = data?.items
  const total = countOf({}, reasons)
  const isSought = Object.keys(sought).length > 0
  useFreshness(isOld ? dataUpdatedAt : undefined)
  useEffect(() => leave, [])
  useKeys({ u: undo })
  const replay = (chosen: Sought, count: number): void =>
    begin({ kind: 'matching', sought: { ...timesOf(sought), ...chosen }, total: count })

  return (
    <>
      <PageHead
        title={TEXTS.pages.deadLetters}
        about={T.about}
        actions={
          mayReplay &&
          !isOld &&
          total !== undefined &&
          total > 0 && (
            <Button disabled={busy} onClick={() => replay({}, total)}>
              {T.replayAll(total)}
            </Button>
          )
        }
      />
      <div className="stack">
        {run !== undefined && <ReplayPanel run={run} />}
        {isPending && <Loading />}
        {error !== null && <Failure error={error} />}
        {total === 0 && !isSought && <Nothing />}
        {reasons !== undefined && reasons.length > 0 && (
          <Reasons
            reasons={reasons}
            sought={sought}
            busy={busy}
            onChoose={(chosen) => change({ error: undefined, channel: undefined, provider: undefined, ...chosen })}
            onReplay={mayReplay ? replay : undefined}
          />
        )}
        {(total !== 0 || isSought) && !isPending && (
          <Letters sought={sought} reasons={reasons} mayReplay={mayReplay} busy={busy} onChange={change} />
        )}
      </div>
    </>
  )
}

type LettersProps = Readonly<{
  sought: Sought
  reasons: readonly Reason[] | undefined
  mayReplay: boolean
  busy: boolean
  onChange: (changes: Partial<Record<keyof Sought, string | undefined>>) => void
}>

const Letters = ({ sought, reasons, mayReplay, busy, onChange }: LettersProps) => (
  <section aria-label={T.list}>
    <Filters sought={sought} providers={providersOf(reasons ?? [])} onChange={onChange} />
    <LetterList
      key={JSON.stringify(sought)}
      sought={sought}
      count={countOf(sought, reasons)}
      mayReplay={mayReplay}
      busy={busy}
      onChange={onChange}
    />
  </section>
)

const providersOf = (reasons: readonly Reason[]): readonly string[] =>
  [...new Set(reasons.flatMap(({ provider }) => (provider === null ? [] : [provider])))].sort()

const Nothing = () => (
  <Empty>
    <strong>{T.nothing}</strong>
    <span>{T.nothingHint}</span>
    <Link href="/simulator">{T.toSimulator}</Link>
  </Empty>
)

const PAUSE_MS = 1_000

/**
 * Looks again when a message has failed, one that had is on its way again or a run goes on, and until what was seen is
 * not `outdated`; once in a second at most.
 */
function useFreshness(outdated: number | undefined): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const lookSoon = useCallback((): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void lookAgain(queries)
    }, PAUSE_MS)
  }, [queries])
  useLive((events) => {
    if (events.some(({ data }) => data.newStatus === 'failed' || data.previousStatus === 'failed')) lookSoon()
  })
  useEffect(() => {
    if (outdated !== undefined) lookSoon()
  }, [outdated, lookSoon])
  useEffect(() => {
    // It may have gone on while one was elsewhere.
    lookSoon()
    const unwatch = onRunChange(lookSoon)
    return () => {
      unwatch()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [lookSoon])
}
