/** The list of dead letters with what can be done to those selected; made anew when something else is sought. */
import { TEXTS } from '../../texts.ts'
import { useKeys } from '../../ui/keys.ts'
import { toCount } from '../../ui/numbers.ts'
import { Button, Empty, Failure, Loading } from '../../ui/parts.tsx'
import { LetterTable } from './letter-table.tsx'
import { isMeant, SOUGHT, type Sought, useLetters } from './letters.ts'
import { begin } from './replay-run.ts'
import { type Selection, useSelection } from './selection.ts'

const T = TEXTS.deadLetters

type ListProps = Readonly<{
  sought: Sought
  /** How many match, where that is known. */
  count: number | undefined
  mayReplay: boolean
  /** Nothing can be replayed now. */
  busy: boolean
  onChange: (changes: Partial<Record<keyof Sought, undefined>>) => void
}>

export function LetterList({ sought, count, mayReplay, busy, onChange }: ListProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useLetters(sought)
  const letters = (data?.pages ?? []).flatMap(({ items }) => items).filter((letter) => isMeant(sought, letter))
  const selection = useSelection(letters)
  const total = hasNextPage ? count : letters.length
  if (isPending) return <Loading />
  if (error !== null) return <Failure error={error} />
  if (letters.length === 0 && !hasNextPage) return <NoMatch onClear={() => onChange(NOTHING_SOUGHT)} />

  return (
    <div className="letter-list">
      <Toolbar
        onAnyReason={() => onChange({ error: undefined })}
        selection={selection}
        shown={letters.length}
        total={total}
        sought={sought}
        hasMore={hasNextPage}
        mayReplay={mayReplay}
        busy={busy}
      />
      <LetterTable letters={letters} selection={selection} selectable={mayReplay} />
      <div className="letter-foot">
        {hasNextPage && (
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {TEXTS.common.more}
          </Button>
        )}
        {mayReplay && <KeysHint />}
      </div>
    </div>
  )
}

const NOTHING_SOUGHT = Object.fromEntries(SOUGHT.map((name) => [name, undefined]))

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
  sought: Sought
  hasMore: boolean
  mayReplay: boolean
  busy: boolean
  onAnyReason: () => void
}>

function Toolbar({ selection, shown, total, sought, hasMore, mayReplay, busy, onAnyReason }: ToolbarProps) {
  const { ids, everything } = selection
  const replay = (): void => {
    if (ids.length === 0 || busy) return
    begin(everything ? { kind: 'matching', sought, total } : { kind: 'these', ids })
    selection.clear()
  }
  useKeys(mayReplay ? { r: replay } : {})
  return (
    <div className="letter-tools">
      <span className="nums" role="status">
        {everything ? T.selectedAll(total) : T.selected(ids.length, total, shown)}
      </span>
      {sought.error !== undefined && <ChosenReason code={sought.error} onClear={onAnyReason} />}
      {hasMore && !everything && ids.length > 0 && ids.length === shown && (
        <Button kind="plain" className="link" onClick={selection.takeEverything}>
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
