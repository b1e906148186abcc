/** The dead letters page: counts by reason, the list, and replay. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useLive } from '../api/live.ts'
import { hasScope, useSession } from '../api/session.ts'
import '../styles/dead-letters.css'
import { DEAD_LETTERS_TEXTS } from '../texts/dead-letters.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { useKeys } from '../ui/keys.ts'
import { Button, Empty, Failure, Loading, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Filters } from './dead-letters/filters.tsx'
import { LetterList } from './dead-letters/letter-list.tsx'
import {
  countOf,
  FILTER_NAMES,
  type LetterFilters,
  type Reason,
  refetchLetters,
  timesOf,
  useReasons,
} from './dead-letters/letters.ts'
import { Reasons } from './dead-letters/reasons.tsx'
import { ReplayPanel } from './dead-letters/replay-panel.tsx'
import { cancelOnLeave, isBusy, isOutdated, onRunChange, startReplay, undo, useRun } from './dead-letters/replay-run.ts'

const T = DEAD_LETTERS_TEXTS

export function DeadLetters() {
  const [filters, change] = useParams(FILTER_NAMES)
  const run = useRun()
  const mayReplay = hasScope(useSession(), 'messages:write')
  const { data, error, isPending, dataUpdatedAt } = useReasons(filters)
  const isOld = isOutdated(run, dataUpdatedAt)
  const busy = isBusy(run) || isOld
  const reasons = data?.items
  const total = countOf({}, reasons)
  const isFiltered = Object.keys(filters).length > 0
  useFreshness(isOld ? dataUpdatedAt : undefined)
  useEffect(() => cancelOnLeave, [])
  useKeys({ u: undo })
  const replay = (chosen: LetterFilters, count: number): void =>
    startReplay({ kind: 'matching', filters: { ...timesOf(filters), ...chosen }, total: count })

  return (
    <>
      <PageHead
        title={PAGES_TEXTS.deadLetters}
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
        {total === 0 && !isFiltered && <NoLetters />}
        {reasons !== undefined && reasons.length > 0 && (
          <Reasons
            reasons={reasons}
            filters={filters}
            busy={busy}
            onChoose={(chosen) => change({ error: undefined, channel: undefined, provider: undefined, ...chosen })}
            onReplay={mayReplay ? replay : undefined}
          />
        )}
        {(total !== 0 || isFiltered) && !isPending && (
          <Letters filters={filters} reasons={reasons} mayReplay={mayReplay} busy={busy} onChange={change} />
        )}
      </div>
    </>
  )
}

type LettersProps = Readonly<{
  filters: LetterFilters
  reasons: readonly Reason[] | undefined
  mayReplay: boolean
  busy: boolean
  onChange: (changes: Partial<Record<keyof LetterFilters, string | undefined>>) => void
}>

const Letters = ({ filters, reasons, mayReplay, busy, onChange }: LettersProps) => (
  <section aria-label={T.list}>
    <Filters filters={filters} onChange={onChange} />
    <LetterList
      key={JSON.stringify(filters)}
      filters={filters}
      count={countOf(filters, reasons)}
      mayReplay={mayReplay}
      busy={busy}
      onChange={onChange}
    />
  </section>
)

const NoLetters = () => (
  <Empty>
    <strong>{T.nothing}</strong>
    <span>{T.nothingHint}</span>
    <Link href="/send">{T.toSend}</Link>
  </Empty>
)

const PAUSE_MS = 1_000

/**
 * Refreshes at most once a second: on live events that concern failed messages, on every change of a replay, and until
 * the data is no longer `outdated`.
 */
function useFreshness(outdated: number | undefined): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refreshSoon = useCallback((): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refetchLetters(queries)
    }, PAUSE_MS)
  }, [queries])
  useLive((events) => {
    if (events.some(({ data }) => data.newStatus === 'failed' || data.previousStatus === 'failed')) refreshSoon()
  })
  useEffect(() => {
    if (outdated !== undefined) refreshSoon()
  }, [outdated, refreshSoon])
  useEffect(() => {
    // A replay may have progressed while another page was open.
    refreshSoon()
    const unwatch = onRunChange(refreshSoon)
    return () => {
      unwatch()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [refreshSoon])
}
