/** The list of dead letters with its selection and toolbar. Remounted when the filters change. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import { useKeys } from '../../ui/keys.ts'
import { toCount } from '../../ui/numbers.ts'
import { Button, Empty, Failure, Loading } from '../../ui/parts.tsx'
import { LetterTable } from './letter-table.tsx'
import { FILTER_NAMES, type LetterFilters, matchesFilters, useLetters } from './letters.ts'
import { startReplay } from './replay-run.ts'
import { type Selection, useSelection } from './selection.ts'

const T = DEAD_LETTERS_TEXTS

type ListProps = Readonly<{
  filters: LetterFilters
  /** How many match, if known. */
  count: number | undefined
  mayReplay: boolean
  /** A replay is in progress. */
  busy: boolean
  onChange: (changes: Partial<Record<keyof LetterFilters, undefined>>) => void
}>

export function LetterList({ filters, count, mayReplay, busy, onChange }: ListProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useLetters(filters)
  const letters = (data?.pages ?? []).flatMap(({ items }) => items).filter((letter) => matchesFilters(filters, letter))
  const selection = useSelection(letters)
  const total = hasNextPage ? count : letters.length
  if (isPending) return <Loading />
  if (error !== null) return <Failure error={error} />
  if (letters.length === 0 && !hasNextPage) return <NoMatch onClear={() => onChange(NO_FILTERS)} />

  return (
    <div className="letter-list">
      <Toolbar
        onAnyReason={() => onChange({ error: undefined })}
        selection={selection}
        shown={letters.length}
        total={total}
        filters={filters}
        hasMore={hasNextPage}
        mayReplay={mayReplay}
        busy={busy}
      />
      <LetterTable letters={letters} selection={selection} selectable={mayReplay} />
      <div className="letter-foot">
        {hasNextPage && (
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {COMMON_TEXTS.more}
          </Button>
        )}
        {mayReplay && <KeysHint />}
      </div>
    </div>
  )
}

const NO_FILTERS = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))

const NoMatch = ({ onClear }: Readonly<{ onClear: () => void }>) => (
  <Empty>
    <span>{T.noMatch}</span>
    <Button onClick={onClear}>{T.clearAll}</Button>
  </Empty>
)

type ToolbarProps = Readonly<{
  selection: Selection
  shown: number
  total: number | undefined
  filters: LetterFilters
  hasMore: boolean
  mayReplay: boolean
  busy: boolean
  onAnyReason: () => void
}>

function Toolbar({ selection, shown, total, filters, hasMore, mayReplay, busy, onAnyReason }: ToolbarProps) {
  const { ids, isAllMatching } = selection
  const replay = (): void => {
    if (ids.length === 0 || busy) return
    startReplay(isAllMatching ? { kind: 'matching', filters, total } : { kind: 'these', ids })
    selection.clear()
  }
  useKeys(mayReplay ? { r: replay } : {})
  return (
    <div className="letter-tools">
      <span className="nums" role="status">
        {isAllMatching ? T.selectedAll(total) : T.selected(ids.length, total, shown)}
      </span>
      {filters.error !== undefined && <ChosenReason code={filters.error} onClear={onAnyReason} />}
      {hasMore && !isAllMatching && ids.length > 0 && ids.length === shown && (
        <Button kind="plain" className="link" onClick={selection.selectAllMatching}>
          {total === undefined ? T.takeAll : T.takeAllOf(toCount(total))}
        </Button>
      )}
      {ids.length > 0 && (
        <Button kind="plain" className="link" onClick={selection.clear}>
          {T.clearSelection}
        </Button>
      )}
      {mayReplay && (
        <Button kind="primary" disabled={busy || ids.length === 0} onClick={replay} aria-keyshortcuts="r">
          {T.replaySelected}
        </Button>
      )}
    </div>
  )
}

const ChosenReason = ({ code, onClear }: Readonly<{ code: string; onClear: () => void }>) => (
  <span className="chosen-reason">
    <code>{code}</code>
    <Button kind="plain" aria-label={T.anyReason} onClick={onClear}>
      ×
    </Button>
  </span>
)

const KeysHint = () => (
  <p className="soft keys-hint">
    {T.keys.map(([key, about]) => (
      <span key={key}>
        <kbd>{key}</kbd> {about}
      </span>
    ))}
  </p>
)
