/** What the list is narrowed down by, each taken away by one press; and the link that shows somebody else the same. */
import { TEXTS } from '../../texts.ts'
import { Button } from '../../ui/parts.tsx'
import { tell } from '../../ui/toast.tsx'
import { activeFilters, type ChangeFilters, FILTER_NAMES, type Filters, toWords } from './filters.ts'

const T = TEXTS.messages

export function clearFilters(onChange: ChangeFilters): void {
  onChange(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))
}

export function ActiveFilters({ filters, onChange }: Readonly<{ filters: Filters; onChange: ChangeFilters }>) {
  const names = activeFilters(filters)
  if (names.length === 0) return null
  return (
    <div className="row messages-active">
      <ul aria-label={T.activeFilters}>
        {names.map((name) => {
          const words = `${T.names[name]}: ${toWords(name, filters[name] ?? '')}`
          return (
            <li key={name}>
              <Button aria-label={T.removeFilter(words)} onClick={() => onChange({ [name]: undefined })}>
                <span className="messages-words">{words}</span>
                <span aria-hidden="true">×</span>
              </Button>
            </li>
          )
        })}
      </ul>
      <Button kind="plain" onClick={() => clearFilters(onChange)}>
        {T.clear}
      </Button>
      <Button kind="plain" onClick={() => void copyLink()}>
        {T.copyLink}
      </Button>
    </div>
  )
}

/** Browsers give a clipboard only to pages that came by https or from this machine. */
async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    tell(T.linkCopied)
  } catch {
    tell(T.linkNotCopied, 'bad')
  }
}
